"""The UCIe connections of a cube: which edge routers each serves, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from simcore.program.faults import Path, kind_of
from topology.build.blueprint import Blueprint
from topology.build.links import Line, read_line
from topology.build.meshes import read_cells, router
from topology.build.sections import UcieSection
from topology.hierarchy import SIDES
from topology.mesh import Cell, MeshShape
from topology.system import Position
from topology.text.blocks import Reader
from topology.text.models import read_structure

Connections = dict[str, tuple[tuple[Position, tuple[Cell, ...]], ...]]
"""By side, for each connection: its position and the cells of the routers that it serves."""


def connection(side: str, number: int) -> str:
    """The name of a UCIe connection inside its cube."""
    return f"ucie-{side}.conn{number}"


def add_ucie(
    inside: Blueprint,
    shape: MeshShape,
    position_of: Callable[[Cell], Position],
    size_mm: Position,
    raw: object,
    path: Path,
) -> tuple[Connections, Line | None]:
    """Adds the connections that the section ``ucie`` describes; also gives the link between those of two cubes."""
    reader = inside.reader
    section = read_structure(UcieSection, raw, reader.text, path, reader.findings)
    if section is None:
        return {}, None
    part = reader.part(section.port, (*path, "port"))
    router_line = read_line(reader, section.router_link, (*path, "router_link"))
    line = read_line(reader, section.link, (*path, "link"))
    found: Connections = {}
    for side, groups in section.sides.items():
        if side not in SIDES:
            reader.add((*path, "sides", side), f"unknown side {side} (allowed: {', '.join(SIDES)})", at_key=True)
            continue
        at = (*path, "sides", side)
        rows = [_cells_of_connection(reader, shape, side, g, (*at, k)) for k, g in enumerate(groups)]
        places = [_edge_position(position_of(cells[0]), side, size_mm) for cells in rows if cells]
        found[side] = tuple(zip(places, filter(None, rows), strict=True))
        if part is None or router_line is None:
            continue
        for number, (position, cells) in enumerate(found[side]):
            inside.add(connection(side, number), part, position)
            for cell in cells:
                kinds = ("router_to_ucie", "ucie_to_router")
                inside.join_both(router(cell), connection(side, number), kinds, router_line)
    sizes = {side: len(groups) for side, groups in found.items()}
    for a, b in (("N", "S"), ("E", "W")):
        if a in sizes and b in sizes and sizes[a] != sizes[b]:
            message = f"sides: {sizes[a]} connections on side {a} face {sizes[b]} on side {b} of the next cube"
            reader.add((*path, "sides", b), message)
    return found, line


def _cells_of_connection(reader: Reader, shape: MeshShape, side: str, raw: object, path: Path) -> tuple[Cell, ...]:
    """The routers of one connection: on the edge of its side, no holes."""
    if not isinstance(raw, list) or not raw:
        reader.add(path, f"expected a list of routers such as [r0c1, r0c2], got {kind_of(raw)}")
        return ()
    cells = read_cells(reader, raw, path, shape.w, shape.h)
    edge = {"N": (0, 0), "S": (0, shape.h - 1), "W": (1, 0), "E": (1, shape.w - 1)}[side]
    fitting = []
    for cell in cells:
        if cell in shape.holes:
            reader.add(path, f"{router(cell)} is a hole of the mesh")
        elif cell[edge[0]] != edge[1]:
            reader.add(path, f"{router(cell)} is not on side {side} of the mesh")
        else:
            fitting.append(cell)
    return tuple(fitting)


def _edge_position(router: Position, side: str, size_mm: Position) -> Position:
    """On the cube's edge, in front of the first router that the connection serves."""
    x, y = router
    return {"N": (x, Fraction(0)), "S": (x, size_mm[1]), "W": (Fraction(0), y), "E": (size_mm[0], y)}[side]
