"""A cube: its routers, the PE tiles and HBM slices at them, M_CPU, SRAM, and the UCIe connections around."""

from __future__ import annotations

from collections.abc import Callable

from topology.draw.links import links_between, rate_of
from topology.draw.svg import Canvas, Point
from topology.hierarchy import Cube, Hierarchy
from topology.mesh import Cell
from topology.system import System

PITCH_PX = 120.0
ROUTER_PX = (44.0, 24.0)
TILE_PX = (46.0, 40.0)
UCIE_PX = (66.0, 26.0)
_OUT = {"N": (0.0, -1.0), "S": (0.0, 1.0), "W": (-1.0, 0.0), "E": (1.0, 0.0)}


def draw_cube(system: System, hierarchy: Hierarchy) -> Canvas:
    """The first cube."""
    cube = hierarchy.sips[0].cubes[0]
    shape = cube.mesh.shape
    canvas = Canvas(f"{system.name}: cube {cube.name}", _notes(system, cube))
    _draw_holes(canvas, cube)
    for cell in shape.cells():
        for other in shape.neighbours(cell):
            if other > cell:
                canvas.line(_at(cell), _at(other))
    _draw_ucie(canvas, system, cube)
    _draw_tiles(canvas, cube)
    _draw_attached(canvas, system, cube)
    for cell, name in cube.mesh.router.items():
        canvas.box(_at(cell), ROUTER_PX, "box network", name.rpartition(".")[2], hint=name)
    return canvas


def _at(cell: Cell) -> Point:
    return cell[1] * PITCH_PX, cell[0] * PITCH_PX


def _notes(system: System, cube: Cube) -> list[str]:
    routers = list(cube.mesh.cell)
    mesh = links_between(system, routers[:1], routers[1:])
    tile = links_between(system, [cube.pes[0].router_part], [cube.pes[0].router])
    hbm = links_between(system, [cube.pes[0].router], list(cube.hbm))
    rates = [("between routers", mesh[:1]), ("PE tile to router", tile), ("router to HBM slice", hbm)]
    return [", ".join(f"{what} {rate_of(links)}" for what, links in rates if rate_of(links)) + ", in both directions"]


def _draw_holes(canvas: Canvas, cube: Cube) -> None:
    """One area if the holes fill a rectangle, otherwise one for each."""
    holes = sorted(cube.mesh.shape.holes)
    if not holes:
        return
    rows, columns = [row for row, _ in holes], [column for _, column in holes]
    high, wide = max(rows) - min(rows) + 1, max(columns) - min(columns) + 1
    if high * wide == len(holes):
        first, last = _at((min(rows), min(columns))), _at((max(rows), max(columns)))
        centre = ((first[0] + last[0]) / 2, (first[1] + last[1]) / 2)
        canvas.box(centre, (wide * PITCH_PX - 8, high * PITCH_PX - 8), "hole", "HBM stack (no routers)")
        return
    for hole in holes:
        canvas.box(_at(hole), (PITCH_PX - 8, PITCH_PX - 8), "hole", "no router")


def _draw_tiles(canvas: Canvas, cube: Cube) -> None:
    """Each tile below its router to the west, its HBM slice to the east; above it in the last row, before side S."""
    for pe, controller in zip(cube.pes, cube.hbm, strict=True):
        x, y = _at(pe.cell)
        y_tile = y - 48 if pe.cell[0] == cube.mesh.shape.h - 1 > 0 else y + 48
        tile, memory = (x - 28, y_tile), (x + 28, y_tile)
        canvas.line((x, y), tile)
        canvas.line((x, y), memory)
        canvas.box(tile, TILE_PX, "box compute", f"pe{pe.index}", hint=pe.name)
        canvas.box(memory, TILE_PX, "box memory", "HBM", f"slice {pe.index}", hint=controller)


def _draw_attached(canvas: Canvas, system: System, cube: Cube) -> None:
    for name, css, label in ((cube.m_cpu, "box compute", "M_CPU"), (cube.sram, "box memory", "SRAM")):
        if name is None:
            continue
        router = next(n for n in system.graph.successors(name) if n in cube.mesh.cell)
        x, y = _at(cube.mesh.cell[router])
        place = (x + 50, y - 38)
        canvas.line((x, y), place)
        canvas.box(place, (52, 26), css, label, hint=name)


def _draw_ucie(canvas: Canvas, system: System, cube: Cube) -> None:
    """Connections on the edges, in the middle of the routers that they serve."""
    for side, connections in cube.sides.items():
        place = _edge(cube, side)
        for connection in connections:
            middle = [sum(_at(cell)[axis] for cell in connection.cells) / len(connection.cells) for axis in (0, 1)]
            at = place((middle[0], middle[1]))
            for cell in connection.cells:
                canvas.line(_at(cell), at)
            canvas.box(at, UCIE_PX, "box network", f"{side}.conn{connection.number}", hint=connection.node)
        if connections:
            routers = list(cube.mesh.cell)
            links = links_between(system, [connections[0].node], routers)
            x, y = place((_at((0, cube.mesh.shape.w - 1))[0] / 2, _at((cube.mesh.shape.h - 1, 0))[1] / 2))
            words = f"UCIe side {side}: {len(connections)} x {rate_of(links[:1])}"
            canvas.text((x, y + _OUT[side][1] * 34) if side in "NS" else (x, -PITCH_PX * 0.62), words)


def _edge(cube: Cube, side: str) -> Callable[[Point], Point]:
    """Puts a point on the given side, outside the routers and what hangs on them."""
    last = _at((cube.mesh.shape.h - 1, cube.mesh.shape.w - 1))
    away = {"N": -100.0, "S": last[1] + 126.0, "W": -130.0, "E": last[0] + 130.0}[side]
    if side in "NS":
        return lambda point: (point[0], away)
    return lambda point: (away, point[1])
