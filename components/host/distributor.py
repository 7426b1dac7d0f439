"""Distributor: a CPU that decodes orders, hands them out to the next level, and gathers what comes back (ADR-0048)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

from components.fabric.end_hop import EndHop
from components.host.orders import Assignment, Letter, Order, PeReport, Report
from components.quantities import Ns
from simcore.kernel import Channel, Environment, Part, Port, PortSpec, Story, Token, Waiting
from simcore.units import ns_to_ticks


class DistributorParameters(BaseModel):
    """``overhead_ns``: to decode an order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overhead_ns: Ns


@dataclass(slots=True)
class Gathering:
    """An order that is out: whom its report goes to, its receivers, and the reports that have come from them."""

    sender: str
    since_ticks: int
    receivers: tuple[str, ...]
    came: dict[str, tuple[PeReport, ...]] = field(default_factory=dict)

    @property
    def owing(self) -> list[str]:
        """Who has not reported."""
        return [receiver for receiver in self.receivers if receiver not in self.came]


P = TypeVar("P", bound=DistributorParameters)


class Distributor(Part[P], EndHop):
    """What the CPUs between the host and the PEs share. It counts orders; a report costs no time of it.

    Log rows: ``decode`` (order, receivers), ``report`` (order, PEs).
    """

    port_specs: ClassVar[tuple[PortSpec, ...]] = (PortSpec("inbox", "in", Letter), PortSpec("outbox", "out", Letter))

    def __init__(self, env: Environment, name: str, parameters: P, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self.cpu = Channel(env, f"{name}.cpu")
        self.decode_ticks = ns_to_ticks(parameters.overhead_ns)
        self._out: dict[str, Gathering] = {}
        """By the tag of the order."""
        self.ports["inbox"].hand_to(self._receive)

    def decoded(self, order: Order) -> Order:
        """What is handed out for ``order``, now that it is decoded."""
        return order

    def waiting(self) -> Iterable[Waiting]:
        """Each order that is out waits for those who have not reported."""
        for tag, gathering in self._out.items():
            for receiver in gathering.owing:
                yield Waiting(f"the report of {receiver}", tag, gathering.since_ticks)

    def _receive(self, letter: Letter) -> None:
        match letter.body:
            case Order() as order:
                self._check(letter, order)
                self.accepted += 1
                self.spawn(self._hand_out(letter.sender, order, self.cpu.acquire(self, order.tag)), order.tag)
            case Report() as report:
                self._gather(letter.sender, report)
            case _:
                raise self.error(f"a letter from {letter.sender} is neither an order nor a report: {letter.body!r}")

    def _check(self, letter: Letter, order: Order) -> None:
        if order.tag in self._out:
            raise self.error(f"order {order.tag!r} from {letter.sender} is out already")
        if not order.errands:
            raise self.error(f"order {order.tag!r} from {letter.sender} is for nobody")
        receivers = [errand.receiver for errand in order.errands]
        if len(set(receivers)) < len(receivers):
            raise self.error(f"order {order.tag!r} from {letter.sender} names a receiver twice")
        self._out[order.tag] = Gathering(letter.sender, self.env.now, tuple(receivers))

    def _hand_out(self, sender: str, order: Order, token: Token) -> Story:
        yield token
        if self.decode_ticks:
            yield self.env.timeout(self.decode_ticks)
        order = self.decoded(order)
        if self.record is not None:
            self.record((self.env.now, self.name, "decode", order.tag, len(order.errands)))
        for errand in order.errands:
            body = errand.body if isinstance(errand.body, Order) else Assignment(order.tag, errand.body)
            self.ports["outbox"].put(Letter(self.name, errand.receiver, body))
        self.cpu.release(token)

    def _gather(self, sender: str, report: Report) -> None:
        gathering = self._out.get(report.tag)
        if gathering is None or sender not in gathering.owing:
            raise self.error(f"{sender} reports on {report.tag!r}, of which it owes no report")
        gathering.came[sender] = report.reports
        if len(gathering.came) < len(gathering.receivers):
            return
        del self._out[report.tag]
        self.completed += 1
        all_reports = tuple([one for receiver in gathering.receivers for one in gathering.came[receiver]])
        if self.record is not None:
            self.record((self.env.now, self.name, "report", report.tag, len(all_reports)))
        self.ports["outbox"].put(Letter(self.name, gathering.sender, Report(report.tag, all_reports)))
