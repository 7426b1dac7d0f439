"""Work ``closed_loop``: descriptor rings that feed one server of fixed service time, with a fixed delay on the way.

Each ring is the part that a NeuronCore has, filled with triggers from the start: a trigger waits for its ring's slot,
its transaction then travels to the server, is served in the order of arrival, travels back, and frees the slot.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

from pydantic import Field
from simpy.events import Event

from benches.experiments.findings import Findings
from benches.experiments.works import Home, Measured, Metric, Run, Work, as_finding
from components.core.descriptor_ring import DescriptorRing
from components.core.work import Work as Instruction
from components.quantities import Ns
from components.registry import build, lookup
from simcore.errors import InputError
from simcore.kernel import INSTANT_LIMIT, Channel, Countdown, Environment, KernelError, Timeout, Token, undrained
from simcore.units import TICKS_PER_NS, ns_to_ticks

EVENTS_PER_TRANSACTION = 8
"""More than a transaction can cause at one instant."""


class ClosedLoop(Work):
    """``rings`` rings of ``depth``, each with ``transactions`` to make; ``delay_*_ns`` before and after the service.

    The steady state is measured over the last rounds: the largest number of transactions that is a multiple of all
    slots and at most half of all transactions, so that start-up is left out and no round is cut.
    """

    metrics: ClassVar = (
        Metric("finish_ns", "end of the last transaction"),
        Metric("throughput_per_ns", "transactions per ns in the steady state"),
        Metric("throughput_gbs", "their bytes"),
        Metric("mean_per_ns", "all transactions over the time from 0 to the last end"),
        Metric("server_utilisation", "share of the time that the server is busy in the steady state"),
        Metric("ring_per_ns", "transactions per ns of one ring in the steady state", per="ring"),
    )

    rings: Annotated[int, Field(ge=1, le=1024)]
    depth: Annotated[int, Field(ge=1, le=10**6)]
    transactions: Annotated[int, Field(ge=1, le=10**6)]
    transaction_bytes: Annotated[int, Field(ge=1, le=10**12)]
    service_ns: Ns
    delay_before_ns: Ns
    delay_after_ns: Ns
    impl: str | None = None

    def ready(self, home: Home, findings: Findings) -> Run | None:
        """The run, once the ring's impl is known to be a descriptor ring."""
        try:
            entry = lookup("descriptor_ring", self.impl)
        except InputError as error:
            findings.add(("impl",), as_finding(error))
            return None
        if not issubclass(entry.part, DescriptorRing):
            findings.add(("impl",), f"{entry.home} is no DescriptorRing, whose slots this work takes")
            return None
        return self._run

    def _run(self) -> Measured:
        total = self.rings * self.transactions
        env = Environment(instant_limit=max(INSTANT_LIMIT, EVENTS_PER_TRANSACTION * total))
        server = _Server(env, self)
        left = Countdown(env, total, "transactions")
        clients = [_Client(env, f"client{r}", self._ring(env, r), server, self.transactions, left) for r in self._each]
        for client in clients:
            client.start()
        env.run(left)
        rest = undrained(env)
        if rest:
            raise KernelError("rings", env.now, f"all transactions are done, but slots are held: {'; '.join(rest)}")
        return self._measured(server, clients)

    @property
    def _each(self) -> range:
        return range(self.rings)

    def _ring(self, env: Environment, number: int) -> DescriptorRing:
        ring = build(env, "descriptor_ring", f"ring{number}", {"depth": self.depth}, {}, self.impl)
        assert isinstance(ring, DescriptorRing)
        return ring

    def _measured(self, server: _Server, clients: list[_Client]) -> Measured:
        total, finish = self.rings * self.transactions, server.ends[-1]
        window = _rounds(total, self.rings * self.depth)
        steady = _rate(server.ends, window)
        return Measured(
            single={
                "finish_ns": Fraction(finish, TICKS_PER_NS),
                "throughput_per_ns": steady,
                "throughput_gbs": None if steady is None else steady * self.transaction_bytes,
                "mean_per_ns": Fraction(total * TICKS_PER_NS, finish) if finish else None,
                "server_utilisation": None if steady is None else server.utilisation(window),
            },
            several={
                "ring_per_ns": {
                    f"ring{r}": rate
                    for r, client in enumerate(clients)
                    if (rate := _rate(client.ends, _rounds(self.transactions, self.depth))) is not None
                }
            },
        )


class _Server:
    """The server and the way to and from it.

    In ticks, for each transaction: ``served``, when its service ended, ``busy``, for how long the server had been busy
    by then, and ``ends``, when it was back.
    """

    def __init__(self, env: Environment, setup: ClosedLoop) -> None:
        self.env = env
        self.slot = Channel(env, "server")
        self.before = ns_to_ticks(setup.delay_before_ns)
        self.service = ns_to_ticks(setup.service_ns)
        self.after = ns_to_ticks(setup.delay_after_ns)
        self.served: list[int] = []
        self.busy: list[int] = []
        self.ends: list[int] = []

    def utilisation(self, window: int) -> Fraction:
        """Busy share of the time in which the last ``window`` transactions were served."""
        return Fraction(self.busy[-1] - self.busy[-1 - window], self.served[-1] - self.served[-1 - window])


class _Transaction:
    """One transaction on its way to the server and back; it is the callback of each event on that way."""

    __slots__ = ("client", "name", "server", "token", "transfer")

    token: Token

    def __init__(self, server: _Server, client: _Client, transfer: Instruction) -> None:
        self.name = transfer.name
        self.server = server
        self.client = client
        self.transfer = transfer

    def set_out(self) -> None:
        """Its trigger has started."""
        Timeout(self.server.env, self.server.before).callbacks.append(self._arrive)

    def _arrive(self, _event: Event) -> None:
        self.token = token = self.server.slot.acquire(self, self.name)
        if token.processed:
            self._serve(token)
        else:
            token.callbacks.append(self._serve)

    def _serve(self, _granted: Event) -> None:
        Timeout(self.server.env, self.server.service).callbacks.append(self._served)

    def _served(self, event: Event) -> None:
        server = self.server
        server.slot.release(self.token)
        server.served.append(server.env.now)
        server.busy.append(server.slot.busy_ticks)
        if server.after:
            Timeout(server.env, server.after).callbacks.append(self._return)
        else:
            self._return(event)

    def _return(self, _event: Event) -> None:
        self.server.ends.append(self.server.env.now)
        self.client.hear(self.transfer)


class _Client:
    """The triggers of one ring; as their lane, it learns which of them may go."""

    def __init__(
        self, env: Environment, name: str, ring: DescriptorRing, server: _Server, count: int, left: Countdown
    ) -> None:
        self.env = env
        self.name = name
        self.ends: list[int] = []
        self._server = server
        self._left = left
        self._triggers = [Instruction(k, f"trigger{k}", self, 0, 0) for k in range(count)]
        self._transfers = [Instruction(k, f"transfer{k}", self, 0, 0) for k in range(count)]
        for trigger, transfer in zip(self._triggers, self._transfers, strict=True):
            ring.enrol(trigger, transfer)

    def start(self) -> None:
        """Sends the transactions whose triggers wait for nothing."""
        for trigger in self._triggers:
            if not trigger.waits:
                self.go(trigger)

    def go(self, work: Instruction) -> None:
        """The ring has a slot for the trigger ``work``, which starts its transaction and is done."""
        work.started(self.env.now)
        _Transaction(self._server, self, self._transfers[work.index]).set_out()

    def hear(self, transfer: Instruction) -> None:
        """A transaction is back: its slot is free."""
        self.ends.append(self.env.now)
        transfer.dispatched(self.env.now)
        self._left.arrive()


def _rounds(total: int, slots: int) -> int:
    """The largest multiple of ``slots`` that is at most half of ``total``."""
    return total // 2 // slots * slots


def _rate(ends: list[int], window: int) -> Fraction | None:
    """Transactions per ns among the last ``window``, None if that is no time or no whole round."""
    took = ends[-1] - ends[-1 - window]
    return Fraction(window * TICKS_PER_NS, took) if took else None
