"""A leg that moves by its timetable: one event at its end, or an earlier one when somebody else needs its links."""

from __future__ import annotations

from components.fabric.exact_time import LONG_AGO, Times
from components.fabric.hop import Access
from components.fabric.leg import Leg
from components.fabric.leg_state import LaneState, LegState
from components.fabric.route import Track
from components.fabric.timetable import Recurrences

FIRST_CHUNK = 1024
"""Flits that a first plan covers at most; one that comes to its end is followed by one of four times as many."""
LARGEST_CHUNK = 16384


class Plan:
    """The timetable of ``leg`` from ``state``, which is that of ``now``, on links that it alone uses."""

    __slots__ = ("_end_points", "_origin", "_table", "_tracks", "covers_all", "due", "leg", "over")

    def __init__(self, leg: Leg, state: LegState, now: int) -> None:
        self.leg = leg
        self.over = False
        """Whether the leg goes on in another way, so that the end of the plan is not to happen."""
        self._origin = state
        self._tracks: tuple[Track, ...] = leg.tracks[-len(state.lanes) :]
        self._end_points = leg.save_end_points()
        leg.chunk = min(LARGEST_CHUNK, 4 * leg.chunk) if leg.chunk else FIRST_CHUNK
        upto = min(leg.flits, state.lanes[0].started + leg.chunk)
        self._table = Recurrences(leg, state, upto, now).solve()
        self.covers_all = upto == leg.flits
        """Whether the leg ends with it."""
        self.due = int(self._table.done[-1] if self.covers_all else self._table.starts[0][-1] + self._tracks[0].service)
        """When the last flit is done; of a plan that covers less, when the first link has served all that it covers."""

    @property
    def has_rounds(self) -> bool:
        """Whether an end point has taken no time for a flit, so that more follows at that very moment."""
        table, origin, leg = self._table, self._origin, self.leg
        taken = origin.delivered + len(origin.sinking) - table.base
        rounds = leg.sink is not None and bool((table.done[taken:] == table.landings[taken:]).any())
        asked = origin.injected - table.base
        if self._fetches and asked < len(table.done):
            asked_at = table.done[asked - leg.window : len(table.done) - leg.window]
            rounds = rounds or bool((table.queue[asked:] == asked_at).any())
        return rounds

    def discard(self) -> None:
        """It is not carried out: takes the end points back."""
        self.over = True
        self.leg.restore_end_points(self._end_points)

    @property
    def _fetches(self) -> bool:
        return self.leg.source is not None and len(self._tracks) == len(self.leg.tracks)

    def on_due(self, now: int) -> None:
        """Its end has come."""
        if not self.over:
            self.leg.owner.plan_due(self, now)

    def finish(self) -> None:
        """Every flit is delivered and none is in a buffer: the links are left."""
        self._account([self.leg.flits] * len(self._tracks))
        for track in self._tracks:
            self.leg.leave(track)

    def state_at(self, now: int, *, decided: bool) -> LegState:
        """How the leg stands at ``now``; ``decided``: what happens at ``now`` itself has happened.

        Takes the end points back to that moment, and puts on the links' account what has been sent until then.
        """
        leg, table, origin = self.leg, self._table, self._origin
        until = now + decided  # what is due before it has happened
        started = [self._count(column, until) for column in table.starts]
        delivered = self._count(table.done, until)
        gone = [*started[1:], delivered]
        lanes = [self._lane_at(place, started[place], gone[place], until) for place in range(len(started))]
        injected = max(origin.injected, min(leg.flits, delivered + leg.window))
        landed = started[-1] - len(lanes[-1].sent)
        leg.restore_end_points(self._end_points)
        fetched = self._fetch_again(injected)
        sunk = self._sink_again(landed)
        self._account(started)
        return LegState(
            injected,
            [due for due in (*origin.entering, *fetched) if due >= until],
            lanes,
            table.done[delivered - table.base : landed - table.base].tolist(),
            delivered,
            max([origin.fetched, *fetched[-1:]]),
            max([origin.sunk, *sunk[-1:]]),
        )

    def _count(self, column: Times, until: int) -> int:
        """Number of the first flit whose moment is not before ``until``."""
        return self._table.base + int(column.searchsorted(until))

    def _lane_at(self, place: int, started: int, gone: int, until: int) -> LaneState:
        leg, track, base = self.leg, self._tracks[place], self._table.base
        column, home = self._table.starts[place], self._table.homes[place]
        arrived = self._count(column[: started - base], until - track.service - track.latency)
        free_at = LONG_AGO
        if started > base:
            last = int(column[started - base - 1])
            end = last + leg.service_of(track, started - 1)
            if end >= until:
                free_at = end
            if started == leg.flits and end + track.latency < until:
                arrived = started  # the last flit may be shorter than the count takes it to be
        sent = column[arrived - base : started - base].tolist()
        if home is None:
            return LaneState(started, sent, free_at, 0, [])
        returned = self._count(home, until)
        return LaneState(started, sent, free_at, returned, home[returned - base : gone - base].tolist())

    def _fetch_again(self, injected: int) -> list[int]:
        """Asks the source for the flits that the window has let go since the plan began."""
        leg, table, origin = self.leg, self._table, self._origin
        if leg.source is None or not self._fetches:
            return []
        place = origin.injected - leg.window - table.base
        return self._ask_again(leg.source, origin.injected, injected, table.done, place, origin.fetched)

    def _sink_again(self, landed: int) -> list[int]:
        """Has the sink take the flits that have arrived since the plan began."""
        leg, table, origin = self.leg, self._table, self._origin
        if leg.sink is None:
            return []
        taken = origin.delivered + len(origin.sinking)
        return self._ask_again(leg.sink, taken, landed, table.landings, taken - table.base, origin.sunk)

    def _ask_again(self, access: Access, first: int, end: int, moments: Times, place: int, latest: int) -> list[int]:
        if end <= first:
            return []
        named: list[int] = self.leg.ask_row(access, first, moments[place : place + end - first], latest).tolist()
        return named

    def _account(self, started: list[int]) -> None:
        leg, skipped = self.leg, len(self.leg.tracks) - len(self._tracks)
        for place, (now, lane) in enumerate(zip(started, self._origin.lanes, strict=True)):
            track, column = self._tracks[place], self._table.starts[place]
            track.link.moved_bytes += leg.bytes_between(lane.started, now)
            if lane.started < now == leg.flits:
                leg.last_ends[skipped + place] = int(column[-1]) + leg.last_service(track)
            elif lane.started == leg.flits and lane.free_at != LONG_AGO:
                leg.last_ends[skipped + place] = lane.free_at
            if not lane.started and now:
                leg.began[skipped + place] = int(column[0])
