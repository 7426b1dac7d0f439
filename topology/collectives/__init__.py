"""Collectives: what ranks do together, as sends that wait for each other, and their run on a machine (ADR-0064).

:func:`topology.collectives.plan.plan_of` gives the sends of a kind by an algorithm; they know nothing of a system but
the arrangement of its ranks (``ranks``). ``running`` drives them over a machine's fabric. ``for_program`` does the same
for a CollectiveCompute instruction.
"""
