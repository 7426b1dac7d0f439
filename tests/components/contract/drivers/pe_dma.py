"""Drives a DMA: tiles and direct requests, translated and not, before an MMU that splits what it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from simpy.events import Event

from components.memory.request import MemoryRequest
from components.pe.dma import DmaRequest
from components.pe.mmu import Lookup, Segment
from components.pe.stages import DmaIn, DmaOut, Store
from components.registry import Registered
from simcore.kernel import Environment, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench
from tests.components.contract.tile_client import TileClient


def parameters(impl: str) -> dict[str, object]:
    return {"overhead_ns": 2.5}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    ports = {
        "requests": Port(env, f"scheduler->{name}.requests", DmaRequest),
        "lookups": Port(env, f"{name}->mmu", Lookup),
        "memory": Port(env, f"{name}->memory", MemoryRequest),
    }
    ports["requests"].attach("out", Actor("scheduler"))
    ports["lookups"].attach("in", Actor("mmu"))
    ports["lookups"].hand_to(lambda lookup: env.succeed_in(lookup.done, 700, split(lookup)))
    ports["memory"].attach("in", Actor("memory"))
    ports["memory"].hand_to(lambda request: env.succeed_in(request.done, 10 * request.nbytes + 300, request))
    client = TileClient(env, name, entry, parameters, "dma", ports)

    def split(lookup: Lookup) -> tuple[Segment, ...]:
        """Two segments, the second one a page further on."""
        half = lookup.nbytes // 2
        return Segment(lookup.address, half), Segment(lookup.address + 4096 + half, lookup.nbytes - half)

    def direct(direction: str, nbytes: int, space: str) -> Callable[[Event], None]:
        return lambda done: ports["requests"].put(
            DmaRequest(direction, 256, nbytes, space, done, f"{direction}{nbytes}")
        )

    def refused(*fields: object) -> Callable[[], None]:
        return lambda: ports["requests"].put(DmaRequest(*fields, env.event(), "bad"))

    batch = [
        (0, DmaIn("A", 0, 4096)),
        (0, DmaIn("B", 8192, 100)),
        (0, DmaOut("C", 100, 300)),
        (0, direct("read", 50, "virtual")),
        (10, direct("write", 60, "physical")),
        (0, direct("write", 0, "virtual")),
        (200_000, direct("read", 0, "physical")),
    ]
    size = 4096 + 100 + 300 + 50 + 60
    bad = {
        "an unknown direction": refused("across", 0, 8, "virtual"),
        "an unknown space": refused("read", 0, 8, "linear"),
        "a negative address": refused("read", -1, 8, "physical"),
        "a size that is no int": refused("read", 0, 8.0, "physical"),
    }
    dma = client.part
    return client.bench(batch, Store(8), bad, size, lambda: sum(dma.moved_bytes.values()))
