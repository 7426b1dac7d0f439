"""The critical path: the gap-free chain of causes that leads to the end of a block.

Each event recorded what its start was bound by, so the path is read off, not guessed: from the latest event back to
the one it waited for, and so on. A step's piece of time runs from its start to the moment that released the next
step; the pieces sum to the makespan.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simcore.program.columns import Array, Columns
from simcore.program.edges import EdgeKind
from simcore.program.engines import Lane
from simcore.program.opcodes import Opcode
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


def critical_path(schedule: Schedule, columns: Columns | None = None) -> list[Step]:
    """The path in time order; lengths sum to ``schedule.makespan``. Of several latest events the first counts.

    With the block's ``columns`` an ordered collective that started at the very instant at which its readiness released
    the next step is told from one whose start or end did, and is not on the path: it may start later (it has slack).
    """
    if not len(schedule):
        return []
    readiness = _Readiness(schedule, columns)
    end = schedule.end
    event = int(end.argmax())
    until = int(end[event])
    steps: list[Step] = []
    while event >= 0:
        start = int(schedule.start[event])
        cause = Cause(int(schedule.cause[event]))
        steps.append(Step(event, start, until, cause))
        until, follower, event = start, event, int(schedule.on[event])
        # An ordered collective may release others when it is itself ready, before it starts: its own wait then goes on.
        while event >= 0 and readiness.released(event, follower, until):
            follower, event = event, int(schedule.ready_on[event])
    if until > 0:
        steps.append(Step(-1, 0, until, Cause.floor))
    steps.reverse()
    return steps


class _Readiness:
    """Tells which events released others by being ready, not by starting or ending."""

    def __init__(self, schedule: Schedule, columns: Columns | None) -> None:
        self.schedule = schedule
        self.columns = columns

    @cached_property
    def _first_edge(self) -> Array:
        assert self.columns is not None
        return np.cumsum(self.columns.dep_count, dtype=np.int64) - self.columns.dep_count

    def released(self, event: int, follower: int, until: int) -> bool:
        """Whether it was the readiness of ``event`` that released ``follower`` at ``until``."""
        s, c = self.schedule, self.columns
        start = int(s.start[event])
        if start != until or c is None or c.opcode[event] != Opcode.CollectiveCompute:
            return start > until
        if int(s.ready_at[event]) != until or int(s.ready_on[event]) < 0:
            return False
        hears_readiness = c.opcode[follower] == Opcode.CollectiveCompute or s.lane[follower] == Lane.Pool
        first = int(self._first_edge[follower])
        edges = slice(first, first + int(c.dep_count[follower]))
        ordered = (c.dep_on[edges] == event) & (c.dep_kind[edges] == EdgeKind.Ordered)
        return bool(hears_readiness and ordered.any())
