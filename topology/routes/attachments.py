"""How parts of a cube hang on its mesh, and the ways beside the mesh: inside a tile, an IO chiplet, along wires."""

from __future__ import annotations

from dataclasses import dataclass

from topology.hierarchy import Cube, Hierarchy
from topology.kinds import EdgeSet
from topology.routes.shortest import ShortestPaths
from topology.system import System


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part stands: in a cube or an IO chiplet of a package, or, with neither, on the switch."""

    sip: int | None = None
    cube: int | None = None
    io: int | None = None


class Attachments:
    """Ways of one set of links that do not lead through a router, only from or to one."""

    def __init__(self, system: System, places: dict[str, Place], edges: EdgeSet) -> None:
        routers = {router for mesh in system.meshes for router in mesh.cell}
        local = [
            link for link in system.links() if link.kind not in edges.value and places[link.src] == places[link.dst]
        ]
        self._outward = ShortestPaths([link for link in local if link.src not in routers])
        self._inward = ShortestPaths([link for link in local if link.dst not in routers])
        self._beside = ShortestPaths([link for link in local if not {link.src, link.dst} & routers])

    def beside(self, src: str, dst: str) -> tuple[str, ...]:
        """The shortest way that meets no router; empty if there is none."""
        return self._beside.path(src, dst)

    def exit(self, name: str, cube: Cube) -> tuple[str, ...]:
        """The shortest way from a part of ``cube`` to a router, the nearest one, of equals the first row by row."""
        if name in cube.mesh.cell:
            return (name,)
        return _nearest([(self._outward, name, router) for router in cube.mesh.cell])

    def entry(self, name: str, cube: Cube) -> tuple[str, ...]:
        """The shortest way to a part of ``cube`` from a router, the nearest one, of equals the first row by row."""
        if name in cube.mesh.cell:
            return (name,)
        return _nearest([(self._inward, router, name) for router in cube.mesh.cell])


def _nearest(ways: list[tuple[ShortestPaths, str, str]]) -> tuple[str, ...]:
    found = [
        (distance, order)
        for order, (paths, src, dst) in enumerate(ways)
        if (distance := paths.distances_to(dst).get(src)) is not None
    ]
    if not found:
        return ()
    paths, src, dst = ways[min(found)[1]]
    return paths.path(src, dst)


def places_of(system: System, hierarchy: Hierarchy) -> dict[str, Place]:
    """Where every part of a hierarchical system stands."""
    homes: dict[str, Place] = {}
    for sip in hierarchy.sips:
        homes.update({cube.name: Place(sip.index, cube=cube.index) for cube in sip.cubes})
        homes.update({io.name: Place(sip.index, io=number) for number, io in enumerate(sip.ios)})
    return {name: homes.get(".".join(name.split(".", 2)[:2]), Place()) for name in system.graph}
