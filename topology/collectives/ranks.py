"""Who takes part in a collective: parts of a system, by their names or by a word for the usual ones, and their grid."""

from __future__ import annotations

import re
from collections.abc import Sequence

from simcore.errors import InputError, Problem, hint
from topology.collectives.layout import ONE_PACKAGE, Grid, Layout, Packages
from topology.hierarchy import Hierarchy, PeTile
from topology.system import System

RANKS, GRID = "--ranks", "--grid"
Spot = tuple[int, int, int]
"""Package, row and column."""


def layout_of(system: System, ranks: str | None = None, grid: str | None = None) -> Layout:
    """The ranks that ``ranks`` names, in that order, and their grid.

    ``ranks``: names of parts or PE tiles, separated by commas, with ``*`` for anything without a dot; ``peK``: that PE
    of every cube. None: PE 0 of every cube, all routers of a mesh, or all NeuronCores. ``grid``: ``WxH``, or ``WxHxP``
    for P packages in a ring; None: as the parts stand in the system, if they fill a grid row by row.
    Raises InputError with everything that is wrong.
    """
    problems: list[Problem] = []
    nodes = _nodes(system, ranks, problems)
    given = _given_grid(grid, len(nodes), problems) if grid is not None else None
    if problems:
        raise InputError(problems)
    return Layout(tuple(nodes), given if given is not None else _own_grid(system, nodes))


def _nodes(system: System, ranks: str | None, problems: list[Problem]) -> list[str]:
    if ranks is None:
        found = _usual(system)
        if not found:
            message = f"is missing: {system.name} has no PE tiles, no mesh and no NeuronCores to choose from"
            problems.append(Problem(f"{message} (expected names of parts, separated by commas)", RANKS))
        return found
    tiles = {tile.name: tile for tile in _tiles(system.hierarchy)}
    nodes: dict[str, None] = {}
    for item in ranks.split(","):
        for node in _matching(system, item.strip(), tiles, problems):
            if node in nodes:
                problems.append(Problem(f"{node} stands twice in the list", RANKS))
            nodes[node] = None
    return list(nodes)


def _usual(system: System) -> list[str]:
    if system.hierarchy is not None:
        return [tile.router_part for tile in _tiles(system.hierarchy) if tile.index == 0]
    if len(system.meshes) == 1:
        return list(system.meshes[0].cell)
    return [node.name for node in system.nodes() if node.kind == "neuron_core"]


def _matching(system: System, item: str, tiles: dict[str, PeTile], problems: list[Problem]) -> list[str]:
    """The parts that one item of the list stands for."""
    if tiles and (word := re.fullmatch(r"pe(\d+)", item, re.ASCII)):
        found = [tile.router_part for tile in tiles.values() if tile.index == int(word[1])]
        if not found:
            last = max(tile.index for tile in tiles.values())
            problems.append(Problem(f"no PE {word[1]} in a cube (allowed: pe0 to pe{last})", RANKS))
        return found
    pattern = re.compile("[^.]*".join(map(re.escape, item.split("*"))))
    found = [tile.router_part for name, tile in tiles.items() if pattern.fullmatch(name)]
    found = found or [name for name in system.graph if pattern.fullmatch(name)]
    if not found:
        problems.append(Problem(f'no part "{item}" {hint(item, [*tiles, *system.graph])}', RANKS))
    return found


def _given_grid(word: str, ranks: int, problems: list[Problem]) -> Grid | None:
    found = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)(?:x([1-9]\d*))?", word, re.ASCII)
    if found is None:
        problems.append(Problem(f'"{word}" (expected WxH, or WxHxP for P packages)', GRID))
        return None
    grid = Grid(int(found[1]), int(found[2]), Packages(int(found[3] or 1), 1, "ring_1d"))
    if ranks and grid.size != ranks:
        problems.append(Problem(f"{word} has {grid.size} places for {ranks} ranks", GRID))
    return grid


def _own_grid(system: System, nodes: Sequence[str]) -> Grid | None:
    spots = _spots(system)
    if not all(node in spots for node in nodes):
        return None
    found = [spots[node] for node in nodes]
    packages, rows, columns = (sorted(set(values)) for values in zip(*found, strict=True))
    if found != [(package, row, column) for package in packages for row in rows for column in columns]:
        return None
    if len(packages) == 1:
        return Grid(len(columns), len(rows), ONE_PACKAGE)
    hierarchy = system.hierarchy
    assert hierarchy is not None
    if len(packages) < len(hierarchy.sips):
        return None
    joined = Packages(hierarchy.sip_w, hierarchy.sip_h, hierarchy.sip_topology)
    return Grid(len(columns), len(rows), joined)


def _spots(system: System) -> dict[str, Spot]:
    """Where the parts stand that fill a grid: one per cube, or routers of a single mesh."""
    if system.hierarchy is not None:
        cubes = [cube for sip in system.hierarchy.sips for cube in sip.cubes]
        return {part: (cube.sip, cube.y, cube.x) for cube in cubes for tile in cube.pes for part in tile.parts.values()}
    if len(system.meshes) == 1:
        return {router: (0, *cell) for router, cell in system.meshes[0].cell.items()}
    return {}


def _tiles(hierarchy: Hierarchy | None) -> list[PeTile]:
    sips = hierarchy.sips if hierarchy is not None else ()
    return [tile for sip in sips for cube in sip.cubes for tile in cube.pes]
