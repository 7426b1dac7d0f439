"""Arbitration: whose flit a link serves next. Both kinds are rings; what stands in the ring differs.

Whoever has something to send stands in the ring once. The first of the ring is served one flit and leaves it; when that
flit has been served he goes to the end of the ring if he has more, behind everybody who has arrived up to and including
that instant. Those who join at one instant join in their fixed order.
"""

from __future__ import annotations

from collections import deque
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from components.fabric.flit_run import Lane
    from components.fabric.link import LinkBase

BY_KEY = attrgetter("key")


class Port:
    """One input of a link's router: the flits that came in there and want this link, in the order of arrival."""

    __slots__ = ("key", "waiting")

    def __init__(self, key: int) -> None:
        self.key = key
        self.waiting: deque[Lane] = deque()
        """One entry for each flit: the lane that it belongs to."""


class Turns(Protocol):
    """Whose turn it is at one link."""

    def port_behind(self, link: LinkBase[Any] | None) -> Port | None:
        """The port of flits that come from ``link``, or start here (None), for those who queue at ports."""

    def take(self, lanes: list[Lane]) -> None:
        """Queues the ``arriving`` flits of ``lanes``, which are all that arrive at this instant."""

    def first(self) -> Lane | None:
        """Whose flit is next, None if there is none; only asked while the link is idle."""

    def grant(self) -> None:
        """Takes the flit that :meth:`first` named out of its queue: it is being served."""

    def resume(self, lane: Lane, waiting: int, *, serves: bool) -> None:
        """Empty so far, it holds ``waiting`` flits of ``lane``, besides one that is being served if it ``serves``."""

    def clear(self) -> None:
        """Forgets all flits."""


class FlowTurns:
    """``flow_round_robin``: flows take turns."""

    __slots__ = ("_ring", "_served")

    def __init__(self) -> None:
        self._ring: deque[Lane] = deque()
        self._served: Lane | None = None

    def port_behind(self, link: LinkBase[Any] | None) -> Port | None:
        """Flows do not queue at ports."""
        return None

    def take(self, lanes: list[Lane]) -> None:
        """A flow that had nothing here joins the ring, in the order of the flows."""
        if len(lanes) > 1:
            lanes.sort(key=BY_KEY)
        for lane in lanes:
            if not lane.waiting and lane is not self._served:
                self._ring.append(lane)
            lane.waiting += lane.arriving
            lane.arriving = 0

    def first(self) -> Lane | None:
        """The flow that was served last rejoins before the question is answered."""
        served = self._served
        if served is not None:
            self._served = None
            if served.waiting:
                self._ring.append(served)
        return self._ring[0] if self._ring else None

    def grant(self) -> None:
        """The first flow's next flit."""
        lane = self._ring.popleft()
        lane.waiting -= 1
        self._served = lane

    def resume(self, lane: Lane, waiting: int, *, serves: bool) -> None:
        """The flow is the only one here."""
        lane.waiting = waiting
        if serves:
            self._served = lane
        elif waiting:
            self._ring.append(lane)

    def clear(self) -> None:
        """Forgets all flits."""
        self._ring.clear()
        self._served = None


class PortTurns:
    """``port_round_robin``: input ports take turns, flits of one port go in the order of their arrival.

    Ports are ordered: first the one for what starts here, then the links in the order in which they were connected.
    With ``one_port`` all flits share a port: ``fifo``.
    """

    __slots__ = ("_one_port", "_ports", "_ring", "_served")

    def __init__(self, *, one_port: bool) -> None:
        self._one_port = one_port
        self._ports: dict[int, Port] = {}
        self._ring: deque[Port] = deque()
        self._served: Port | None = None

    def port_behind(self, link: LinkBase[Any] | None) -> Port | None:
        """The port for what comes from ``link``."""
        key = -1 if link is None or self._one_port else link.number
        return self._ports.setdefault(key, Port(key))

    def take(self, lanes: list[Lane]) -> None:
        """Flits that arrive at one port at one instant go in the order of their flows."""
        if len(lanes) > 1:
            lanes.sort(key=BY_KEY)
        joining: list[Port] = []
        for lane in lanes:
            port = lane.port
            assert port is not None
            if not port.waiting and port is not self._served:
                joining.append(port)
            port.waiting.extend([lane] * lane.arriving)
            lane.arriving = 0
        if len(joining) > 1:
            joining.sort(key=BY_KEY)
        self._ring.extend(joining)

    def first(self) -> Lane | None:
        """The port that was served last rejoins before the question is answered."""
        served = self._served
        if served is not None:
            self._served = None
            if served.waiting:
                self._ring.append(served)
        return self._ring[0].waiting[0] if self._ring else None

    def grant(self) -> None:
        """The first port's oldest flit."""
        port = self._ring.popleft()
        port.waiting.popleft()
        self._served = port

    def resume(self, lane: Lane, waiting: int, *, serves: bool) -> None:
        """The port of ``lane`` is the only one that holds flits."""
        port = lane.port
        assert port is not None
        port.waiting.extend([lane] * waiting)
        if serves:
            self._served = port
        elif waiting:
            self._ring.append(port)

    def clear(self) -> None:
        """Forgets all flits."""
        for port in self._ports.values():
            port.waiting.clear()
        self._ring.clear()
        self._served = None
