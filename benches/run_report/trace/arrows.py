"""The arrows of a block: one from each producer to each consumer, at the moment that the consumer was waiting for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benches.run_report.execute import MachineBlock
from simcore.program.columns import Array, Flag
from simcore.program.edges import EdgeKind
from simcore.schedule import Cause


@dataclass(frozen=True, slots=True)
class Arrows:
    """k arrows in the order of their consumers. ``leaves_at`` (ticks) lies within the producer's slice.

    ``impossible`` counts the edges that no arrow can show, because the consumer starts before its producer does (an
    ordered collective may let it go that early).
    """

    producer: Array
    consumer: Array
    leaves_at: Array
    impossible: int


def arrows_of(block: MachineBlock) -> Arrows:
    """An arrow for every pair of instructions with an edge that counts, and from each trigger to its transfer.

    It leaves at the latest moment that one of the pair's edges waits for.
    """
    s, n = block.schedule, max(len(block.columns), 1)
    pairs = _pairs(block, n)
    relations = block.relations()
    edges = np.flatnonzero(relations.cause == Cause.dependency)
    place = np.searchsorted(pairs, relations.later[edges].astype(np.int64) * n + relations.earlier[edges])
    released = np.zeros(len(pairs), dtype=np.int64)
    np.maximum.at(released, place, relations.times(s)[edges])
    consumer, producer = np.divmod(pairs, n)
    start, end = s.start[producer], s.end[producer]
    # A viewer gives an arrow to the slice around it, so it leaves 1 ns inside the slice, not on its border.
    inside = np.clip(released, start, np.maximum(start, end - s.ticks_per_ns))
    possible = s.start[consumer] >= start
    return Arrows(producer[possible], consumer[possible], inside[possible], int(np.count_nonzero(~possible)))


def _pairs(block: MachineBlock, n: int) -> Array:
    """int64, sorted: ``consumer * n + producer`` of every pair that an arrow belongs to."""
    c = block.columns
    consumer = np.repeat(np.arange(len(c)), c.dep_count)
    counts = c.region[consumer] == c.region[c.dep_on]
    if not block.include_anti_deps:
        counts &= c.dep_kind != EdgeKind.Anti
    transfer = np.flatnonzero(c.flags & Flag.TRANSFER)
    edges = consumer[counts] * n + c.dep_on[counts]
    return np.unique(np.concatenate((edges, transfer * n + transfer - 1)))
