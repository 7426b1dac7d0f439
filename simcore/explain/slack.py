"""Slack: how much later an event may come, and how much longer it may last, before the block ends later.

One pass from the last event to the first over all wait-for relations, not only over those that bound a start: an
event may be late by as much as each of those that wait for it may be, and by the time that lay between anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from simcore.explain.relations import Moment, Relations
from simcore.program.columns import Array
from simcore.schedule import Schedule

_CHUNK = 1 << 16
"""Events whose relations are unpacked at a time: Python's integers take several times the arrays' memory."""


@dataclass(frozen=True, slots=True)
class Slack:
    """Of each event, in the schedule's ticks, the relations held fixed. Members of the critical path have slack 0.

    ``slack``: int64[n], how much later the whole event (start, next-dispatch and end) may come without a later
    makespan. ``stretch``: int64[n], how much longer it may last (next-dispatch and end move, its start does not);
    never less than the slack, and more where those who wait for it wait for its start.
    """

    slack: Array
    stretch: Array


def slack_of(schedule: Schedule, relations: Relations) -> Slack:
    """The slack of every event of ``schedule``, whose relations are ``relations``. Time grows as n + k."""
    n = len(schedule)
    # More than any slack, whatever gap is taken off it.
    unlimited = 2 * schedule.makespan
    by_start, by_ready = [unlimited] * n, [unlimited] * n
    by_length: list[int] = (schedule.makespan - schedule.end).tolist()
    limit_of = {Moment.start: by_start, Moment.next_dispatch: by_length, Moment.end: by_length, Moment.ready: by_ready}
    limits = [limit_of[moment] for moment in sorted(Moment)]
    for event, count, rows in _backwards(schedule, relations):
        slack = by_start[event] = min(by_start[event], by_length[event])
        ready = by_ready[event]
        for earlier, moment, gap, ready_gap in islice(rows, count):
            room = min(slack + gap, ready + ready_gap)
            limit = limits[moment]
            if room < limit[earlier]:
                limit[earlier] = room
    return Slack(np.array(by_start, dtype=np.int64), np.array(by_length, dtype=np.int64))


_Rows = Iterator[tuple[int, int, int, int]]


def _backwards(schedule: Schedule, relations: Relations) -> Iterator[tuple[int, int, _Rows]]:
    """Events from last to first: (event, how many relations it has, rows that begin with those).

    A row is (earlier event, moment, ticks from that moment to the start, ticks from it to the readiness).
    """
    times = relations.times(schedule)
    for end in range(len(schedule), 0, -_CHUNK):
        begin = max(end - _CHUNK, 0)
        own = slice(int(relations.first[begin]), int(relations.first[end]))
        later = relations.later[own]
        to_start = schedule.start[later] - times[own]
        # Only edges bear on readiness; that of an event for which nobody waits in this way is not even recorded.
        to_ready = np.where(relations.is_edge[own], schedule.ready_at[later] - times[own], schedule.makespan)
        columns = (relations.earlier[own], relations.moment[own], to_start, to_ready)
        rows = zip(*(c[::-1].tolist() for c in columns), strict=True)
        counts = np.diff(relations.first[begin : end + 1])[::-1].tolist()
        for event, count in zip(range(end - 1, begin - 1, -1), counts, strict=True):
            yield event, count, rows
