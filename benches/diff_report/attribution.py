"""Why one result takes longer than the other: the difference of the makespans in pieces that sum to it exactly.

The critical path of the slower side is walked from 0 to its end, and with it a point of time on the other side. A step
moves that point by what the same instruction took there, and a wait by what it waited there; the differences of the
two are the contributions. What made the slower side slow lies on its path, so it is found there; whatever else limits
the faster side shows as waits that the path does not have.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from benches.diff_report.align import Alignment
from benches.diff_report.side import SideBlock
from simcore.explain.critical_path import critical_path
from simcore.explain.relations import Moment
from simcore.program.engines import Lane
from simcore.schedule import Cause, Schedule


class Change(Enum):
    """What about an instruction contributes to a difference."""

    runs = "takes another time until it lets the next one go"
    waits = "waits more or less long for what its cause names"
    added = "is new in B"
    removed = "is only in A"
    ends_last = "ends last on the faster side, beside the slower one's path"


@dataclass(frozen=True, slots=True)
class Contribution:
    """``ticks`` that ``instruction`` adds to B's makespan, compared with A's (below 0: takes off).

    ``cause`` is that of the wait, on the side that waits longer (and for ``on``); without a wait it is
    ``execution``, or the change itself.
    """

    instruction: str
    change: Change
    cause: str
    on: str | None
    ticks: int


EXECUTION = "execution"


def contributions(alignment: Alignment) -> list[Contribution]:
    """The contributions, in the order of the path; their sum is ``b``'s makespan less ``a``'s."""
    a, b = alignment.a, alignment.b
    if b.schedule.makespan >= a.schedule.makespan:
        return _along(b, a, alignment.in_a, sign=1)
    return _along(a, b, alignment.in_b, sign=-1)


def _along(walked: SideBlock, other: SideBlock, in_other: list[int], *, sign: int) -> list[Contribution]:
    """Contributions along the path of ``walked``; ``sign`` is 1 if that is B, -1 if it is A."""
    found: list[Contribution] = []

    def add(instruction: str, change: Change, cause: str, on: str | None, ticks: int) -> None:
        if ticks:
            found.append(Contribution(instruction, change, cause, on, sign * ticks))

    s, o = walked.schedule, other.schedule
    here = there = 0
    path = critical_path(s)
    for k, step in enumerate(path):
        event = step.event
        if event < 0:
            # Time that no event accounts for: the first event has waited for it.
            continue
        follower = path[k + 1].event if k + 1 < len(path) else -1
        moment = moment_of_release(walked, event, follower)
        same = in_other[event]
        if same < 0:
            # Its wait, if any, is as new as the event itself.
            change = Change.added if sign > 0 else Change.removed
            add(walked.names[event], change, change.name, None, _at(s, event, moment) - here)
        else:
            waits_here, waits_there = step.start - here, int(o.start[same]) - there
            longer = (walked, event) if waits_here >= waits_there else (other, same)
            cause, on = longer[0].cause[longer[1]], longer[0].on_name[longer[1]]
            add(walked.names[event], Change.waits, cause, on, waits_here - waits_there)
            runs_here = _at(s, event, moment) - step.start
            runs_there = _at(o, same, moment) - int(o.start[same])
            add(walked.names[event], Change.runs, EXECUTION, None, runs_here - runs_there)
            there = _at(o, same, moment)
        here = _at(s, event, moment)
    if len(o):
        last = other.names[int(o.end.argmax())]
        add(last, Change.ends_last, Change.ends_last.name, None, there - o.makespan)
    return found


@dataclass(frozen=True, slots=True)
class StartChange:
    """Why an event starts at another time in B: ``inherited + own`` is the difference of the starts, in ticks.

    Seen from the side on which it starts later (B, if on neither): ``inherited`` is by how much what it waits for there
    has moved, ``own`` what the wait itself contributes. ``cause`` and ``on`` name that wait.
    """

    cause: str
    on: str | None
    inherited: int
    own: int


def start_change(alignment: Alignment, event: int) -> StartChange:
    """What moved the start of ``event`` (a number in ``b``, with a partner in ``a``)."""
    a, b, in_a = alignment.a, alignment.b, alignment.in_a[event]
    moved = int(b.schedule.start[event]) - int(a.schedule.start[in_a])
    if moved >= 0:
        side, other, own, partner, sign = b, a, event, alignment.in_a, 1
    else:
        side, other, own, partner, sign = a, b, in_a, alignment.in_b, -1
    on = int(side.schedule.on[own])
    inherited = 0
    if on >= 0 and partner[on] >= 0:
        moment = moment_of_release(side, on, own)
        inherited = sign * (_at(side.schedule, on, moment) - _at(other.schedule, partner[on], moment))
    return StartChange(side.cause[own], side.on_name[own], inherited, moved - inherited)


_AT_DISPATCH = frozenset(c.name for c in (Cause.engine, Cause.psum_bank, Cause.barrier, Cause.ring))


def moment_of_release(side: SideBlock, event: int, follower: int) -> Moment:
    """Which moment of ``event`` the start of ``follower`` waited for; its end if there is no follower (-1).

    A result does not say it outright: the cause tells, and where it leaves a choice, the times. If the start came
    later than every moment (a semaphore took time), the last one before it is meant.
    """
    if follower < 0:
        return Moment.end
    s, cause = side.schedule, side.cause[follower]
    coupled_issue = cause == Cause.band_coupling.name and s.lane[follower] != Lane.Activation
    if cause in _AT_DISPATCH or coupled_issue:
        return Moment.next_dispatch
    until = int(s.start[follower])
    candidates = [Moment.end, Moment.next_dispatch, Moment.start]
    if s.ready_on[event] >= 0:
        candidates.append(Moment.ready)
    past = [m for m in candidates if _at(s, event, m) <= until]
    return max(past, key=lambda m: _at(s, event, m), default=Moment.start)


def _at(schedule: Schedule, event: int, moment: Moment) -> int:
    if moment == Moment.ready:
        return int(schedule.ready_at[event])
    if moment == Moment.next_dispatch:
        return int(schedule.next_dispatch[event])
    start = int(schedule.start[event])
    return start if moment == Moment.start else start + int(schedule.duration[event])
