"""A leg: the part of a flow's path between two parts that hold it as a whole; most flows have one.

It is what the fabric moves: so many flits over so many links. It moves either flit by flit (``run``) or, while nobody
else uses its links, by a table of all its times (``plan``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from components.fabric.exact_time import SAFE, ExactTime, Times
from components.fabric.hop import RowAccess
from simcore.errors import ModelBug

if TYPE_CHECKING:
    from components.fabric.calendar import Calendar
    from components.fabric.flit_run import FlitRun
    from components.fabric.flow import Flow
    from components.fabric.hop import Access, EndPoint
    from components.fabric.link import LinkBase
    from components.fabric.plan import Plan
    from components.fabric.route import Track


EndPoints = tuple[object, ...]
"""What the end points of a leg saved: that of the source, that of the sink."""


class Owner(Protocol):
    """Whom a leg tells about itself."""

    calendar: Calendar

    def begin_leg(self, leg: Leg, now: int) -> None:
        """All of it is at its first part, and may leave."""

    def end_leg(self, leg: Leg, now: int) -> None:
        """All of it is delivered at its last part."""

    def plan_due(self, plan: Plan, now: int) -> None:
        """The end of its plan has come."""

    def relieve(self, leg: Leg) -> None:
        """It has become the only user of a link."""


class Leg:
    """``flits`` flits over ``tracks``, in order. ``key`` decides between flits that arrive at one instant."""

    __slots__ = (
        "began", "chunk", "flit_bytes", "flits", "flow", "held", "key", "last_bytes", "last_ends", "owner", "plan",
        "run", "sink", "source", "steady", "time", "tracks", "window",
    )  # fmt: skip

    def __init__(
        self,
        owner: Owner,
        flow: Flow,
        key: tuple[int, int],
        tracks: tuple[Track, ...],
        flit_bytes: int,
        source: Access | None,
        sink: Access | None,
        time: ExactTime,
    ) -> None:
        self.owner = owner
        self.flow = flow
        self.key = key
        self.tracks = tracks
        self.flits = max(1, -(-flow.nbytes // flit_bytes))
        self.flit_bytes = flit_bytes
        self.last_bytes = flow.nbytes - (self.flits - 1) * flit_bytes
        self.window = self.flits if flow.window_flits is None else min(flow.window_flits, self.flits)
        self.source = source
        self.sink = sink
        self.time = time
        self.run: FlitRun | None = None
        self.plan: Plan | None = None
        self.chunk = 0
        """Flits that the next plan is to cover at most; 0 until there was one."""
        self.steady = all(track.service for track in tracks)
        """Whether every link takes time for a flit, so that nothing follows from a service at the same moment."""
        self.began = [0] * len(tracks)
        """When each link began with the first flit."""
        self.last_ends = [0] * len(tracks)
        """When each link had served the last one."""
        self.held: dict[LinkBase[Any], int] = {}
        """For how long each link that it still needed was idle for want of room, while it moved flit by flit."""

    def begin(self, now: int) -> None:
        """All of it is at its first part, and may leave."""
        self.owner.begin_leg(self, now)

    def bytes_of(self, flit: int) -> int:
        """Size of the flit of that number."""
        return self.flit_bytes if flit < self.flits - 1 else self.last_bytes

    def bytes_between(self, first: int, end: int) -> int:
        """Size of the flits from number ``first`` to before ``end``."""
        return min(end * self.flit_bytes, self.flow.nbytes) - min(first * self.flit_bytes, self.flow.nbytes)

    def service_of(self, track: Track, flit: int) -> int:
        """How long ``track`` serves the flit of that number."""
        return track.service if flit < self.flits - 1 else self.last_service(track)

    def last_service(self, track: Track) -> int:
        """How long ``track`` serves the last flit."""
        return track.per_byte * self.last_bytes

    def ask(self, access: Access, flit: int, now: int) -> int:
        """When the end point of ``access``, asked at ``now``, is done with the flit of that number."""
        at = self.time.ticks(now)
        done = access.serve(flit, self.bytes_of(flit), at)
        if type(done) is not int or done < at:
            raise ModelBug(f"{access.end_point.name} says that flit {flit}, asked for at {at} ps, is done at {done!r}")
        return self.time.moment(done)

    def ask_row(self, access: Access, first: int, moments: Times, latest: int) -> Times:
        """When the flits from number ``first`` on are done that are asked for at ``moments``.

        Flits are done in order, and none before ``latest``. All of one size are asked for at once if the access can.
        Gives Python integers where ``moments`` are those, or where it names moments that could leave 64 bits.
        """
        ticks = np.empty(0, np.int64)
        if isinstance(access, RowAccess):
            ticks = self._ask_whole(access, first, moments[: self.flits - 1 - first])
        rest = enumerate(moments[len(ticks) :].tolist(), first + len(ticks))
        last = [self.ask(access, flit, at) for flit, at in rest]
        named = max([latest, *last, self.time.moment(int(ticks.max(initial=0)))])
        done = np.empty(len(moments), moments.dtype if named < SAFE else object)
        done[: len(ticks)] = ticks.astype(done.dtype) * self.time.per_tick
        done[len(ticks) :] = last
        in_order: Times = np.maximum(np.maximum.accumulate(done), latest)
        return in_order

    def _ask_whole(self, access: RowAccess, first: int, moments: Times) -> Times:
        """In ticks."""
        at = (-(-moments // self.time.per_tick)).astype(np.int64)
        done = access.serve_row(first, self.flit_bytes, at)
        if done.shape != at.shape or (done < at).any():
            raise ModelBug(f"{access.end_point.name} says that flits are done before they were asked for")
        return done

    def end_points(self) -> list[EndPoint]:
        """The parts that take time for each of its flits."""
        return [access.end_point for access in (self.source, self.sink) if access is not None]

    def save_end_points(self) -> EndPoints:
        """How its source and its sink stand."""
        return tuple(None if access is None else access.end_point.save() for access in (self.source, self.sink))

    def restore_end_points(self, saved: EndPoints) -> None:
        """Takes its source and its sink back to where they stood."""
        for access, state in zip((self.source, self.sink), saved, strict=True):
            if access is not None:
                access.end_point.restore(state)

    def leave(self, track: Track) -> None:
        """It needs the link of ``track`` no longer."""
        link = track.link
        del link.users[self]
        link.completed += 1
        if len(link.users) == 1:
            (other,) = link.users
            self.owner.relieve(other)
