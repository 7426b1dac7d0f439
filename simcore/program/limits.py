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

MAX_NESTING = 64
"""Deepest nesting of loops, and of brackets in a program file."""
