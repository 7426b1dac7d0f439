"""What each lane did with its time: busy, several events at once, and idle by cause. The parts sum to the makespan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.program.engines import Lane
from simcore.schedule import Cause, Schedule


@dataclass(frozen=True, slots=True)
class Idle:
    """Idle time of a lane that ended when an event started: why it had to wait, and for which event (-1: none)."""

    start: int
    length: int
    event: int
    cause: Cause
    on: int


@dataclass(frozen=True, slots=True)
class LaneUse:
    """One lane's account, in the schedule's ticks: ``busy + sum(idle) + after == makespan``.

    ``busy`` counts time with at least one event; ``overlapped`` is how much longer the events are than that, added
    up. ``after`` is the time from the lane's last end to the block's end.
    """

    lane: Lane
    events: int
    busy: int
    overlapped: int
    idle: tuple[Idle, ...]
    after: int

    def idle_by_cause(self) -> dict[Cause, int]:
        """Idle ticks summed by cause, largest first (without the time after the last event)."""
        total: dict[Cause, int] = {}
        for gap in self.idle:
            total[gap.cause] = total.get(gap.cause, 0) + gap.length
        return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


def lane_uses(schedule: Schedule) -> list[LaneUse]:
    """The account of every lane that has events, by lane number."""
    return [_lane_use(schedule, int(lane)) for lane in np.unique(schedule.lane)]


def _lane_use(schedule: Schedule, lane: int) -> LaneUse:
    events = np.flatnonzero(schedule.lane == lane)
    order = events[np.argsort(schedule.start[events], kind="stable")]
    start, end = schedule.start[order], schedule.end[order]
    reach = np.maximum.accumulate(end)
    before = np.concatenate(([0], reach[:-1]))
    gap = np.maximum(start - before, 0)
    idle = tuple(
        Idle(
            start=int(before[k]),
            length=int(gap[k]),
            event=int(order[k]),
            cause=Cause(int(schedule.cause[order[k]])),
            on=int(schedule.on[order[k]]),
        )
        for k in np.flatnonzero(gap).tolist()
    )
    last = int(reach[-1])
    busy = last - int(gap.sum())
    return LaneUse(
        lane=Lane(lane),
        events=len(order),
        busy=busy,
        overlapped=int(schedule.duration[order].sum()) - busy,
        idle=idle,
        after=schedule.makespan - last,
    )
