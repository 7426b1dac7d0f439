"""A PE tile with all its parts, wired: what the wires of a system between them stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topology.hierarchy import PeTile

if TYPE_CHECKING:
    from components.host.orders import Letter
    from components.memory.request import MemoryRequest
    from components.pe.dma import DmaRequest
    from components.pe.mmu import PageRequest
    from components.pe.scheduler import Submission
    from components.pe.tile_token import Stations
    from simcore.kernel import Environment, Part, Port
    from topology.system import NodeSpec, System

PARTS = ("pe_cpu", "pe_scheduler", "pe_dma", "pe_fetch_store", "pe_gemm", "pe_math", "tcm")
"""Kinds of parts that a working tile has one of each; a ``pe_mmu`` besides, if there is one."""


@dataclass(frozen=True, slots=True)
class RunningTile:
    """The parts of a tile by their kinds, and the ports by which others reach them."""

    parts: Mapping[str, Part[Any]]
    inbox: Port[Letter]
    outbox: Port[Letter]
    memory: Port[MemoryRequest]
    dma_requests: Port[DmaRequest]
    commands: Port[Submission]
    pages: Port[PageRequest] | None
    stations: Stations


def nodes_of(system: System, tile: PeTile) -> dict[str, NodeSpec] | None:
    """The nodes of ``tile`` by kind; None if it lacks a part that a working tile needs, or has one twice."""
    nodes = [system.node(name) for name in tile.parts.values()]
    by_kind = {node.kind: node for node in nodes}
    wanted = [node for node in nodes if node.kind in (*PARTS, "pe_mmu")]
    complete = len(wanted) == len({node.kind for node in wanted}) and all(kind in by_kind for kind in PARTS)
    return {node.kind: node for node in wanted} if complete else None


def build_tile(env: Environment, name: str, nodes: Mapping[str, NodeSpec]) -> RunningTile:
    """The tile called ``name`` in ``env``. Its inbox, outbox and memory ports still need their other ends."""
    from components.host.orders import Letter
    from components.memory.request import MemoryRequest
    from components.memory.tcm import TcmRequest
    from components.pe.dma import DmaRequest
    from components.pe.mmu import Lookup, PageRequest
    from components.pe.scheduler import PeScheduler, Submission
    from components.pe.stages import STATIONS
    from components.pe.tile_token import Stations, TileToken
    from components.registry import build
    from simcore.errors import ModelBug
    from simcore.kernel import Port

    def port(ends: str, message: type) -> Port[Any]:
        return Port(env, f"{name}.{ends}", message)

    has_mmu = "pe_mmu" in nodes
    inbox, outbox = port("post_to_pe_cpu", Letter), port("pe_cpu_to_post", Letter)
    commands, memory = port("pe_cpu_to_pe_scheduler", Submission), port("pe_dma_to_memory", MemoryRequest)
    dma_requests, tcm = port("pe_scheduler_to_pe_dma", DmaRequest), port("pe_fetch_store_to_tcm", TcmRequest)
    pages = port("pe_cpu_to_pe_mmu", PageRequest) if has_mmu else None
    lookups = port("pe_dma_to_pe_mmu", Lookup) if has_mmu else None
    to_station = {station: port(f"pe_scheduler_to_{station}", TileToken) for station in STATIONS}
    wiring: dict[str, dict[str, Port[Any] | None]] = {
        "pe_cpu": {"inbox": inbox, "outbox": outbox, "commands": commands, "pages": pages},
        "pe_scheduler": {"commands": commands, "dma_requests": dma_requests, **to_station},
        "pe_dma": {"tiles": to_station["dma"], "requests": dma_requests, "memory": memory, "lookups": lookups},
        "pe_mmu": {"lookups": lookups, "pages": pages},
        "pe_fetch_store": {"tiles": to_station["fetch_store"], "tcm": tcm},
        "pe_gemm": {"tiles": to_station["gemm"]},
        "pe_math": {"tiles": to_station["math"]},
        "tcm": {"requests": tcm},
    }
    parts: dict[str, Part[Any]] = {}
    for kind, node in nodes.items():
        ports = {word: wire for word, wire in wiring[kind].items() if wire is not None}
        file = node.origin["kind"].file
        parts[kind] = build(env, kind, node.name, node.parameters, ports, node.impl, file=file)
    scheduler = parts["pe_scheduler"]
    if not isinstance(scheduler, PeScheduler):
        raise ModelBug(f"{scheduler.name} is no PeScheduler, so its accelerator slot is not known")
    stations = Stations(to_station, scheduler.accelerator)
    return RunningTile(parts, inbox, outbox, memory, dma_requests, commands, pages, stations)
