"""Largest numbers a program may hold, so that no 64-bit sum or index in the models can overflow."""

from __future__ import annotations

MAX_COST_NS = 10**12
"""Largest cost of one instruction (1000 s); five million of them still add up below 2**63."""

MAX_DIM = 10**12
"""Largest element count, step or trip count."""

MAX_ADDR_BYTES = 2**52
"""Largest address."""

MAX_REGION = 2**31 - 1
"""Largest region number."""

MAX_CONSTANT = 2**63 - 1
"""Largest whole number that an instruction's ``constant`` may be, up or down."""

MAX_STREAM = 3
"""Highest collective stream."""

MAX_ARCH_VERSION = 99
"""Highest architecture version."""

MAX_RUNS = 10**6
"""Most runs of the modular flow."""

MAX_OPERANDS = 2**16 - 1
"""Most operands of one instruction."""

MAX_WORDS = 255
"""Most different words that ``op``, ``op0``, ``op1`` and ``mode`` may use in one block: columns give them a byte."""

MAX_NESTING = 64
"""Deepest nesting of loops."""
