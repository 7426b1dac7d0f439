"""A leg that moves flit by flit. Flits of a leg never overtake each other, so that counters stand for them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from components.fabric.exact_time import LONG_AGO

if TYPE_CHECKING:
    from components.fabric.leg import Leg
    from components.fabric.turns import Port


@dataclass(order=True, slots=True)
class Asking:
    """Flits of a run that an end point is to serve; of one run, what it has received before what it is to send."""

    key: tuple[int, int]
    sends: bool
    flits: int = field(compare=False)
    run: FlitRun = field(compare=False)

    def serve(self, now: int) -> None:
        """Asks the end point at ``now``."""
        (self.run.fetch if self.sends else self.run.sink)(self.flits, now)


class Lane:
    """A run on one of its links."""

    __slots__ = (
        "arriving", "calendar", "flits", "following", "home_due", "key", "leg", "link", "on_arrived", "on_ended",
        "on_home", "place", "port", "preceding", "returned", "run", "sent", "started", "track", "waiting",
    )  # fmt: skip

    def __init__(self, run: FlitRun, place: int, preceding: Lane | None) -> None:
        leg = run.leg
        self.run = run
        self.leg = leg
        self.calendar = run.calendar
        self.place = place
        self.track = track = leg.tracks[place]
        self.link = track.link
        self.flits = leg.flits
        self.key = (*leg.key, place)
        self.preceding = preceding
        self.following: Lane | None = None
        behind = leg.tracks[place - 1].link if place else None
        self.port: Port | None = self.link.turns.port_behind(behind)
        self.arriving = 0
        """Flits that have arrived at this instant."""
        self.waiting = 0
        """Flits in the queue; kept by turns that count by flow."""
        self.started = 0
        """Flits whose service has begun."""
        self.returned = 0
        """Flits whose room in the buffer behind the link is free again."""
        self.sent: list[int] = []
        """Starts of service of the flits that have started and not arrived, if the track has a latency."""
        self.home_due: list[int] = []
        """When the room of the flits from number ``returned`` on will be the sender's again, as far as known."""
        self.on_ended = self._ended
        self.on_arrived = self._arrived
        self.on_home = self._home

    def serve(self, now: int) -> None:
        """The link serves the next flit from ``now`` on."""
        link, track = self.link, self.track
        self.started = number = self.started + 1
        if number < self.flits:
            end = now + track.service
            link.moved_bytes += self.leg.flit_bytes
        else:
            end = now + self.leg.last_service(track)
            link.moved_bytes += self.leg.last_bytes
        if number == 1:
            self.leg.began[self.place] = now
        link.free_at = end
        at = self.calendar.at
        at(end, self.on_ended)
        if track.latency:
            self.sent.append(now)
            at(end + track.latency, self.on_arrived)
        preceding = self.preceding
        if preceding is not None and preceding.link.room is not None:
            preceding.expect_home(end)

    def expect_home(self, left: int) -> None:
        """A flit leaves the buffer behind the link at ``left``."""
        due = left + self.track.credit_return
        self.home_due.append(due)
        self.calendar.at(due, self.on_home)

    def _ended(self, now: int) -> None:
        """The link has served a flit."""
        if self.run.over:
            return
        link = self.link
        link.serving = None
        if not link.to_decide:  # stir(), spelt out: this is the busiest place of the fabric
            link.to_decide = True
            self.calendar.deciding.append(link)
        if self.started == self.flits:
            self.leg.last_ends[self.place] = now
            if link.room is None:
                self.leg.leave(self.track)
        if not self.track.latency:
            if self.following is not None:
                self.following.take(1)
            else:
                self.run.land(now)

    def _arrived(self, now: int) -> None:
        """A flit has passed the latency."""
        if not self.run.over:
            del self.sent[0]
            if self.following is not None:
                self.following.take(1)
            else:
                self.run.land(now)

    def take(self, flits: int) -> None:
        """``flits`` flits arrive in front of the link."""
        if not self.arriving:
            link = self.link
            link.arriving.append(self)
            if not link.to_decide:
                link.to_decide = True
                self.calendar.deciding.append(link)
        self.arriving += flits

    def _home(self, now: int) -> None:
        """The room of a flit is the sender's again."""
        if self.run.over:
            return
        assert self.link.room is not None
        del self.home_due[0]
        self.link.room += self.leg.bytes_of(self.returned)
        self.returned += 1
        self.link.stir()
        if self.returned == self.flits:
            self.leg.leave(self.track)


class FlitRun:
    """A leg's flits, as they stand. ``over``: what the calendar still holds of it is not to happen."""

    __slots__ = (
        "asked", "calendar", "delivered", "fetched", "fetching", "injected", "lanes", "leg", "on_fetched", "on_sunk",
        "over", "sinking", "sunk",
    )  # fmt: skip

    def __init__(self, leg: Leg) -> None:
        self.leg = leg
        self.calendar = leg.owner.calendar
        self.over = False
        self.injected = 0
        """Flits that the window has let go; those that a source serves are asked for."""
        self.asked = 0
        """Flits that the source has been asked for."""
        self.delivered = 0
        self.fetching: deque[int] = deque()
        """When the flits that the source has been asked for will be in front of the first link."""
        self.sinking: deque[int] = deque()
        """When the flits that the sink has been asked to take will be delivered."""
        self.fetched = LONG_AGO
        """The latest moment that the source has named."""
        self.sunk = LONG_AGO
        """The latest moment that the sink has named."""
        self.on_fetched = self._fetched
        self.on_sunk = self._sunk
        self.lanes: list[Lane] = []
        for place in range(len(leg.tracks)):
            self.lanes.append(Lane(self, place, self.lanes[-1] if place else None))
        for lane, following in zip(self.lanes, self.lanes[1:], strict=False):
            lane.following = following

    def discard(self) -> None:
        """The leg goes on in another way: takes its flits off the links, and out of what is still to happen."""
        self.over = True
        for lane in self.lanes:
            if self.leg in lane.link.users:
                lane.link.serving = lane.link.held_since = None
                lane.link.turns.clear()

    def inject(self) -> None:
        """Lets go what the window lets go."""
        flits = min(self.leg.flits, self.delivered + self.leg.window) - self.injected
        if flits > 0:
            self.injected += flits
            if self.leg.source is None:
                self.lanes[0].take(flits)
            else:
                self._ask(sends=True, flits=flits)

    def _ask(self, *, sends: bool, flits: int) -> None:
        self.calendar.asking.append(Asking(self.leg.key, sends, flits, self))

    def fetch(self, flits: int, now: int) -> None:
        """The source serves the next ``flits`` flits, asked at ``now``."""
        leg = self.leg
        assert leg.source is not None
        for _ in range(flits):
            self.fetched = max(self.fetched, leg.ask(leg.source, self.asked, now))
            self.asked += 1
            self.fetching.append(self.fetched)
            self.calendar.at(self.fetched, self.on_fetched)

    def _fetched(self, now: int) -> None:
        if not self.over:
            self.fetching.popleft()
            self.lanes[0].take(1)

    def land(self, now: int) -> None:
        """A flit has arrived at the end of the path."""
        if self.leg.sink is None:
            self._deliver(now)
        else:
            self._ask(sends=False, flits=1)

    def sink(self, flits: int, now: int) -> None:
        """The sink serves the next ``flits`` flits, which have arrived at ``now``."""
        leg = self.leg
        assert leg.sink is not None
        for _ in range(flits):
            flit = self.delivered + len(self.sinking)
            self.sunk = max(self.sunk, leg.ask(leg.sink, flit, now))
            self.sinking.append(self.sunk)
            self.calendar.at(self.sunk, self.on_sunk)

    def _sunk(self, now: int) -> None:
        if not self.over:
            self.sinking.popleft()
            self._deliver(now)

    def _deliver(self, now: int) -> None:
        self.delivered += 1
        last = self.lanes[-1]
        if last.link.room is not None:
            last.expect_home(now)
        if self.injected < self.leg.flits:
            self.inject()
        if self.delivered == self.leg.flits:
            self.leg.owner.end_leg(self.leg, now)
