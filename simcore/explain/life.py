"""The life of an instruction: what it waited for and how long, then issue, execution, drain.

A life begins when the instruction could first be considered: when its lane's turn came to it (the next-dispatch of
the one before it; 0 for the first; for a barrier the first lane that reached it), or when its own producers were done,
if that was earlier (a transfer's is its trigger's start). An instruction without producers is considered at its turn.
It ends when the instruction ends.

Whenever one of the waits ends in between, a piece ends that is named after that wait (the first by rank, of several at
one instant). The last piece of waiting is therefore named after what bound the start, and is as long as the start
would come earlier without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.errors import ModelBug
from simcore.explain.relations import Relations
from simcore.program.columns import Array, Columns
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause, Schedule


@dataclass(frozen=True, slots=True)
class Wait:
    """A piece of waiting that ended with ``cause``, for event ``on``."""

    cause: Cause
    on: int
    length: int


@dataclass(frozen=True, slots=True)
class Life:
    """One instruction's life, in the schedule's ticks; the pieces sum to ``end - begin``.

    ``execution``: from its start to its next-dispatch, while its engine is its alone. ``issue``: the same time of a
    DMATrigger, which executes nothing: it hands descriptors to a ring, and its transfer is an event of its own.
    ``drain``: from next-dispatch to its end, while its engine may already run the next. What overlaps nothing has no
    drain: short instructions and collectives on their streams execute to the end, triggers (but for those on the DMA
    lane) issue to the end. A local collective runs on the DMA lane and drains like a transfer.
    """

    event: int
    begin: int
    waits: tuple[Wait, ...]
    issue: int
    execution: int
    drain: int
    end: int


@dataclass(frozen=True, slots=True)
class Lives:
    """The lives of n events. ``first``: int64[n + 1], where each one's waits begin among all w of them.

    ``begin``, ``issue``, ``execution``, ``drain``, ``end``: int64[n]. ``wait_length``: int64[w]; ``wait_cause``:
    uint8[w] of :class:`Cause`; ``wait_on``: int32[w].
    """

    begin: Array
    first: Array
    wait_cause: Array
    wait_on: Array
    wait_length: Array
    issue: Array
    execution: Array
    drain: Array
    end: Array

    def __len__(self) -> int:
        return len(self.begin)

    def of(self, event: int) -> Life:
        """The life of one event."""
        rows = slice(int(self.first[event]), int(self.first[event + 1]))
        columns = (self.wait_cause[rows], self.wait_on[rows], self.wait_length[rows])
        return Life(
            event=event,
            begin=int(self.begin[event]),
            waits=tuple(
                Wait(Cause(c), on, length) for c, on, length in zip(*(x.tolist() for x in columns), strict=True)
            ),
            issue=int(self.issue[event]),
            execution=int(self.execution[event]),
            drain=int(self.drain[event]),
            end=int(self.end[event]),
        )


def lives_of(columns: Columns, schedule: Schedule, relations: Relations) -> Lives:
    """The lives of a block's events. Raises ModelBug if ``schedule`` does not follow from ``relations``."""
    n = len(schedule)
    times = relations.times(schedule)
    begin = _begins(schedule, relations, times)
    rows = np.flatnonzero(times > begin[relations.later])
    # Stable: relations of one event stay in the order in which a tie is named.
    rows = rows[np.lexsort((times[rows], relations.later[rows]))]
    later, until = relations.later[rows], times[rows]
    same_event = np.concatenate(([False], later[1:] == later[:-1])) if len(rows) else np.zeros(0, dtype=bool)
    ends_a_piece = ~same_event
    ends_a_piece[1:] |= until[1:] > until[:-1]
    rows, later, until = rows[ends_a_piece], later[ends_a_piece], until[ends_a_piece]
    since = begin[later]
    goes_on = np.flatnonzero(later[1:] == later[:-1]) + 1
    since[goes_on] = until[goes_on - 1]
    first = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(later, minlength=n), out=first[1:])
    _check(schedule, begin, later, until)
    trigger = columns.opcode == Opcode.DMATrigger
    taken = schedule.next_dispatch - schedule.start
    return Lives(
        begin=begin,
        first=first,
        wait_cause=relations.cause[rows],
        wait_on=relations.earlier[rows],
        wait_length=until - since,
        issue=np.where(trigger, taken, 0),
        execution=np.where(trigger, 0, taken),
        drain=schedule.end - schedule.next_dispatch,
        end=schedule.end,
    )


def _begins(schedule: Schedule, relations: Relations, times: Array) -> Array:
    """int64[n]: when each event could first be considered."""
    n = len(schedule)
    turn = np.zeros(n, dtype=np.int64)
    engine = relations.cause == Cause.engine
    turn[relations.later[engine]] = times[engine]
    barrier = np.flatnonzero(relations.cause == Cause.barrier)
    first_lane = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(first_lane, relations.later[barrier], times[barrier])
    turn = np.where(first_lane < np.iinfo(np.int64).max, first_lane, turn)
    dependency = relations.cause == Cause.dependency
    ready = np.full(n, -1, dtype=np.int64)
    np.maximum.at(ready, relations.later[dependency], times[dependency])
    begin: Array = np.where(ready >= 0, np.minimum(turn, ready), turn)
    return begin


def _check(schedule: Schedule, begin: Array, later: Array, until: Array) -> None:
    """Every start is where its last wait ended, or where its life began."""
    last = begin.copy()
    np.maximum.at(last, later, until)
    wrong = np.flatnonzero(last != schedule.start)
    if len(wrong):
        event = int(wrong[0])
        raise ModelBug(
            f"event {event} starts at {int(schedule.start[event])}, but its waits end at {int(last[event])} "
            f"({len(wrong)} of {len(schedule)} events differ): the schedule was made by other rules"
        )
