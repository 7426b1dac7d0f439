"""The critical path: the gap-free chain of causes that leads to the end of a block.

Each event recorded what its start was bound by, so the path is read off, not guessed: from the latest event back to
the one it waited for, and so on. A step's piece of time runs from its start to the moment that released the next
step; the pieces sum to the makespan.
"""

from __future__ import annotations

from dataclasses import dataclass

from simcore.schedule import Cause, Schedule


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the path, in the schedule's ticks.

    ``event`` started at ``start`` bound by ``cause``; at ``until`` it released the next step (or the block ended).
    ``event`` is -1 for a floor from outside the block.
    """

    event: int
    start: int
    until: int
    cause: Cause

    @property
    def length(self) -> int:
        """The step's share of the makespan."""
        return self.until - self.start


def critical_path(schedule: Schedule) -> list[Step]:
    """The path in time order; lengths sum to ``schedule.makespan``. Of several latest events the first counts."""
    if not len(schedule):
        return []
    end = schedule.end
    event = int(end.argmax())
    until = int(end[event])
    steps: list[Step] = []
    while event >= 0:
        start = int(schedule.start[event])
        cause = Cause(int(schedule.cause[event]))
        steps.append(Step(event, start, until, cause))
        until, event = start, int(schedule.on[event])
        # An ordered collective may release others when it is itself ready, before it starts: its own wait then goes on.
        while event >= 0 and schedule.start[event] > until:
            event = int(schedule.ready_on[event])
    if until > 0:
        steps.append(Step(-1, 0, until, Cause.floor))
    steps.reverse()
    return steps
