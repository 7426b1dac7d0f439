"""Which moment of its producer each edge waits for, decided for a whole block at once. No times."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from simcore.program.columns import Array, Columns
from simcore.program.edges import EdgeKind
from simcore.program.engines import Lane
from simcore.program.opcodes import Opcode


class Point(IntEnum):
    """A moment of the producer."""

    END = 0
    DISPATCH = 1
    START = 2
    """Of triggers: their edges wait for no transfer."""
    READY = 3
    """Of collectives: their own producers are done."""


@dataclass(frozen=True, slots=True)
class EdgePoints:
    """The edges that count, in program order of their consumers.

    Of each edge, int64[m]: ``consumer`` and ``producer`` (events), ``place`` (its position among all edges of its
    consumer), ``point`` (a :class:`Point`). ``count``: int64[n], how many each event waits for.
    """

    consumer: Array
    producer: Array
    place: Array
    point: Array
    count: Array


def edge_points(columns: Columns, lane: Array, *, include_anti_deps: bool, early_ordered: bool) -> EdgePoints:
    """The block's edges without those from another region and (if so asked) without anti-dependencies.

    ``early_ordered``: an Ordered edge from a collective to another, or to Pool, waits for its readiness only.
    """
    n = len(columns)
    consumer = np.repeat(np.arange(n), columns.dep_count)
    first = np.cumsum(columns.dep_count, dtype=np.int64) - columns.dep_count
    place = np.arange(len(consumer)) - first[consumer]
    producer, kind = columns.dep_on, columns.dep_kind
    counts = columns.region[consumer] == columns.region[producer]
    if not include_anti_deps:
        counts &= kind != EdgeKind.Anti
    ordered = kind == EdgeKind.Ordered
    point = np.where(columns.opcode[producer] == Opcode.DMATrigger, Point.START, Point.END)
    point[ordered] = Point.DISPATCH
    if early_ordered:
        collective = columns.opcode == Opcode.CollectiveCompute
        hears_early = collective | (lane == Lane.Pool)
        point[ordered & collective[producer] & hears_early[consumer]] = Point.READY
    edges = np.flatnonzero(counts)
    count = np.bincount(consumer[edges], minlength=n)
    edges = np.setdiff1d(edges, _from_the_start(edges, consumer, producer, point, count), assume_unique=True)
    return EdgePoints(consumer[edges], producer[edges], place[edges], point[edges], count)


def _from_the_start(edges: Array, consumer: Array, producer: Array, point: Array, count: Array) -> list[int]:
    """Edges to the readiness of a collective that waits for nothing: they are over before anything happens.

    They are taken off ``count``, which can make further collectives ready.
    """
    over = []
    for edge in edges[point[edges] == Point.READY].tolist():
        if not count[producer[edge]]:
            count[consumer[edge]] -= 1
            over.append(edge)
    return over
