"""PathRouter: the one route from any part of a system to any other (ADR-0042)."""

from __future__ import annotations

from itertools import pairwise

from simcore.errors import InputError, Problem
from topology.hierarchy import Cube
from topology.kinds import EdgeSet
from topology.routes.free import FreeWays
from topology.routes.placed import PlacedWays
from topology.routes.route import Route
from topology.system import System


class NoRouteError(InputError):
    """There is no way from one part to another over the links that may be used."""


class PathRouter:
    """Routes of one system, found when first asked for and kept. The same system always gives the same routes."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._links = {(link.src, link.dst): link for link in system.links()}
        self._routes: dict[tuple[str, str, EdgeSet], Route] = {}
        self.ways = FreeWays(system) if system.hierarchy is None else PlacedWays(system, system.hierarchy)
        """Finds ways by their parts alone, and keeps none of them."""

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
        nodes = (src,) if src == dst else tuple(self.ways.way(src, dst, edges))
        if not nodes:
            which = "" if edges is EdgeSet.ALL else f" over the links of {edges.name}"
            raise NoRouteError([Problem(f"no way from {src} to {dst}{which}", self.system.file)])
        return Route(nodes, tuple([self._links[ends] for ends in pairwise(nodes)]))
