"""One block in time, measured or predicted, and what can be asked of either in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benches.band import nearest_to_mean
from simcore.program.columns import Array, Columns, Flag
from simcore.program.opcodes import Opcode


@dataclass(frozen=True, slots=True)
class Timeline:
    """n events in program order, transfers right after their triggers; times are ns.

    ``start``, ``end``: float64[n], from any origin. ``cause``: what each start was bound by, ``on``: int64[n], the
    event waited for, or -1. ``busy``: by lane name, the length of the union of the lane's intervals (DMA: of its
    transfers or packets).

    An instruction lasts from its first hardware instruction's start to the last one's end: a matmul's weights are
    loaded behind the matmul before it, so two of them overlap. A transfer lasts from its first packet to the last, its
    semaphore's.
    """

    start: Array
    end: Array
    cause: tuple[str, ...]
    on: Array
    busy: Mapping[str, float]
    window_ns: float

    @property
    def duration(self) -> Array:
        """float64[n]: end - start."""
        return self.end - self.start


def mean_of(timelines: Sequence[Timeline]) -> Timeline:
    """The mean over runs that differ in the throttle's phase; causes are those of :func:`typical`."""
    like = typical(timelines)
    return Timeline(
        start=np.mean([t.start for t in timelines], axis=0),
        end=np.mean([t.end for t in timelines], axis=0),
        cause=like.cause,
        on=like.on,
        busy={lane: float(np.mean([t.busy[lane] for t in timelines])) for lane in like.busy},
        window_ns=float(np.mean([t.window_ns for t in timelines])),
    )


def typical(timelines: Sequence[Timeline]) -> Timeline:
    """The run whose window is nearest to the mean; of several the first."""
    return timelines[nearest_to_mean([t.window_ns for t in timelines])]


def transfers(columns: Columns) -> Array:
    """bool[n]: which events are transfers."""
    moved: Array = (columns.flags & Flag.TRANSFER) != 0
    return moved


def waits_only(columns: Columns) -> Array:
    """bool[n]: which events only wait for a semaphore, which is no activity of their engine."""
    waiting: Array = columns.opcode == Opcode.EventSemaphore
    return waiting
