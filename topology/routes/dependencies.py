"""Channel dependencies: which links a transfer may hold while it waits for which others, and whether that can close.

A transfer that holds the buffer of one link and waits for the next makes the first depend on the second. If the
dependencies of all routes have no cycle, no set of transfers can wait for each other (W. J. Dally and C. L. Seitz, IEEE
Transactions on Computers 36, 1987).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from topology.hierarchy import Cube, Hierarchy
from topology.routes.free import FreeWays
from topology.routes.router import PathRouter
from topology.routes.shortest import ShortestPaths
from topology.system import System

Channel = tuple[str, str]
"""A link, by its ends."""


Dependency = tuple[Channel, Channel]
"""The link that is held, and the one that is wanted next."""


def dependencies_of_all(router: PathRouter) -> Iterator[Dependency]:
    """Every dependency that traffic can make, some of them several times; parts without a way make none.

    A free graph: of traffic between any two parts. A hierarchy: between any two routers at which traffic begins or ends
    in the first package, and from there to the next package and back, since all packages are built alike.
    """
    ways, hierarchy = router.ways, router.system.hierarchy
    if isinstance(ways, FreeWays) and not ways.has_meshes:
        for dst in router.system.graph:
            yield from _towards(ways.paths, dst)
        return
    pairs = _pairs_of(list(router.system.graph)) if hierarchy is None else _pairs_in(router.system, hierarchy)
    for src, dst in pairs:
        yield from pairwise(pairwise(ways.way(src, dst)))


def with_replies(dependencies: Iterable[Dependency]) -> Iterator[Dependency]:
    """The same, and those of replies that go back over the opposite links."""
    for (a, b), (_, c) in dependencies:
        yield (a, b), (b, c)
        yield (c, b), (b, a)


def _towards(paths: ShortestPaths, dst: str) -> Iterator[Dependency]:
    """The dependencies of all paths to ``dst``: they join, so one step from every part is enough."""
    distance = paths.distances_to(dst)
    following = {name: paths.next_to(dst, name) for name in distance if name != dst}
    for name, after in following.items():
        if after != dst:
            yield (name, after), (after, following[after])


def find_cycle(dependencies: Iterable[Dependency]) -> list[Channel]:
    """Links that depend on each other in a circle, in its order from the least on; empty if there are none.

    The same dependencies in the same order give the same circle.
    """
    after: dict[Channel, dict[Channel, None]] = {}
    for held, wanted in dependencies:
        after.setdefault(held, {})[wanted] = None
    done: set[Channel] = set()
    for start in after:
        cycle = _cycle_from(start, after, done)
        if cycle:
            first = cycle.index(min(cycle))
            return cycle[first:] + cycle[:first]
    return []


def _cycle_from(start: Channel, after: dict[Channel, dict[Channel, None]], done: set[Channel]) -> list[Channel]:
    """A circle that ``start`` leads to; what leads to none is added to ``done``."""
    path: list[Channel] = []
    on_path: dict[Channel, int] = {}
    todo: list[tuple[Channel, bool]] = [(start, True)]
    while todo:
        channel, enters = todo.pop()
        if not enters:
            path.pop()
            del on_path[channel]
            done.add(channel)
            continue
        if channel in on_path:
            return path[on_path[channel] :]
        if channel in done:
            continue
        on_path[channel] = len(path)
        path.append(channel)
        todo.append((channel, False))
        todo += [(following, True) for following in reversed(list(after.get(channel, ())))]
    return []


def _pairs_of(names: list[str]) -> Iterator[tuple[str, str]]:
    return ((src, dst) for src in names for dst in names if src != dst)


def _pairs_in(system: System, hierarchy: Hierarchy) -> Iterator[tuple[str, str]]:
    first = hierarchy.sips[0]
    inside = [name for cube in first.cubes for name in traffic_routers(system, cube)]
    inside += [name for io in first.ios for name in (io.pcie_ep, io.io_cpu)]
    yield from _pairs_of(inside)
    if len(hierarchy.sips) > 1:
        away = traffic_routers(system, hierarchy.sips[1].cubes[0])[0]
        for name in inside:
            yield name, away
            yield away, name


def traffic_routers(system: System, cube: Cube) -> list[str]:
    """The routers of a cube at which payload begins or ends.

    They stand for the parts there: no way leads through such a part, so its links are in no circle.
    """
    parts = {*cube.hbm, *(pe.router_part for pe in cube.pes), cube.m_cpu, cube.sram}
    return [router for router in cube.mesh.cell if not parts.isdisjoint(system.graph.successors(router))]
