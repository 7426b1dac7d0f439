"""Choosing how the walk runs: compiled for large blocks, as plain Python for small ones.

Both run the very same function; a small block is done before the compiler would have loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from simcore.perfsim.walk import walk

SMALL_BLOCK = 3000
"""Up to this many events the plain walk is faster than loading the compiled one."""

Walk = Callable[..., None]

plain_walk: Walk = walk
"""The walk as plain Python."""


@cache
def compiled_walk() -> Walk:
    """The walk compiled to machine code; kept on disk, so only the first run on a machine compiles."""
    import numba

    compiled: Walk = numba.njit(cache=True, nogil=True, boundscheck=False)(walk)
    return compiled
