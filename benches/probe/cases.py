"""The cases of the probe: which part asks for what, where. They follow the size of the system (ADR-0049 D1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benches.probe.tile_cases import TileCase, TurnRound, tile_cases
from topology.hierarchy import Cube, Hierarchy, PeTile
from topology.machine.site import Place, Site
from topology.machine.tile import PARTS, nodes_of
from topology.probe_places import NoPlace, ProbePlace, probe_places
from topology.routes.router import NoRouteError
from topology.system import NodeSpec, System

BUFFER_OFFSET = 0x1000
"""Where in a slice the bytes lie: the published probe's buffer of a PE."""

NBYTES = 32 * 1024
"""ADR-0049 D2."""

SWEEP = (4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20)
"""ADR-0049 D3."""

STANDARD = ("h2d", "d2h", "pe_dma")
FREE_CATEGORY = "path"
NO_TILE = f"a PE tile has not one each of {', '.join(PARTS)}, or takes orders at another part"


@dataclass(frozen=True, slots=True)
class Access:
    """``origin`` reads from, or writes to, a memory."""

    name: str
    category: str
    hops: int
    origin: str
    direction: str
    place: Place


@dataclass(frozen=True, slots=True)
class Move:
    """A transfer between two parts, of which neither is a memory; it has no answer."""

    name: str
    category: str
    hops: int
    src: str
    dst: str


@dataclass(frozen=True, slots=True)
class TcmAccess:
    """The fetch/store unit of a PE tile fetches from its TCM (``read``) or stores to it (``write``).

    ``pass``: a transaction goes through the TCM (ADR-0040 D5).
    """

    name: str
    category: str
    hops: int
    tile: str
    unit: str
    tcm: str
    direction: str


@dataclass(frozen=True, slots=True)
class KernelLaunch:
    """A launch on every PE tile of ``cubes`` of a package."""

    name: str
    category: str
    hops: int
    sip: int
    cubes: tuple[int, ...]


Case = Access | Move | TcmAccess | KernelLaunch | TileCase


def cases_of(site: Site, *, further: bool) -> list[Case | NoPlace]:
    """The standard cases, and the ``further`` ones behind them. Of a free graph: its ways, see :func:`_ways`."""
    system = site.system
    if system.hierarchy is None:
        return list(_ways(site))
    named = system.probe_cases
    standard = [_standard(p) for p in probe_places(system) if named is None or p.name in named]
    return [*standard, *_further(system, system.hierarchy)] if further else standard


def _standard(place: ProbePlace | NoPlace) -> Case | NoPlace:
    if isinstance(place, NoPlace):
        return place
    reads = place.category == "d2h"
    asker, memory = (place.dst, place.src) if reads else (place.src, place.dst)
    direction = "read" if reads else "write"
    return Access(place.name, place.category, place.hops, asker, direction, Place(memory, BUFFER_OFFSET))


def _further(system: System, hierarchy: Hierarchy) -> Iterator[Case | NoPlace]:
    sip = hierarchy.sips[0]
    cube = sip.cubes[0]
    tile = cube.pes[0]
    own = Place(cube.hbm[0], BUFFER_OFFSET)
    yield Access("pe-local-hbm-read", "pe_dma_read", 0, tile.router_part, "read", own)
    if len(sip.cubes) > 1:
        far = sip.cubes[-1]
        distance = abs(far.x - cube.x) + abs(far.y - cube.y)
        there = Place(far.hbm[-1], BUFFER_OFFSET)
        yield Access("pe-opposite-hbm", "pe_dma_far", distance, tile.router_part, "write", there)
    else:
        yield NoPlace("pe-opposite-hbm", "the package has one cube")
    yield from _other_package(hierarchy, tile)
    yield from _sram(cube, tile)
    yield from _m_cpu(cube)
    yield from _tcm(system, tile)
    yield from tile_cases(system, tile, own)
    yield from _launches(system, hierarchy)


def _other_package(hierarchy: Hierarchy, tile: PeTile) -> Iterator[Case | NoPlace]:
    names = {"pe-cross-sip-hbm": "write", "pe-cross-sip-hbm-read": "read"}
    for name, direction in names.items():
        if len(hierarchy.sips) < 2:
            yield NoPlace(name, "there is one package")
        elif not all(sip.ios for sip in hierarchy.sips[:2]):
            yield NoPlace(name, "a package has no IO chiplet")
        else:
            place = Place(hierarchy.sips[1].cubes[0].hbm[0], BUFFER_OFFSET)
            yield Access(name, "cross_sip", 1, tile.router_part, direction, place)


def _sram(cube: Cube, tile: PeTile) -> Iterator[Case | NoPlace]:
    for direction in ("write", "read"):
        name = f"pe-sram-{direction}"
        if cube.sram is None:
            yield NoPlace(name, "a cube has no SRAM")
        else:
            yield Access(name, "sram", 0, tile.router_part, direction, Place(cube.sram, BUFFER_OFFSET))


def _m_cpu(cube: Cube) -> Iterator[Case | NoPlace]:
    last = len(cube.pes) - 1
    for pe, direction in dict.fromkeys(((0, "write"), (0, "read"), (last, "write"))):
        name = f"mcpu-pe{pe}-{direction}"
        if cube.m_cpu is None:
            yield NoPlace(name, "a cube has no M_CPU")
        else:
            yield Access(name, f"mcpu_{direction}", 0, cube.m_cpu, direction, Place(cube.hbm[pe], BUFFER_OFFSET))


def _tcm(system: System, tile: PeTile) -> Iterator[Case | NoPlace]:
    nodes = nodes_of(system, tile)
    for direction in ("read", "write", "pass"):
        name = f"tcm-{direction}"
        if nodes is None:
            yield NoPlace(name, NO_TILE)
        else:
            unit, tcm = nodes["pe_fetch_store"].name, nodes["tcm"].name
            yield TcmAccess(name, "tcm", 0, tile.name, unit, tcm, direction)


def _launches(system: System, hierarchy: Hierarchy) -> Iterator[Case | NoPlace]:
    sip = hierarchy.sips[0]
    for name, cubes in (("launch-one-cube", (0,)), ("launch-all-cubes", tuple(range(len(sip.cubes))))):
        if not sip.ios:
            yield NoPlace(name, "the package has no IO chiplet")
        elif any(sip.cubes[i].m_cpu is None for i in cubes):
            yield NoPlace(name, "a cube has no M_CPU")
        elif any(not _takes_orders(system, tile) for i in cubes for tile in sip.cubes[i].pes):
            yield NoPlace(name, NO_TILE)
        else:
            yield KernelLaunch(name, "launch", len(cubes), sip.index, cubes)


def _takes_orders(system: System, tile: PeTile) -> bool:
    nodes = nodes_of(system, tile)
    return nodes is not None and nodes["pe_cpu"].name == tile.command_part


def _ways(site: Site) -> Iterator[Case]:
    """Ways of a free graph from its first part: to the first part of each kind, number of links and bottleneck.

    Where one of the two is a memory, the other one writes to it and reads from it.
    """
    first, *others = site.system.nodes()
    seen: set[tuple[object, ...]] = set()
    for node in others:
        try:
            route = site.route(first.name, node.name)
            site.route(node.name, first.name)
        except NoRouteError:
            continue
        slowest = route.bottleneck
        key = (node.kind, len(route.links), slowest.bw_gbs if slowest is not None else None)
        if key in seen:
            continue
        seen.add(key)
        hops = len(route.links)
        memory, asker = (first, node) if is_memory(first) else (node, first)
        if is_memory(memory):
            place = Place(memory.name, BUFFER_OFFSET)
            for direction in ("write", "read"):
                yield Access(f"{node.name}-{direction}", f"memory_{direction}", hops, asker.name, direction, place)
            if memory.kind == "hbm_controller":
                yield TurnRound(f"{node.name}-turn-round", "turn_round", hops, asker.name, place)
        else:
            yield Move(f"{first.name}-to-{node.name}", FREE_CATEGORY, hops, first.name, node.name)


def is_memory(node: NodeSpec) -> bool:
    """Whether transfers read and write there."""
    return node.kind in ("hbm_controller", "sram")
