"""Benches of contention: small traffic whose answer can be worked out, measured on the machine and judged (ADR-0065).

``registry`` finds them, ``parameters`` reads what ``--set`` says, ``findings`` holds what a bench has found,
``report`` is what ``kernbench run --bench`` says. Each module of ``cases`` is one bench.
"""
