"""TCM: the scratchpad of a PE tile, a read channel and a write channel (ADR-0040).

First action: creates the two channels, one slot each. Requests of one direction are served one after the other in the
order of arrival, a read and a write overlap. Only time is modelled: no data are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field
from simpy.events import Event

from components.quantities import Gbs, Ns
from components.registry import register
from components.transaction import Transaction
from simcore.errors import hint
from simcore.kernel import Channel, Environment, Part, PartError, Port, PortSpec, Token
from simcore.units import ns_to_ticks, service_ticks

DIRECTIONS = ("read", "write")


class TcmParameters(BaseModel):
    """``*_bw_gbs``: rate of each direction, 0: no delay. ``overhead_ns``: delay of a transaction that passes by."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    read_bw_gbs: Gbs = Field(Fraction(512), description="ADR-0040 D3")
    write_bw_gbs: Gbs = Field(Fraction(512), description="ADR-0040 D3")
    overhead_ns: Ns = Field(Fraction(0), description="ADR-0040 D5")


@dataclass(slots=True, eq=False)
class TcmRequest:
    """The time to move ``nbytes`` in ``direction`` (``read`` or ``write``), asked for on behalf of ``tag``.

    ``done`` happens when they have moved. It belongs to the TCM from the request on, and it is triggered, in SimPy's
    sense, as soon as that time is known: wait for it, do not poll it.
    """

    direction: str
    nbytes: int
    done: Event
    tag: str = ""


@dataclass(slots=True, eq=False)
class Way:
    """One direction of a TCM: the channel that it takes, its service time by bytes, and what it has moved so far."""

    channel: Channel
    ticks: Callable[[int], int]
    moved_bytes: int = 0


@register("tcm", "dual_channel", default=True)
class Tcm(Part[TcmParameters]):
    """A TCM. It counts requests and passing transactions alike; ``ways`` holds each direction's account.

    Log rows of its own: ``done`` (tag, direction, bytes) and ``pass`` (tag, bytes); its channels add theirs.
    """

    port_specs = (
        PortSpec("requests", "in", TcmRequest),
        PortSpec("transactions_in", "in", Transaction, optional=True),
        PortSpec("transactions_out", "out", Transaction, optional=True),
    )

    def __init__(self, env: Environment, name: str, parameters: TcmParameters, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        read, write = self.channels()
        self.ways = {
            "read": Way(read, _service(parameters.read_bw_gbs)),
            "write": Way(write, _service(parameters.write_bw_gbs)),
        }
        self.passed_bytes = 0
        self._overhead_ticks = ns_to_ticks(parameters.overhead_ns)
        self.ports["requests"].hand_to(self._accept)
        if ("transactions_in" in ports) != ("transactions_out" in ports):
            raise self.error("a transaction that comes in must go out: connect both transaction ports, or neither")
        if "transactions_in" in ports:
            self.ports["transactions_in"].hand_to(self._pass)

    def channels(self) -> tuple[Channel, Channel]:
        """The channels that reads and writes take."""
        return Channel(self.env, f"{self.name}.read"), Channel(self.env, f"{self.name}.write")

    def _accept(self, request: TcmRequest) -> None:
        self._check(request)
        self.accepted += 1
        way = self.ways[request.direction]
        token = way.channel.acquire(self, request.tag)
        access = _Access(self, request, way, token)
        if token.processed:
            access.begin(token)
        else:
            token.callbacks.append(access.begin)

    def _check(self, request: TcmRequest) -> None:
        if request.direction not in DIRECTIONS:
            raise self.refusal(request, f"direction {request.direction!r} {hint(request.direction, DIRECTIONS)}")
        if type(request.nbytes) is not int or request.nbytes < 0:
            raise self.refusal(request, f"nbytes {request.nbytes!r} (an int, 0 or more)")
        if not isinstance(request.done, Event):
            raise self.refusal(request, f"done is of type {type(request.done).__name__} (an event)")
        if request.done.triggered:
            raise self.refusal(request, "done was already made to happen (an event that is still to happen)")

    def refusal(self, request: TcmRequest, what: str) -> PartError:
        """The error for a request that cannot be served, to be raised."""
        return self.error(f"request {request.tag!r}: {what}")

    def _pass(self, transaction: Transaction) -> None:
        """Hands ``transaction`` on after the overhead; it takes no channel, and others may pass beside it."""
        self.accepted += 1
        passed = self.env.event()
        passed.callbacks.append(self._hand_on)
        self.env.succeed_in(passed, self._overhead_ticks, transaction)

    def _hand_on(self, passed: Event) -> None:
        transaction = cast(Transaction, passed.value)
        self.completed += 1
        self.passed_bytes += transaction.nbytes
        if self.record is not None:
            self.record((self.env.now, self.name, "pass", transaction.tag, transaction.nbytes))
        self.ports["transactions_out"].put(transaction)


class _Access:
    """A request from its grant to its end."""

    __slots__ = ("name", "request", "tcm", "token", "way")

    def __init__(self, tcm: Tcm, request: TcmRequest, way: Way, token: Token) -> None:
        self.name = tcm.name  # reports ask for it, since this is behind the TCM's callbacks
        self.tcm = tcm
        self.request = request
        self.way = way
        self.token = token

    def begin(self, _granted: Event) -> None:
        """The channel is granted; without a delay it is released in the same turn."""
        done = self.request.done
        if done.triggered:
            raise self.tcm.refusal(self.request, "done was made to happen by somebody else while it waited")
        ticks = self.way.ticks(self.request.nbytes)
        if ticks:
            self.tcm.env.succeed_in(done, ticks)
            done.callbacks.insert(0, self.end)  # the channel is free before those who wait for done go on
        else:
            self.end(done)
            done.succeed()

    def end(self, _done: Event) -> None:
        """The bytes have moved."""
        tcm, request, way = self.tcm, self.request, self.way
        way.channel.release(self.token)
        way.moved_bytes += request.nbytes
        tcm.completed += 1
        if tcm.record is not None:
            tcm.record((tcm.env.now, tcm.name, "done", request.tag, request.direction, request.nbytes))


def _service(bw_gbs: Fraction) -> Callable[[int], int]:
    """Ticks by bytes. The sizes of a program's tiles repeat, and the exact division costs as much as two timeouts."""
    return lru_cache(maxsize=4096)(partial(service_ticks, bw_gbs=bw_gbs))
