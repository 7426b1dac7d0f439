"""A small part that keeps the contract, and its driver: what the tests of the suite spoil, one rule at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.quantities import Ns
from components.registry import Registered, build
from simcore.kernel import Channel, Countdown, Environment, Part, Port, PortSpec, Token
from simcore.units import ns_to_ticks
from tests.components.actor import Actor
from tests.components.contract.bench import Bench


class EchoParameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    delay_ns: Ns


@dataclass(frozen=True)
class Call:
    tag: str
    nbytes: int
    done: Event


class Echo(Part[EchoParameters]):
    """Answers one call after the other."""

    port_specs = (PortSpec("calls", "in", Call),)

    def __init__(self, env, name, parameters, ports):
        super().__init__(env, name, parameters, ports)
        self.lock = Channel(env, f"{name}.lock")
        self.moved_bytes = 0
        self.ports["calls"].hand_to(self.accept)

    def accept(self, call: Call) -> None:
        if call.nbytes < 0:
            raise self.error(f"call {call.tag}: {call.nbytes} bytes")
        self.accepted += 1
        self.spawn(self.serve(call), call.tag)

    def serve(self, call: Call):
        token = self.lock.acquire(self, call.tag)
        yield token
        yield self.env.timeout(self.delay_ticks(call))
        self.finish(call, token)

    def delay_ticks(self, call: Call) -> int:
        return ns_to_ticks(self.parameters.delay_ns)

    def finish(self, call: Call, token: Token) -> None:
        self.lock.release(token)
        self.completed += 1
        self.moved_bytes += call.nbytes
        if self.record is not None:
            self.record((self.env.now, self.name, "answer", call.tag))
        call.done.succeed()


CALLS = [("a", 5), ("b", 0), ("c", 7)]


class EchoDriver:
    """Three calls at one instant."""

    def __init__(self, given: Mapping[str, object] | None = None) -> None:
        self.given = given or {"delay_ns": 2.5}

    def parameters(self, impl: str) -> dict[str, object]:
        return dict(self.given)

    def bench(self, env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
        port = Port(env, f"client->{name}", Call)
        port.attach("out", Actor("client"))
        echo = build(env, entry.kind, name, parameters, {"calls": port}, entry.impl)

        def send_batch() -> Event:
            left = Countdown(env, len(CALLS), "batch")
            for tag, nbytes in CALLS:
                call = Call(tag, nbytes, env.event())
                call.done.callbacks.append(lambda _, tag=tag: note(tag, left))
                port.put(call)
            return left

        def note(tag: str, left: Countdown) -> None:
            board.answers.append((env.now, tag))
            left.arrive()

        bad = {"a negative size": lambda: port.put(Call("bad", -1, env.event()))}
        size = sum(nbytes for _, nbytes in CALLS)
        board = Bench(echo, send_batch, len(CALLS), bad, batch_bytes=size, moved_bytes=lambda: echo.moved_bytes)
        return board
