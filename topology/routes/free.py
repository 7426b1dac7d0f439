"""Ways of a free graph: shortest paths, in dimension order where they lead through a mesh."""

from __future__ import annotations

from topology.kinds import EdgeSet
from topology.routes.shortest import ShortestPaths
from topology.system import System


class FreeWays:
    """Ways of a free graph."""

    def __init__(self, system: System) -> None:
        self.paths = ShortestPaths(system.links())
        self._mesh_of = {router: mesh for mesh in system.meshes for router in mesh.cell}

    @property
    def has_meshes(self) -> bool:
        """Whether a way may differ from the shortest path."""
        return bool(self._mesh_of)

    def way(self, src: str, dst: str, _edges: EdgeSet = EdgeSet.DATA) -> list[str]:
        """The shortest path; what of it lies in one mesh is replaced by that mesh's own route. Empty if there is none.

        All links of a free graph are of one kind, so every set of edges has all of them.
        """
        path = self.paths.path(src, dst)
        nodes: list[str] = []
        index = 0
        while index < len(path):
            mesh, last = self._mesh_of.get(path[index]), index
            while mesh is not None and last + 1 < len(path) and self._mesh_of.get(path[last + 1]) is mesh:
                last += 1
            nodes += mesh.route(path[index], path[last]) if mesh is not None else (path[index],)
            index = last + 1
        return nodes
