"""PathRouter: the one route from any part of a system to any other (ADR-0042)."""

from __future__ import annotations

from itertools import pairwise

from simcore.errors import InputError, Problem, hint
from topology.hierarchy import Cube, Hierarchy, IoChiplet
from topology.kinds import UCIE_KINDS, EdgeSet
from topology.routes.attachments import Attachments, Place, places_of
from topology.routes.cubes import CubeWays
from topology.routes.route import Route
from topology.routes.shortest import ShortestPaths
from topology.system import System


class NoRouteError(InputError):
    """There is no way from one part to another over the links that may be used."""


class PathRouter:
    """Routes of one system, found when first asked for and kept. The same system always gives the same routes."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._links = {(link.src, link.dst): link for link in system.links()}
        self._routes: dict[tuple[str, str, EdgeSet], Route] = {}
        self._find = _FreeWays(system) if system.hierarchy is None else _PlacedWays(system, system.hierarchy)

    def find_path(self, src: str, dst: str, edges: EdgeSet = EdgeSet.DATA) -> Route:
        """The route from ``src`` to ``dst`` over ``edges``.

        Raises InputError for a name that is no part, NoRouteError if there is no way.
        """
        key = (src, dst, edges)
        route = self._routes.get(key)
        if route is None:
            for name in (src, dst):
                self.system.node(name)
            route = self._routes[key] = self._route(src, dst, edges)
        return route

    def find_memory_path(self, src: str, sip: int, cube: int, pe: int) -> Route:
        """The route from ``src`` to the HBM slice of a PE tile. Raises InputError for a number that there is not."""
        slices = self.cube(sip, cube).hbm
        return self.find_path(src, slices[self._number("PE tile", pe, len(slices))])

    def find_m_cpu_dma_path(self, sip: int, cube: int, dst: str) -> Route:
        """The route of the M_CPU's DMA to ``dst``, which never leads through a PE tile."""
        m_cpu = self.cube(sip, cube).m_cpu
        if m_cpu is None:
            raise NoRouteError([Problem(f"cube {cube} of package {sip} has no M_CPU", self.system.file)])
        return self.find_path(m_cpu, dst, EdgeSet.M_CPU_DMA)

    def cube(self, sip: int, cube: int) -> Cube:
        """A cube by its numbers. Raises InputError if there is none."""
        hierarchy = self.system.hierarchy
        if hierarchy is None:
            raise InputError([Problem("a free graph has no packages and cubes", self.system.file)])
        cubes = hierarchy.sips[self._number("package", sip, len(hierarchy.sips))].cubes
        return cubes[self._number("cube", cube, len(cubes))]

    def _number(self, what: str, number: int, count: int) -> int:
        if not 0 <= number < count:
            raise InputError([Problem(f"no {what} {number} (allowed: 0 to {count - 1})", self.system.file)])
        return number

    def _route(self, src: str, dst: str, edges: EdgeSet) -> Route:
        nodes = (src,) if src == dst else tuple(self._find.way(src, dst, edges))
        if not nodes:
            which = "" if edges is EdgeSet.ALL else f" over the links of {edges.name}"
            raise NoRouteError([Problem(f"no way from {src} to {dst}{which}", self.system.file)])
        return Route(nodes, tuple([self._links[ends] for ends in pairwise(nodes)]))


def edge_set(word: str) -> EdgeSet:
    """The edge set of that name, in small letters. Raises InputError for an unknown one."""
    by_name = {edges.name.lower(): edges for edges in EdgeSet}
    if word not in by_name:
        raise InputError([Problem(f'unknown set of links "{word}" {hint(word, list(by_name))}', "<edges>")])
    return by_name[word]


class _FreeWays:
    """Ways of a free graph."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._mesh_of = {router: mesh for mesh in system.meshes for router in mesh.cell}
        self._paths = ShortestPaths(system.links())

    def way(self, src: str, dst: str, _edges: EdgeSet) -> list[str]:
        """The shortest path; what of it lies in one mesh is replaced by that mesh's own route."""
        path = self._paths.path(src, dst)
        nodes: list[str] = []
        index = 0
        while index < len(path):
            mesh, last = self._mesh_of.get(path[index]), index
            while mesh is not None and last + 1 < len(path) and self._mesh_of.get(path[last + 1]) is mesh:
                last += 1
            nodes += mesh.route(path[index], path[last]) if mesh is not None else (path[index],)
            index = last + 1
        return nodes


class _PlacedWays:
    """Ways of a hierarchy: beside the meshes where that is possible, otherwise by way of them."""

    def __init__(self, system: System, hierarchy: Hierarchy) -> None:
        self._system = system
        self._hierarchy = hierarchy
        self._places = places_of(system, hierarchy)
        self._cubes = [CubeWays(sip, system.ucie_spreading == "by_source") for sip in hierarchy.sips]
        self._attached: dict[EdgeSet, Attachments] = {}
        self._ends: dict[tuple[str, EdgeSet, bool], tuple[str, ...]] = {}

    def way(self, src: str, dst: str, edges: EdgeSet) -> list[str]:
        """The parts from ``src`` to ``dst``; empty if there is no way."""
        here, there = self._places[src], self._places[dst]
        if here == there:
            beside = self._attachments(edges).beside(src, dst)
            if beside:
                return list(beside)
        if here.sip is None or here.sip != there.sip or (here.io is not None and there.io is not None):
            return self._over_switch(src, here, dst, there, edges)
        return self._in_package(self._cubes[here.sip], src, here, dst, there, edges)

    def _in_package(self, ways: CubeWays, src: str, here: Place, dst: str, there: Place, edges: EdgeSet) -> list[str]:
        if here != there and edges.value & UCIE_KINDS:
            return []
        ios, attached = ways.sip.ios, self._attachments(edges)
        out = attached.beside(src, ios[here.io].io_noc) if here.io is not None else self._end(src, edges, True)
        into = attached.beside(ios[there.io].io_noc, dst) if there.io is not None else self._end(dst, edges, False)
        if not out or not into:
            return []
        if here.io is not None:
            cube = self._cube(there)
            middle = ways.from_io(ios[here.io], cube, cube.mesh.cell[into[0]])
        elif there.io is not None:
            cube = self._cube(here)
            middle = ways.to_io(cube, cube.mesh.cell[out[-1]], ios[there.io])
        else:
            a, b = self._cube(here), self._cube(there)
            middle = ways.between(a, a.mesh.cell[out[-1]], b, b.mesh.cell[into[0]])
        return [*out[:-1], *middle, *into[1:]] if middle else []

    def _over_switch(self, src: str, here: Place, dst: str, there: Place, edges: EdgeSet) -> list[str]:
        switch = self._hierarchy.switch
        if switch is None:
            return []
        nodes = [switch]
        if here.sip is not None:
            io = self._io_of(here)
            way = self.way(src, io.pcie_ep, edges) if io is not None else []
            nodes = way + nodes if way else []
        if there.sip is not None:
            io = self._io_of(there)
            way = self.way(io.pcie_ep, dst, edges) if io is not None else []
            nodes = nodes + way if nodes and way else []
        return nodes

    def _io_of(self, place: Place) -> IoChiplet | None:
        """The IO chiplet of a place, or the one that serves its cube."""
        ways = self._cubes[place.sip or 0]
        return ways.sip.ios[place.io] if place.io is not None else ways.nearest_io(self._cube(place))

    def _end(self, name: str, edges: EdgeSet, outward: bool) -> tuple[str, ...]:
        """The way from a part of a cube to its router, or (not ``outward``) from the router to the part."""
        key = (name, edges, outward)
        if key not in self._ends:
            attached, cube = self._attachments(edges), self._cube(self._places[name])
            self._ends[key] = attached.exit(name, cube) if outward else attached.entry(name, cube)
        return self._ends[key]

    def _attachments(self, edges: EdgeSet) -> Attachments:
        if edges not in self._attached:
            self._attached[edges] = Attachments(self._system, self._places, edges)
        return self._attached[edges]

    def _cube(self, place: Place) -> Cube:
        return self._cubes[place.sip or 0].sip.cubes[place.cube or 0]
