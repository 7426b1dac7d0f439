"""All times of a leg that has its links to itself, from how it stands: the same recurrences as flit by flit, at once.

For flit i on link h, whose service takes S and whose end is L away from the next queue:

    start[h][i] = max(queue[h][i], start[h][i-1] + S, home[h][i-b])
    queue[h+1][i] = start[h][i] + S + L
    queue[0][i] = done[i-w], by way of the source
    done[i] = the time at the end of the path, by way of the sink
    home[h][i] = start[h+1][i] + S' + R, on the last link done[i] + R

with a window of w flits, a buffer of b flits, S' the service on link h+1 and R from a flit's leaving the buffer to the
sender's knowing. They only look back, at earlier flits and links, so that they have exactly one solution. Going through
the flits one by one finds it. Mostly it is found faster: guess ``done`` and ``home``, compute the rest link by link for
all flits at once, and if ``done`` and ``home`` come out as they were guessed, that is the solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from components.fabric.exact_time import LONG_AGO, SAFE, Times
from components.fabric.hop import Access
from components.fabric.leg import Leg
from components.fabric.leg_state import LegState
from components.fabric.route import Track
from simcore.errors import ModelBug

_GUESSES = 5
"""Enough for a leg whose window covers its path, and for one that is paced by it; else the flits are gone through."""


@dataclass(slots=True)
class Timetable:
    """Moments for the flits from number ``base`` on, one element each. What was over at the start is LONG_AGO.

    ``queue``: in front of the first link; ``starts``: of service, by link; ``landings``: at the end of the path;
    ``done``: delivered; ``homes``: the room in the buffer free again, by link, None where there is no buffer.
    """

    base: int
    queue: Times
    starts: list[Times]
    landings: Times
    done: Times
    homes: list[Times | None]


class Recurrences:
    """The recurrences of ``leg`` from ``state``, which is that of ``now``, for its flits before number ``upto``.

    Inside, a flit's index counts from ``base``: the first flit of which anything is still to come.
    """

    def __init__(self, leg: Leg, state: LegState, upto: int, now: int) -> None:
        self.leg = leg
        self.state = state
        self.now = now
        self.tracks: tuple[Track, ...] = leg.tracks[-len(state.lanes) :]
        buffered = [s.returned for s, t in zip(state.lanes, self.tracks, strict=True) if t.link.room is not None]
        self.base = min([state.delivered, *buffered])
        self.flits = upto - self.base
        self.with_last = upto == leg.flits
        """Whether the last flit, which may be shorter, is among them."""
        self.let_go = state.injected - self.base
        self.taken = state.delivered + len(state.sinking) - self.base
        """Flits that the sink has been asked for."""
        a_flit = sum(t.service + t.latency + t.credit_return for t in self.tracks)
        begin = max(now, state.fetched, state.sunk)
        longest = begin + (self.flits + len(state.entering) + len(self.tracks)) * a_flit
        self.dtype: Any = np.int64 if max(longest, leg.time.per_tick) < SAFE else object
        self._numbers = np.arange(self.flits, dtype=self.dtype)
        self._queue, self._done = self._known_queue(), self._known_done()
        self._starts, self._homes = self._known_starts(), self._known_homes()

    def solve(self) -> Timetable:
        """The solution; leaves the end points as the last of the flits leaves them."""
        before = self.leg.save_end_points()
        table = self.by_guess()
        if table is None:
            self.leg.restore_end_points(before)
            table = self.one_by_one()
        for track, lane, column in zip(self.tracks, self.state.lanes, table.starts, strict=True):
            new = column[lane.started - self.base :]
            free = np.append(max(self.now, lane.free_at), new[:-1] + track.service)
            if (new < free[: len(new)]).any():
                raise ModelBug(f"{track.link.name} would serve {self.leg.flow.name} before it is free")
        return table

    def one_by_one(self) -> Timetable:
        """The solution, flit after flit."""
        leg, tracks, base = self.leg, self.tracks, self.base
        queue, done = self._queue.tolist(), self._done.tolist()
        starts = [column.tolist() for column in self._starts]
        homes = [None if column is None else column.tolist() for column in self._homes]
        landings = [LONG_AGO] * self.flits
        free_at = [lane.free_at for lane in self.state.lanes]
        fetched, sunk = self.state.fetched, self.state.sunk
        for i in range(self.flits):
            if i >= self.let_go:
                queue[i] = done[i - leg.window]
                if self._is_fetched:
                    assert leg.source is not None
                    queue[i] = fetched = max(fetched, leg.ask(leg.source, base + i, queue[i]))
            ready = queue[i]
            for h, track in enumerate(tracks):
                service = leg.service_of(track, base + i)
                if i >= self.state.lanes[h].started - base:
                    home, behind = homes[h], homes[h - 1] if h else None
                    start = max(ready, free_at[h])
                    if home is not None and (j := i - self._places(track, i)) >= 0:
                        start = max(start, home[j])
                    starts[h][i] = start
                    free_at[h] = start + service
                    if behind is not None:
                        behind[i] = start + service + tracks[h - 1].credit_return
                ready = starts[h][i] + service + track.latency
            landings[i] = ready
            if i >= self.taken:
                done[i] = ready
                if leg.sink is not None:
                    done[i] = sunk = max(sunk, leg.ask(leg.sink, base + i, ready))
            last = homes[-1]
            if last is not None and i >= self.state.delivered - base:
                last[i] = done[i] + tracks[-1].credit_return
        named = [done, queue, *(column for column in homes if column is not None)]
        if any(max(column) >= SAFE for column in named):
            self.dtype = object  # what the end points say can lie far behind what the links take
        return Timetable(
            base,
            self._times(queue),
            [self._times(column) for column in starts],
            self._times(landings),
            self._times(done),
            [None if column is None else self._times(column) for column in homes],
        )

    def by_guess(self) -> Timetable | None:
        """The solution, if one of a few guesses is right, and if all of it fits."""
        window = self.leg.window
        used = slice(self.let_go - window, self.flits - window) if self.let_go < self.flits else slice(0)
        source = _Asked(self.leg, self.leg.source if self._is_fetched else None, self.base + self.let_go)
        sink = _Asked(self.leg, self.leg.sink, self.base + self.taken)
        done, homes = np.full(self.flits, self.now, self.dtype), self._homes
        paced = False
        for _ in range(_GUESSES):
            queue = self._queue.copy()
            fetched = source.answer(done[used], self.state.fetched)
            if fetched.dtype != self.dtype:
                return None
            queue[self.let_go :] = fetched
            starts, landings = self._link_by_link(queue, homes)
            found = self._done.copy()
            sunk = sink.answer(landings[self.taken :], self.state.sunk)
            if sunk.dtype != self.dtype:
                return None
            found[self.taken :] = sunk
            returned = self._returned(starts, found)
            if _equal(done[used], found[used]) and all(map(_equal, homes, returned)):
                return Timetable(self.base, queue, starts, landings, found, returned)
            done, homes = found if paced else self._paced(queue, landings, found), returned
            paced = True
        return None

    def _link_by_link(self, queue: Times, homes: list[Times | None]) -> tuple[list[Times], Times]:
        """The starts on each link, and the landings, if ``homes`` are as they are given."""
        ready = queue
        starts = []
        for track, lane, known, home in zip(self.tracks, self.state.lanes, self._starts, homes, strict=True):
            column = known.copy()
            first = lane.started - self.base
            if first < self.flits:
                ramp = self._numbers[first:] * track.service
                earliest = ready[first:] if home is None else np.maximum(ready[first:], self._room(track, home, first))
                slack = earliest - ramp
                slack[0] = max(slack[0], lane.free_at - ramp[0])
                column[first:] = np.maximum.accumulate(slack) + ramp
            starts.append(column)
            ready = self._ends(track, column) + track.latency
        return starts, ready

    def _paced(self, queue: Times, landings: Times, done: Times) -> Times:
        """A guess at ``done`` from what it would be if all were let go now: a flit is done as early as then, and not
        before the flit a window earlier is done and a flit has then passed the whole path."""
        window = self.leg.window
        path = sum(t.service + t.latency for t in self.tracks) + int(done[-1]) - int(landings[-1])
        if self.let_go < self.flits:
            path += int(queue[self.let_go]) - self.now
        rows = -(-self.flits // window)
        if self.dtype != object and rows * path >= SAFE:
            return done
        grid = np.full(rows * window, LONG_AGO, self.dtype)
        grid[: self.flits] = done
        ramp = (np.arange(rows, dtype=self.dtype) * path)[:, None]
        guess: Times = (np.maximum.accumulate(grid.reshape(rows, window) - ramp, axis=0) + ramp).reshape(-1)
        return guess[: self.flits]

    def _returned(self, starts: list[Times], done: Times) -> list[Times | None]:
        homes = []
        left = [self._ends(track, column) for track, column in zip(self.tracks[1:], starts[1:], strict=True)]
        for track, known, first, gone in zip(self.tracks, self._homes, self._gone(), [*left, done], strict=True):
            if known is not None:
                known = known.copy()
                known[first:] = gone[first:] + track.credit_return
            homes.append(known)
        return homes

    def _gone(self) -> list[int]:
        """For each link the flits that have left the buffer behind it."""
        started = [lane.started - self.base for lane in self.state.lanes[1:]]
        return [*started, self.state.delivered - self.base]

    def _ends(self, track: Track, starts: Times) -> Times:
        ends: Times = starts + track.service
        if self.with_last:
            ends[-1] += self.leg.last_service(track) - track.service
        return ends

    def _room(self, track: Track, home: Times, first: int) -> Times:
        """For each flit from ``first`` on the moment at which the buffer behind ``track`` has room for it."""
        limits = np.full(self.flits - first, LONG_AGO, self.dtype)
        lag = self._places(track, first) if first < self.flits - 1 or not self.with_last else 0
        waits = max(first, lag)
        if lag and waits < self.flits:
            limits[waits - first :] = home[waits - lag : self.flits - lag]
        if self.with_last:
            j = self.flits - 1 - self._places(track, self.flits - 1)
            limits[-1] = home[j] if j >= 0 else LONG_AGO
        return limits

    def _places(self, track: Track, i: int) -> int:
        """How many flits the buffer behind ``track`` holds, that of index ``i`` and those before it."""
        assert track.link.buffer_bytes is not None
        return 1 + (track.link.buffer_bytes - self.leg.bytes_of(self.base + i)) // self.leg.flit_bytes

    @property
    def _is_fetched(self) -> bool:
        return self.leg.source is not None and len(self.tracks) == len(self.leg.tracks)

    def _known_queue(self) -> Times:
        queue = self._blank()
        first = self.let_go - len(self.state.entering)
        queue[first : self.let_go] = self.state.entering[: max(0, self.flits - first)]
        return queue

    def _known_starts(self) -> list[Times]:
        starts = []
        for lane in self.state.lanes:
            column = self._blank()
            end = lane.started - self.base
            column[end - len(lane.sent) : end] = lane.sent
            starts.append(column)
        return starts

    def _known_done(self) -> Times:
        done = self._blank()
        done[self.state.delivered - self.base : self.taken] = self.state.sinking
        return done

    def _known_homes(self) -> list[Times | None]:
        homes: list[Times | None] = []
        for lane, track, gone in zip(self.state.lanes, self.tracks, self._gone(), strict=True):
            column = None
            if track.link.room is not None:
                column = self._blank()
                column[lane.returned - self.base : gone] = lane.home_due
            homes.append(column)
        return homes

    def _blank(self) -> Times:
        return np.full(self.flits, LONG_AGO, self.dtype)

    def _times(self, moments: list[int]) -> Times:
        return np.array(moments, self.dtype)


class _Asked:
    """What the end point behind ``access`` says to flits from ``first`` on; asked anew only if the moments differ."""

    def __init__(self, leg: Leg, access: Access | None, first: int) -> None:
        self._leg = leg
        self._access = access
        self._first = first
        self._before = None if access is None else access.end_point.save()
        self._last: tuple[Times, Times] | None = None

    def answer(self, moments: Times, latest: int) -> Times:
        """When they are done if they are asked for at ``moments``, each not before the last one and ``latest``."""
        access = self._access
        if access is None or not len(moments):
            return moments
        if self._last is None or not _equal(self._last[0], moments):
            access.end_point.restore(self._before)
            self._last = moments, self._leg.ask_row(access, self._first, moments, latest)
        return self._last[1]


def _equal(a: Times | None, b: Times | None) -> bool:
    return a is None or b is None or bool((a == b).all())
