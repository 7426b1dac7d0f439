"""The result of running one block on either model: when each event started, ended, and what it had waited for.

PerfSim counts nanoseconds, the machine picoseconds; ``ticks_per_ns`` says which, and everything that explains a
schedule works on the integers as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from simcore.program.columns import Array, Columns


class Cause(IntEnum):
    """What an event's start was bound by; from ``link`` on, what only a machine with real memory can name."""

    none = 0
    dependency = 1
    engine = 2
    psum_bank = 3
    band_coupling = 4
    barrier = 5
    ring = 6
    floor = 7
    link = 8
    router_buffer = 9
    hbm = 10
    tcm_read = 11
    tcm_write = 12
    mmu = 13
    semaphore = 14
    collective_peers = 15


@dataclass(frozen=True, slots=True)
class Schedule:
    """n events in program order (transfers right after their triggers).

    ``start``, ``duration``, ``next_dispatch``: int64[n]. ``cause``: uint8[n] of :class:`Cause`; ``on``: int32[n], the
    event waited for, or -1. ``ready_at``/``ready_on`` (collectives only): when the event's own producers let it go,
    and which of them was last; an event behind an Ordered edge may start then, before its producer does.
    """

    lane: Array
    start: Array
    duration: Array
    next_dispatch: Array
    cause: Array
    on: Array
    ready_at: Array
    ready_on: Array
    ticks_per_ns: int = 1

    def __len__(self) -> int:
        return len(self.start)

    @property
    def end(self) -> Array:
        """int64[n]: start + duration."""
        return self.start + self.duration

    @property
    def makespan(self) -> int:
        """End of the latest event, 0 for an empty block."""
        return int(self.end.max()) if len(self) else 0

    @property
    def critical_path(self) -> int:
        """The source's figure: the latest of the lanes' last events' ends (a lane's last event need not end last)."""
        if not len(self):
            return 0
        lanes, last_from_back = np.unique(self.lane[::-1], return_index=True)
        del lanes
        return int(self.end[len(self) - 1 - last_from_back].max())


def with_trips(schedule: Schedule, columns: Columns) -> int:
    """The makespan with every loop body counted ``trip_count`` times (nested loops multiply), in the schedule's ticks.

    Both models place a body once; each further trip adds the body's span, from its first start to its last end, with
    the further trips of the loops inside it.
    """
    added = [0] * len(columns.loops)
    total = schedule.makespan
    for k in range(len(columns.loops) - 1, -1, -1):
        loop = columns.loops[k]
        inside = slice(loop.begin, loop.end)
        span = int(schedule.end[inside].max() - schedule.start[inside].min()) if loop.end > loop.begin else 0
        further = loop.trip_count * (span + added[k]) - span
        if loop.parent >= 0:
            added[loop.parent] += further
        else:
            total += further
    return total
