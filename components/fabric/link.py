"""Link: one server for one direction of a connection (ADR-0044); its arbitration and its buffer are ADR-0045.

First action of a link: it creates the turns that its arbitration names. At every instant at which something has come to
it, it queues all that has arrived and then, if it is idle and may send, serves one flit: bytes divided by bandwidth,
exactly. The flit is at the far end after the propagation and the overhead. A ``credited`` link starts a flit only when
the input buffer at its far end has room for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from components.fabric.calendar import Calendar
from components.fabric.exact_time import LONG_AGO, ExactTime
from components.fabric.turns import FlowTurns, PortTurns, Turns
from components.quantities import Gbs, Ns
from components.registry import register
from simcore.errors import ModelBug
from simcore.kernel import Environment, Part, Port, Waiting
from simcore.units import ns_to_ticks

if TYPE_CHECKING:
    from components.fabric.flit_run import Lane
    from components.fabric.hop import Hop
    from components.fabric.leg import Leg

Arbitration = Literal["flow_round_robin", "port_round_robin", "fifo"]


class LinkParameters(BaseModel):
    """``bw_gbs``: 0 means no delay. ``propagation_ns`` and ``overhead_ns``: from the end of service to the far end."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bw_gbs: Gbs
    propagation_ns: Ns
    overhead_ns: Ns
    arbitration: Arbitration


class CreditedLinkParameters(LinkParameters):
    """``buffer_bytes``: room at the far end. ``credit_return_ns``: from a flit's leaving it to the sender's knowing."""

    buffer_bytes: Annotated[int, Field(ge=1, strict=True)]
    credit_return_ns: Ns


P = TypeVar("P", bound=LinkParameters)


class LinkBase(Part[P]):
    """What both kinds of link share: everything but whether there is a buffer.

    ``accepted`` and ``completed`` count transfers; ``moved_bytes`` what was put on the link. Log row: ``carried``
    (transfer, bytes, how many ps ago the first flit was begun with and the last one was through), when it has ended.
    """

    buffer_bytes: int | None
    credit_return_ticks: int

    def __init__(self, env: Environment, name: str, parameters: P, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self.turns: Turns = (
            FlowTurns()
            if parameters.arbitration == "flow_round_robin"
            else PortTurns(one_port=parameters.arbitration == "fifo")
        )
        self.latency_ticks = ns_to_ticks(parameters.propagation_ns) + ns_to_ticks(parameters.overhead_ns)
        self.moved_bytes = 0
        self.number = -1
        """Its place among the links of its fabric, in the order of connection."""
        self.source: Hop | None = None
        self.destination: Hop | None = None
        self.users: dict[Leg, None] = {}
        """Legs that still have flits to send here, or flits in the buffer."""
        self.arriving: list[Lane] = []
        """Lanes with flits that have arrived at this instant."""
        self.serving: Lane | None = None
        self.free_at = LONG_AGO
        """When the service that is on, or was on last, ends."""
        self.room: int | None = None
        """Bytes of the buffer that are not taken; None: there is no end to it."""
        self.held_since: int | None = None
        """Since when the next flit could be served if there were room for it."""
        self.to_decide = False
        """Whether it stands in the calendar's list already."""

    def join(self, calendar: Calendar, number: int, source: Hop, destination: Hop) -> None:
        """Becomes the link from ``source`` to ``destination`` in the fabric that keeps ``calendar``."""
        if self.source is not None and self.destination is not None:
            raise self.error(f"is connected already, from {self.source.name} to {self.destination.name}")
        self.calendar = calendar
        self.number = number
        self.source, self.destination = source, destination
        self.room = self.buffer_bytes

    def exact_rate(self, time: ExactTime) -> int:
        """Units of ``time`` per byte."""
        return time.per_byte(self.parameters.bw_gbs)

    def stir(self) -> None:
        """Something has come to it at this instant: it will decide in the second half."""
        if not self.to_decide:
            self.to_decide = True
            self.calendar.deciding.append(self)

    def decide(self, now: int) -> None:
        """Queues what has arrived; then serves the next flit if it is idle and the buffer has room."""
        self.to_decide = False
        if self.arriving:
            self.turns.take(self.arriving)
            self.arriving.clear()
        if self.serving is None and (lane := self.turns.first()) is not None:
            if self.room is not None:
                nbytes = lane.leg.bytes_of(lane.started)
                if nbytes > self.room:
                    if self.held_since is None:
                        self.held_since = now
                    return
                self.room -= nbytes
                if self.held_since is not None:
                    self._tell_held(now - self.held_since)
            if now < self.free_at:
                raise ModelBug(f"{self.name} serves {lane.leg.flow.name} before it is free")
            self.turns.grant()
            self.serving = lane
            lane.serve(now)

    def _tell_held(self, length: int) -> None:
        """It was held for ``length``: whoever needs it has been, whosever flit was the next."""
        self.held_since = None
        for leg in self.users:
            leg.held[self] = leg.held.get(self, 0) + length

    def refuse(self, flit_bytes: int, name: str) -> None:
        """Raises PartError if a flit of ``flit_bytes`` of the transfer called ``name`` can never be sent."""
        if self.buffer_bytes is not None and flit_bytes > self.buffer_bytes:
            raise self.error(
                f"the buffer behind it ({self.buffer_bytes} bytes) can never hold a flit of {flit_bytes} bytes "
                f"of transfer {name!r} (make buffer_bytes at least as large as a flit)"
            )

    def waiting(self) -> Iterable[Waiting]:
        """While there is no room for the next flit: each link that the flits in the buffer wait for."""
        lane = self.turns.first() if self.serving is None else None
        if lane is not None:
            for link in {follower.link: None for follower in self._followers()}:
                yield Waiting(link, lane.leg.flow.name, lane.leg.time.ticks(max(0, self.free_at)))

    def _followers(self) -> Iterable[Lane]:
        """The lanes that flits in the buffer are waiting in."""
        for leg in self.users:
            if leg.run is not None:
                for lane in leg.run.lanes:
                    if lane.link is self and lane.following is not None and lane.started > lane.following.started:
                        yield lane.following


@register("link", "unbounded", default=True)
class Link(LinkBase[LinkParameters]):
    """A link whose far end takes whatever comes."""

    buffer_bytes = None
    credit_return_ticks = 0


@register("link", "credited")
class CreditedLink(LinkBase[CreditedLinkParameters]):
    """A link with a finite input buffer at its far end and a credit for every byte of it."""

    def __init__(
        self, env: Environment, name: str, parameters: CreditedLinkParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.buffer_bytes = parameters.buffer_bytes
        self.credit_return_ticks = ns_to_ticks(parameters.credit_return_ns)
