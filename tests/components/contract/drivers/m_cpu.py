"""Drives an M CPU: orders, and transfers of its own DMA that wait for the CPU and for the channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from simpy.events import Event

from components.memory.request import MemoryRequest
from components.registry import Registered
from simcore.kernel import Environment, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench
from tests.components.contract.order_client import OrderClient

TRANSFERS = [("read", 1000), ("read", 100), ("write", 50), ("write", 0)]


def parameters(impl: str) -> dict[str, object]:
    return {"overhead_ns": 2.5}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    requests, memory = Port(env, f"host->{name}.dma", MemoryRequest), Port(env, f"{name}->memory", MemoryRequest)
    requests.attach("out", Actor("host"))
    memory.attach("in", Actor("memory"))
    memory.hand_to(lambda request: env.succeed_in(request.done, 10 * request.nbytes, request))
    client = OrderClient(env, name, entry, parameters, {"dma_requests": requests, "memory": memory})

    def ask(direction: str, nbytes: int) -> Callable[[Event], None]:
        return lambda done: requests.put(MemoryRequest(direction, 0, nbytes, done, f"{direction}{nbytes}"))

    others = [(0, ask(direction, nbytes)) for direction, nbytes in TRANSFERS]
    bad = {"an unknown direction": lambda: requests.put(MemoryRequest("up", 0, 8, env.event()))}
    cpu = client.part
    size = sum(nbytes for _, nbytes in TRANSFERS)
    return client.bench(others, bad, size, lambda: sum(cpu.moved_bytes.values()))
