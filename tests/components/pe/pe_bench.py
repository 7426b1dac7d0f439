"""A PE tile, all its parts wired, before a memory that answers after a fixed time; and what happens in it, in ns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simpy.events import Event

from components.host.orders import Letter
from components.memory.request import MemoryRequest
from components.memory.tcm import TcmRequest
from components.pe.commands import Submitted
from components.pe.dma import DmaRequest
from components.pe.mmu import Lookup, PageRequest
from components.pe.scheduler import Submission
from components.pe.stages import STATIONS
from components.pe.tile_token import TileToken
from components.registry import build
from simcore.kernel import Countdown, Environment, Part, Port, Row
from simcore.units import TICKS_PER_NS, service_ticks
from tests.components.actor import Actor

PARAMETERS: dict[str, dict[str, object]] = {
    "pe_cpu": {"overhead_ns": 2},
    "pe_scheduler": {"overhead_ns": 1},
    "pe_dma": {"overhead_ns": 0},
    "pe_mmu": {"page_bytes": 4096, "tlb_hit_ns": 1, "tlb_miss_ns": 10},
    "pe_fetch_store": {"overhead_ns": 0},
    "pe_gemm": {"mac_m": 32, "mac_k": 4, "mac_n": 32, "clock_ghz": 1},
    "pe_math": {"vector_width": 64, "clock_ghz": 1},
    "tcm": {"read_bw_gbs": 512, "write_bw_gbs": 512, "overhead_ns": 0},
}


@dataclass
class StandInMemory:
    """Answers each request ``latency_ns`` after its bytes have moved at ``gbs``, any number side by side."""

    env: Environment
    latency_ns: int = 0
    gbs: int = 256
    name: str = "memory"
    asked: list[tuple[int, str, int, int, str]] = field(default_factory=list)
    """(ps, direction, address, bytes, tag)"""

    def serve(self, request: MemoryRequest) -> None:
        self.asked.append((self.env.now, request.direction, request.address, request.nbytes, request.tag))
        ticks = self.latency_ns * TICKS_PER_NS + service_ticks(request.nbytes, self.gbs)
        self.env.succeed_in(request.done, ticks, request)


@dataclass
class PeBench:
    env: Environment
    log: list[Row]
    parts: Mapping[str, Part[Any]]
    ports: Mapping[str, Port[Any]]
    memory: StandInMemory
    letters: list[tuple[int, Letter]] = field(default_factory=list)
    """(ps, letter) of all that the CPU has sent."""

    def submit(self, *commands: Submitted) -> Event:
        """Gives the scheduler ``commands``, all now; the event happens when all are over."""
        left = Countdown(self.env, len(commands), "commands")
        for command in commands:
            done = self.env.event()
            done.callbacks.append(left.arrive)
            self.ports["commands"].put(Submission(command, done))
        return left

    def run(self, *commands: Submitted) -> int:
        """Picoseconds until ``commands`` are over."""
        began = self.env.now
        self.env.run(self.submit(*commands))
        return self.env.now - began

    def rows(self, *parts: str, what: tuple[str, ...] = ("begin", "end")) -> list[str]:
        """The log of ``parts``, as ``16 pe_dma end g.m0.n0.k0 read A``, times in ns."""
        chosen = [row for row in self.log if row[1] in parts and row[2] in what]
        return [" ".join([ns(row[0]), *map(str, row[1:])]) for row in chosen]

    def map(self, virtual: int, physical: int, nbytes: int) -> object:
        """Maps pages; returns the refusal, if it is one."""
        request = PageRequest(virtual, physical, nbytes, self.env.event())
        self.ports["pages"].put(request)
        return request.done.value


def ns(ticks: int) -> str:
    """``ticks`` in ns, without a fraction where there is none."""
    whole, rest = divmod(ticks, TICKS_PER_NS)
    return str(whole) if not rest else f"{whole}.{rest:03d}".rstrip("0")


def pe_bench(
    parameters: Mapping[str, Mapping[str, object]] | None = None,
    *,
    with_mmu: bool = False,
    latency_ns: int = 0,
    gbs: int = 256,
    logged: bool = True,
    env: Environment | None = None,
    log: list[Row] | None = None,
    serve: Callable[[MemoryRequest], None] | None = None,
) -> PeBench:
    """The tile; ``parameters``: what differs from those above, by kind. ``serve`` takes the memory's place."""
    log = [] if log is None else log
    env = env or Environment(log if logged else None)
    given = {kind: {**default, **(parameters or {}).get(kind, {})} for kind, default in PARAMETERS.items()}
    ports: dict[str, Port[Any]] = {
        "inbox": Port(env, "post->pe_cpu", Letter),
        "outbox": Port(env, "pe_cpu->post", Letter),
        "commands": Port(env, "pe_cpu->pe_scheduler", Submission),
        "pages": Port(env, "pe_cpu->pe_mmu", PageRequest),
        "lookups": Port(env, "pe_dma->pe_mmu", Lookup),
        "dma_requests": Port(env, "pe_scheduler->pe_dma", DmaRequest),
        "memory": Port(env, "pe_dma->memory", MemoryRequest),
        "tcm": Port(env, "pe_fetch_store->tcm", TcmRequest),
        **{station: Port(env, f"pe_scheduler->{station}", TileToken) for station in STATIONS},
    }

    def of(**names: str) -> dict[str, Port[Any]]:
        return {name: ports[port] for name, port in names.items()}

    wiring = {
        "pe_cpu": of(inbox="inbox", outbox="outbox", commands="commands", **({"pages": "pages"} if with_mmu else {})),
        "pe_scheduler": of(commands="commands", dma_requests="dma_requests", **{s: s for s in STATIONS}),
        "pe_dma": of(
            tiles="dma", requests="dma_requests", memory="memory", **({"lookups": "lookups"} if with_mmu else {})
        ),
        "pe_fetch_store": of(tiles="fetch_store", tcm="tcm"),
        "pe_gemm": of(tiles="gemm"),
        "pe_math": of(tiles="math"),
        "tcm": of(requests="tcm"),
    }
    if with_mmu:
        wiring["pe_mmu"] = of(lookups="lookups", pages="pages")
    else:
        for name in ("pages", "lookups"):
            env.ports.remove(ports.pop(name))
    memory = StandInMemory(env, latency_ns, gbs)
    ports["memory"].attach("in", memory)
    ports["memory"].hand_to(serve or memory.serve)
    parts = {kind: build(env, kind, kind, given[kind], wires) for kind, wires in wiring.items()}
    made = PeBench(env, log, parts, ports, memory)
    ports["inbox"].attach("out", Actor("post"))
    ports["outbox"].attach("in", Actor("post"))
    ports["outbox"].hand_to(lambda letter: made.letters.append((env.now, letter)))
    return made
