"""What an unrolled loop does: fill, a steady interval per iteration, drain; and what counting a single trip misses.

The loop is watched on its bottleneck lane, the one whose issue port its events take longest. Iteration k is issued
when its first event there starts. The three parts sum to the loop's span:

* prologue: from the loop's first start to the issue of the first steady iteration;
* steady state: from there to the issue of the last iteration, in equal periods;
* epilogue: from the last issue to the loop's last end.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from simcore.program.columns import Array
from simcore.program.engines import Lane
from simcore.program.unroll import UnrolledLoop
from simcore.schedule import Schedule

LONGEST_PERIOD = 8
"""Iterations after which a steady pattern must repeat."""


@dataclass(frozen=True, slots=True)
class LoopProfile:
    """One loop, in the schedule's ticks. ``period`` iterations repeat; ``interval`` is their mean (None: never steady).

    ``steady_from`` is the first steady iteration; ``prologue + steady + epilogue == span``.
    """

    name: str
    trip_count: int
    bottleneck: Lane
    prologue: int
    steady: int
    epilogue: int
    steady_from: int
    period: int
    interval: Fraction | None

    @property
    def span(self) -> int:
        """From the loop's first start to its last end."""
        return self.prologue + self.steady + self.epilogue


def loop_profile(schedule: Schedule, loop: UnrolledLoop) -> LoopProfile | None:
    """The profile of a former loop in the schedule of its unrolled block; None for a loop without events."""
    if not loop.events:
        return None
    inside = slice(loop.begin, loop.begin + loop.events * loop.trip_count)
    start, end = schedule.start[inside], schedule.end[inside]
    bottleneck = _bottleneck(schedule, inside)
    issue = _issues(schedule.lane[inside], start, bottleneck, loop)
    steady_from, period = _steady(np.diff(issue))
    first, last = int(start.min()), int(end.max())
    trips = len(issue) - 1 - steady_from
    steady = int(issue[-1] - issue[steady_from])
    return LoopProfile(
        name=loop.name,
        trip_count=loop.trip_count,
        bottleneck=bottleneck,
        prologue=int(issue[steady_from]) - first,
        steady=steady,
        epilogue=last - int(issue[-1]),
        steady_from=steady_from,
        period=period,
        interval=Fraction(int(issue[-1] - issue[-1 - period]), period) if trips >= period > 0 else None,
    )


def _bottleneck(schedule: Schedule, inside: slice) -> Lane:
    """The lane whose issue port the loop's events take longest; of several the first."""
    taken = np.zeros(len(Lane), dtype=np.int64)
    np.add.at(taken, schedule.lane[inside], schedule.next_dispatch[inside] - schedule.start[inside])
    return Lane(int(taken.argmax()) if taken.any() else int(schedule.lane[inside][0]))


def _issues(lane: Array, start: Array, bottleneck: Lane, loop: UnrolledLoop) -> Array:
    """int64[trips]: when each iteration's first event on the bottleneck lane starts."""
    first = int(np.flatnonzero(lane[: loop.events] == bottleneck)[0])
    return start[first :: loop.events]


def _steady(intervals: Array) -> tuple[int, int]:
    """(first iteration from which the intervals repeat to the end, their period), the shortest prologue first.

    A pattern counts as steady only if it repeats at least once; else (last iteration, 0).
    """
    n = len(intervals)
    best = (n, 0)
    for period in range(1, min(LONGEST_PERIOD, n // 2) + 1):
        differs = np.flatnonzero(intervals[period:] != intervals[:-period])
        begin = int(differs[-1]) + 1 if len(differs) else 0
        if n - begin >= 2 * period and begin < best[0]:
            best = (begin, period)
    return best
