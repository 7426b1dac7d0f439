"""Ways of a hierarchy: inside a tile or a chiplet, through the meshes of its cubes, over the switch."""

from __future__ import annotations

from topology.hierarchy import Cube, Hierarchy, IoChiplet
from topology.kinds import UCIE_KINDS, EdgeSet
from topology.routes.attachments import Attachments, Place, places_of
from topology.routes.cubes import CubeWays
from topology.system import System


class PlacedWays:
    """Ways of a hierarchy: beside the meshes where that is possible, otherwise by way of them."""

    def __init__(self, system: System, hierarchy: Hierarchy) -> None:
        self._system = system
        self._hierarchy = hierarchy
        self._places = places_of(system, hierarchy)
        self._cubes = [CubeWays(sip, system.ucie_spreading == "by_source") for sip in hierarchy.sips]
        self._attached: dict[EdgeSet, Attachments] = {}
        self._ends: dict[tuple[str, EdgeSet, bool], tuple[str, ...]] = {}

    def way(self, src: str, dst: str, edges: EdgeSet = EdgeSet.DATA) -> list[str]:
        """The parts from ``src`` to ``dst``; empty if there is no way."""
        nodes = self._way(src, dst, edges)
        return nodes if len(set(nodes)) == len(nodes) else _without_loops(nodes)

    def _way(self, src: str, dst: str, edges: EdgeSet) -> list[str]:
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


def _without_loops(nodes: list[str]) -> list[str]:
    """The way without what lies between two visits of one part: an end may be a part that ways to others pass."""
    place: dict[str, int] = {}
    kept: list[str] = []
    for node in nodes:
        if node in place:
            for left in kept[place[node] + 1 :]:
                del place[left]
            del kept[place[node] + 1 :]
        else:
            place[node] = len(kept)
            kept.append(node)
    return kept
