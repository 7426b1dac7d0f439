"""Which track draws each instruction. Slices of one track may not overlap, so a lane gets as many as it needs."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from simcore.program.columns import Array
from simcore.program.engines import Lane
from simcore.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Tracks:
    """``tid``: int32[n], the track of each instruction. ``names[k]`` is what track ``k + 1`` is called."""

    tid: Array
    names: list[str]


def tracks_of(schedule: Schedule) -> Tracks:
    """The tracks of a block, lane by lane; an instruction is on the lowest track of its lane that is free."""
    tid = np.zeros(len(schedule), dtype=np.int32)
    names: list[str] = []
    for number in np.unique(schedule.lane).tolist():
        events = np.flatnonzero(schedule.lane == number)
        events = events[np.argsort(schedule.start[events], kind="stable")]
        tracks = lowest_free(schedule.start[events].tolist(), schedule.end[events].tolist())
        tid[events] = len(names) + 1 + np.array(tracks, dtype=np.int32)
        lane = Lane(number).name
        names += [lane if k == 0 else f"{lane} ({k + 1})" for k in range(1 + max(tracks))]
    return Tracks(tid, names)


def lowest_free(start: list[int], end: list[int]) -> list[int]:
    """A track for each interval, in order of start; an interval that ends where another starts is out of its way."""
    free: list[int] = []
    taken: list[tuple[int, int]] = []
    used, tracks = 0, []
    for begin, until in zip(start, end, strict=True):
        while taken and taken[0][0] <= begin:
            heappush(free, heappop(taken)[1])
        if free:
            track = heappop(free)
        else:
            track, used = used, used + 1
        heappush(taken, (until, track))
        tracks.append(track)
    return tracks
