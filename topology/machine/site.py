"""A site: a system with its routes and addresses, from which machines are built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simcore.errors import InputError, Problem
from topology.addresses import AddressResolver
from topology.hierarchy import Cube, PeTile
from topology.kinds import EdgeSet
from topology.routes.route import Route
from topology.routes.router import PathRouter
from topology.system import LinkSpec, System

if TYPE_CHECKING:
    from simcore.kernel import Environment
    from topology.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class Place:
    """A byte of a memory: the part that holds it and the offset in that part."""

    node: str
    offset: int


class Site:
    """Everything about a system that its machines share. Each machine is built by :meth:`machine`."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.router = PathRouter(system)
        self._resolver: AddressResolver | None = None
        self._homes: dict[str, tuple[Cube, int | None]] | None = None
        self.tile_of = {part: tile for tile in self._tiles() for part in tile.parts.values()}
        """The PE tile of each part that is in one."""

    @property
    def resolver(self) -> AddressResolver:
        """Its addresses. Raises InputError for a free graph, which has none."""
        if self._resolver is None:
            self._resolver = AddressResolver(self.system)
        return self._resolver

    def place(self, address: int) -> Place:
        """Where ``address`` lies. Raises InputError unless it names a byte of a memory."""
        target = self.resolver.resolve(address)
        if target.space == "io":
            raise InputError([Problem(f"address {address:#x} is in an IO chiplet, which holds no memory", "<address>")])
        return Place(target.node, target.offset)

    def address(self, place: Place) -> int:
        """The address of ``place``: the opposite of :meth:`place`. Raises InputError if it has none."""
        if self._homes is None:
            hierarchy = self.system.hierarchy
            cubes = [cube for sip in hierarchy.sips for cube in sip.cubes] if hierarchy is not None else []
            self._homes = {node: (cube, pe) for cube in cubes for pe, node in enumerate(cube.hbm)}
            self._homes |= {cube.sram: (cube, None) for cube in cubes if cube.sram is not None}
        if place.node not in self._homes:
            raise InputError([Problem(f"{place.node} holds no memory with an address", self.system.file)])
        cube, pe = self._homes[place.node]
        if pe is None:
            return self.resolver.encode_sram(cube.sip, cube.index, place.offset)
        return self.resolver.encode_hbm(cube.sip, cube.index, pe, place.offset)

    def route(self, origin: str, node: str) -> Route:
        """The route of payload from ``origin`` to ``node``; the DMA of an M_CPU keeps out of PE tiles."""
        edges = EdgeSet.M_CPU_DMA if self.system.node(origin).kind == "m_cpu" else EdgeSet.DATA
        return self.router.find_path(origin, node, edges)

    def order_route(self, origin: str, node: str) -> Route:
        """The route of an order to a CPU further down: to a PE CPU over the wire that is for commands."""
        edges = EdgeSet.ALL if self.system.node(node).kind == "pe_cpu" else EdgeSet.DATA
        return self.router.find_path(origin, node, edges)

    def launch_routes(self, sip: int, cubes: Sequence[int], pe: int) -> list[tuple[Route, Route, Route]]:
        """The routes of an order to PE number ``pe`` of each of ``cubes``: host to IO CPU, to M_CPU, to PE CPU."""
        host, io_cpu = self.resolver.find_pcie_ep(sip), self.resolver.find_io_cpu(sip)
        first = self.order_route(host, io_cpu)
        found = []
        for cube in cubes:
            m_cpu = self.resolver.find_m_cpu(sip, cube)
            second, third = self.order_route(io_cpu, m_cpu), self.order_route(m_cpu, self.pe_cpu(sip, cube, pe))
            found.append((first, second, third))
        return found

    def pe_cpu(self, sip: int, cube: int, pe: int) -> str:
        """The part of a PE tile that takes orders. Raises InputError for a number that there is not."""
        tiles = self.router.cube(sip, cube).pes
        if not 0 <= pe < len(tiles):
            raise InputError([Problem(f"no PE tile {pe} (allowed: 0 to {len(tiles) - 1})", self.system.file)])
        command_part = tiles[pe].command_part
        if command_part is None:
            raise InputError([Problem(f"{tiles[pe].name} has no command part", self.system.file)])
        return command_part

    def machine(self, env: Environment, routes: Iterable[Route] | None = None, *, coalesce: bool = True) -> Machine:
        """A machine in ``env`` with the links of ``routes`` and those opposite to them; None: with all there are."""
        from topology.machine.machine import Machine

        return Machine(env, self, self._links_of(routes), coalesce=coalesce)

    def _links_of(self, routes: Iterable[Route] | None) -> list[LinkSpec]:
        if routes is None:
            return self.system.links()
        found: dict[tuple[str, str], LinkSpec] = {}
        graph = self.system.graph
        for link in [link for route in routes for link in route.links]:
            found[link.src, link.dst] = link
            if graph.has_edge(link.dst, link.src):
                found[link.dst, link.src] = self.system.link(link.dst, link.src)
        return list(found.values())

    def _tiles(self) -> list[PeTile]:
        hierarchy = self.system.hierarchy
        return [tile for sip in hierarchy.sips for cube in sip.cubes for tile in cube.pes] if hierarchy else []
