"""Rings: every rank sends to the next one only, a block at a time.

Reduce-scatter and all-gather in n - 1 steps each, of 1/n of the data each: the bandwidth-optimal pair (P. Patarasuk and
X. Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 2009).
"""

from __future__ import annotations

from collections.abc import Sequence

from topology.collectives.draft import Draft
from topology.collectives.send import Run


def reduce_scatter_ring(
    draft: Draft, phase: str, ring: Sequence[int], blocks: Sequence[Run], *, slotted: bool = True
) -> None:
    """Member i of the ``ring`` ends with ``blocks[i]`` of everybody, added up."""
    size = len(ring)
    for step in range(size - 1):
        for i, rank in enumerate(ring):
            block = blocks[(i - step - 1) % size]
            draft.send(phase, step, rank, ring[(i + 1) % size], block, reduce=True, slotted=slotted)


def all_gather_ring(
    draft: Draft, phase: str, ring: Sequence[int], blocks: Sequence[Run], *, slotted: bool = True
) -> None:
    """Member i of the ``ring`` has ``blocks[i]``; all end with all blocks."""
    size = len(ring)
    for step in range(size - 1):
        for i, rank in enumerate(ring):
            draft.send(phase, step, rank, ring[(i + 1) % size], blocks[(i - step) % size], slotted=slotted)


def broadcast_chain(
    draft: Draft, phase: str, chain: Sequence[int], pieces: Sequence[Run], *, slotted: bool = True
) -> None:
    """The first of the ``chain`` has all ``pieces``; they go down it one behind the other."""
    for number, piece in enumerate(pieces):
        for i in range(len(chain) - 1):
            draft.send(phase, number + i, chain[i], chain[i + 1], piece, slotted=slotted)


def single_parts(count: int) -> list[Run]:
    """Each of ``count`` parts as a block of its own."""
    return [(part, part + 1) for part in range(count)]
