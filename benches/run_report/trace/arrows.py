"""The arrows of a block: one from each producer to each consumer, at the moment that the edge waits for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.explain.relations import Relations
from simcore.program.columns import Array
from simcore.schedule import Cause, Schedule


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


def arrows_of(relations: Relations, schedule: Schedule) -> Arrows:
    """An arrow for every pair of instructions with an edge that the run obeyed, and from each trigger to its transfer.

    Of several edges of one pair, the one that let the consumer go last is drawn.
    """
    edge = np.flatnonzero(relations.cause == Cause.dependency)
    producer, consumer = relations.earlier[edge], relations.later[edge]
    released = relations.times(schedule)[edge]
    # The last in this order is the edge of its pair that counts.
    order = np.lexsort((released, producer, consumer))
    producer, consumer, released = producer[order], consumer[order], released[order]
    last = np.ones(len(order), dtype=bool)
    last[:-1] = (producer[1:] != producer[:-1]) | (consumer[1:] != consumer[:-1])
    start, end = schedule.start[producer], schedule.end[producer]
    possible = last & (schedule.start[consumer] >= start)
    # A viewer gives an arrow to the slice around it, so it leaves 1 ns inside the slice, not on its border.
    inside = np.clip(released, start, np.maximum(start, end - schedule.ticks_per_ns))
    return Arrows(producer[possible], consumer[possible], inside[possible], int(np.count_nonzero(last & ~possible)))
