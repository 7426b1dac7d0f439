"""A PE tile, all its parts wired, before a memory that answers after a fixed time; and what happens in it, in ns."""

from __future__ import annotations

from collections.abc import Mapping
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


def wired_pe(
    env: Environment, prefix: str, parameters: Mapping[str, Mapping[str, object]], *, with_mmu: bool
) -> tuple[dict[str, Part[Any]], dict[str, Port[Any]]]:
    """The parts of a tile by kind, named behind ``prefix``, and its ports; those to the outside have an open end.

    ``parameters``: what differs from those above, by kind.
    """
    given = {kind: {**default, **parameters.get(kind, {})} for kind, default in PARAMETERS.items()}
    messages: dict[str, type] = {
        "inbox": Letter,
        "outbox": Letter,
        "commands": Submission,
        "dma_requests": DmaRequest,
        "memory": MemoryRequest,
        "tcm": TcmRequest,
        **dict.fromkeys(STATIONS, TileToken),
        **({"pages": PageRequest, "lookups": Lookup} if with_mmu else {}),
    }
    ports = {name: Port(env, f"{prefix}{name}-port", message) for name, message in messages.items()}
    wiring = {
        "pe_cpu": ["inbox", "outbox", "commands", "pages"],
        "pe_scheduler": ["commands", "dma_requests", *STATIONS],
        "pe_dma": ["dma:tiles", "dma_requests:requests", "memory", "lookups"],
        "pe_fetch_store": ["fetch_store:tiles", "tcm"],
        "pe_gemm": ["gemm:tiles"],
        "pe_math": ["math:tiles"],
        "tcm": ["tcm:requests"],
        **({"pe_mmu": ["lookups", "pages"]} if with_mmu else {}),
    }
    parts = {}
    for kind, wires in wiring.items():
        ends = {wire.split(":")[-1]: ports[name] for wire in wires if (name := wire.split(":")[0]) in ports}
        parts[kind] = build(env, kind, f"{prefix}{kind}", given[kind], ends)
    return parts, ports


def pe_bench(
    parameters: Mapping[str, Mapping[str, object]] | None = None,
    *,
    with_mmu: bool = False,
    latency_ns: int = 0,
    gbs: int = 256,
    logged: bool = True,
) -> PeBench:
    """A tile alone. ``parameters``: as of :func:`wired_pe`; the memory answers at ``gbs`` after ``latency_ns``."""
    log: list[Row] = []
    env = Environment(log if logged else None)
    parts, ports = wired_pe(env, "", parameters or {}, with_mmu=with_mmu)
    memory = StandInMemory(env, latency_ns, gbs)
    ports["memory"].attach("in", memory)
    ports["memory"].hand_to(memory.serve)
    made = PeBench(env, log, parts, ports, memory)
    ports["inbox"].attach("out", Actor("post"))
    ports["outbox"].attach("in", Actor("post"))
    ports["outbox"].hand_to(lambda letter: made.letters.append((env.now, letter)))
    return made
