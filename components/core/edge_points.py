"""Which moment of its producer each edge waits for, decided for a whole block at once. No times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.program.columns import Array, Columns
from simcore.program.edges import EdgeKind
from simcore.program.engines import Lane
from simcore.program.opcodes import Opcode

END, DISPATCH, START, READY = 0, 1, 2, 3
"""The producer's end; its next-dispatch; its start (triggers); its own producers being done (collectives)."""


@dataclass(frozen=True, slots=True)
class EdgePoints:
    """Edges that count, in program order: ``count`` per event, and ``producer``, ``point``, ``place`` per edge.

    ``place`` is the edge's position among all edges of its consumer.
    """

    count: list[int]
    producer: list[int]
    point: list[int]
    place: list[int]


def edge_points(columns: Columns, lane: Array, *, include_anti_deps: bool, early_ordered: bool) -> EdgePoints:
    """The block's edges without those from another region and (if so asked) without anti-dependencies."""
    n = len(columns)
    consumer = np.repeat(np.arange(n), columns.dep_count)
    first = np.cumsum(columns.dep_count, dtype=np.int64) - columns.dep_count
    place = np.arange(len(consumer)) - first[consumer]
    producer, kind = columns.dep_on, columns.dep_kind
    keep = columns.region[consumer] == columns.region[producer]
    if not include_anti_deps:
        keep &= kind != EdgeKind.Anti
    consumer, producer, kind, place = consumer[keep], producer[keep], kind[keep], place[keep]
    ordered = kind == EdgeKind.Ordered
    point = np.where(ordered, DISPATCH, np.where(columns.opcode[producer] == Opcode.DMATrigger, START, END))
    if early_ordered:
        collective = columns.opcode == Opcode.CollectiveCompute
        hears_early = collective | (lane == Lane.Pool)
        point[ordered & collective[producer] & hears_early[consumer]] = READY
    count = np.bincount(consumer, minlength=n)
    return EdgePoints(count.tolist(), producer.tolist(), point.tolist(), place.tolist())
