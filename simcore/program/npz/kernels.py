"""The loops over every event, edge and byte of a columns file, compiled when there are many.

They are written for two executions, as PerfSim's walk is: compiled over arrays, or as plain Python over lists for
blocks that are done before the compiler would have loaded. Compiled code does not check bounds: the counts must have
been found right.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from simcore.program.banks import bank_range, mask_faults

SMALL = 100_000
"""Up to this many events (or edges) plain Python is faster than loading the compiler."""

_FACTOR = np.uint64(0x100000001B3)
_SEED = np.uint64(0xCBF29CE484222325)
_SHIFT = np.uint64(32)


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` as machine code, kept on disk."""
    import numba
    from numba.extending import register_jitable

    if function is mask_faults:
        register_jitable(bank_range)
    result: Callable[..., Any] = numba.njit(cache=True, nogil=True, boundscheck=False)(function)
    return result


def edge_faults(dep_count: Any, dep_on: Any, last_consumer: Any) -> tuple[int, int, int, int]:
    """Edges that lead to no earlier event, and second edges between two events: (number, first event) of each.

    ``last_consumer`` is -1 for each event.
    """
    edge = 0
    forward, first_forward, repeated, first_repeated = 0, -1, 0, -1
    for event in range(len(dep_count)):
        for _ in range(dep_count[event]):
            producer = dep_on[edge]
            edge += 1
            if producer < 0 or producer >= event:
                forward += 1
                if first_forward < 0:
                    first_forward = event
            elif last_consumer[producer] == event:
                repeated += 1
                if first_repeated < 0:
                    first_repeated = event
            else:
                last_consumer[producer] = event
    return forward, first_forward, repeated, first_repeated


def hash_names(text: Any, hashes: Any) -> tuple[int, bool]:
    """Fills ``hashes`` with a hash of each name in ``text`` (FNV-1a, its bits mixed); only ever compiled.

    Returns how many names there are, and whether all are printable ASCII and none is empty.
    """
    count, is_plain = 0, True
    value, empty = _SEED, True
    for k in range(len(text) + 1):
        byte = text[k] if k < len(text) else 0
        if byte == 0:
            is_plain = is_plain and not empty
            if count < len(hashes):
                hashes[count] = value ^ (value >> _SHIFT)
            count += 1
            value, empty = _SEED, True
        else:
            is_plain = is_plain and 0x20 <= byte <= 0x7E
            value = (value ^ np.uint64(byte)) * _FACTOR
            empty = False
    return count, is_plain
