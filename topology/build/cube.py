"""A cube: routers around the HBM stack, PE tiles with their HBM slices, M_CPU, SRAM, and the UCIe connections."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from simcore.program.faults import Path
from topology.build.blueprint import Blueprint, need_position
from topology.build.cube_ucie import Connections, add_ucie, connection
from topology.build.links import Line, read_line, read_wire
from topology.build.meshes import read_cell, read_cells, router
from topology.build.pe_tile import PeBlueprint
from topology.build.sections import (
    AttachedSection,
    CubeRoutersSection,
    CubeSection,
    GeometryQuantities,
    MCpuSection,
    MemoryQuantities,
    MemorySection,
    MeshSize,
    PesSection,
)
from topology.hierarchy import Connection, Cube, PeTile
from topology.mesh import Cell, MeshShape, RouterMesh
from topology.system import Position
from topology.text.blocks import PART_KEYS, Given, Reader
from topology.text.models import keys_of, read_structure
from topology.text.quantities import shown

MOST_ROUTERS = 4096
"""Of one cube: a slip of the pen should not fill the memory."""


@dataclass(slots=True)
class CubeBlueprint:
    """A cube, ready to be stamped."""

    inside: Blueprint
    shape: MeshShape
    pe: PeBlueprint
    cells: list[Cell]
    memory: Given[MemoryQuantities]
    has_m_cpu: bool
    has_sram: bool
    connections: Connections
    ucie_line: Line | None

    def cube(self, sip: int, index: int, x: int, y: int, name: str) -> Cube:
        """What stands where in the cube that is called ``name``."""
        mesh = RouterMesh(name, self.shape)
        pes = []
        for number, cell in enumerate(self.cells):
            pe = f"{name}.pe{number}"
            parts = {part: f"{pe}.{part}" for part in self.pe.inside.parts}
            command = self.pe.command_part
            pes.append(
                PeTile(
                    number,
                    pe,
                    cell,
                    mesh.router[cell],
                    parts[self.pe.router_part],
                    parts[command] if command is not None else None,
                    parts,
                )
            )
        sides = {
            side: tuple(Connection(k, f"{name}.{connection(side, k)}", cells) for k, (_, cells) in enumerate(group))
            for side, group in self.connections.items()
        }
        return Cube(
            sip,
            index,
            x,
            y,
            name,
            mesh,
            tuple(pes),
            tuple(f"{name}.hbm_ctrl.pe{number}" for number in range(len(self.cells))),
            f"{name}.m_cpu" if self.has_m_cpu else None,
            f"{name}.sram" if self.has_sram else None,
            sides,
        )


@dataclass(slots=True)
class _Routers:
    """The mesh inside a cube: names and positions of its routers."""

    shape: MeshShape
    geometry: GeometryQuantities

    def at(self, cell: Cell) -> Position:
        g = self.geometry
        return (
            g.router_origin_mm[0] + cell[1] * g.router_pitch_mm[0],
            g.router_origin_mm[1] + cell[0] * g.router_pitch_mm[1],
        )

    def nearest(self, position: Position) -> Cell:
        """The router nearest to ``position``, of equals the first row by row."""

        def distance(cell: Cell) -> tuple[Fraction, Cell]:
            here = self.at(cell)
            return abs(here[0] - position[0]) + abs(here[1] - position[1]), cell

        return min(self.shape.cells(), key=distance)


def read_cube(reader: Reader, raw: object, path: Path, pe: PeBlueprint | None) -> CubeBlueprint | None:
    """The cube of the section ``cube``, with a tile ``pe`` at every place that it names."""
    section = read_structure(CubeSection, raw, reader.text, path, reader.findings)
    if section is None:
        return None
    before = len(reader.findings.problems)
    inside = Blueprint(reader)
    geometry = reader.quantities(GeometryQuantities, section.geometry, (*path, "geometry"), "geometry", alone=True)
    shape = _add_routers(inside, section.mesh, (*path, "mesh"), geometry)
    pes = read_structure(PesSection, section.pes, reader.text, (*path, "pes"), reader.findings)
    memory_structure = read_structure(
        MemorySection, section.memory, reader.text, (*path, "memory"), reader.findings, _MEMORY_KEYS
    )
    memory = reader.quantities(MemoryQuantities, section.memory, (*path, "memory"), "memory")
    if shape is None or geometry is None or pes is None or memory_structure is None or memory is None or pe is None:
        return None
    routers = _Routers(shape, geometry.values)
    cells = _cells_of_pes(reader, pes, (*path, "pes", "at"), shape)
    if memory.values.hbm_slices != len(pes.at):
        message = f"hbm_slices: {memory.values.hbm_slices} slices for {len(pes.at)} PE tiles (one slice each)"
        at = "hbm_slices" if isinstance(section.memory, dict) and "hbm_slices" in section.memory else "template"
        reader.add((*path, "memory", at), message)
    _add_pes(inside, routers, pe, pes, cells, (*path, "pes"))
    _add_memory(inside, routers, memory_structure, cells, (*path, "memory"))
    for name in ("m_cpu", "sram"):
        block = getattr(section, name)
        if block is not None:
            _add_attached(inside, routers, name, block, (*path, name), pe, cells)
    connections: Connections = {}
    ucie_line = None
    if section.ucie is not None:
        size_mm = geometry.values.size_mm
        connections, ucie_line = add_ucie(inside, shape, routers.at, size_mm, section.ucie, (*path, "ucie"))
    if len(reader.findings.problems) > before:
        return None
    has = (section.m_cpu is not None, section.sram is not None)
    return CubeBlueprint(inside, shape, pe, cells, memory, *has, connections, ucie_line)


_MEMORY_KEYS = ("template", *keys_of(MemoryQuantities))


def _add_routers(
    inside: Blueprint, raw: object, path: Path, geometry: Given[GeometryQuantities] | None
) -> MeshShape | None:
    reader = inside.reader
    section = read_structure(CubeRoutersSection, raw, reader.text, path, reader.findings, keys_of(MeshSize))
    size = reader.quantities(MeshSize, raw, path, "mesh")
    if section is None or size is None:
        return None
    part = reader.part(section.router, (*path, "router"))
    line = read_line(reader, section.link, (*path, "link"))
    w, h = size.values.w, size.values.h
    if w * h > MOST_ROUTERS:
        reader.add((*path, "w"), f"{w * h} routers in one cube (allowed: up to {MOST_ROUTERS})")
        return None
    shape = MeshShape(w, h, frozenset(read_cells(reader, section.holes, (*path, "holes"), w, h)))
    if len(shape.holes) == w * h:
        reader.add((*path, "holes"), "holes: no router is left")
        return None
    if geometry is None:
        return shape
    routers = _Routers(shape, geometry.values)
    last, room = routers.at((h - 1, w - 1)), geometry.values.size_mm
    if last[0] > room[0] or last[1] > room[1] or min(geometry.values.router_origin_mm) < 0:
        message = f"{w} x {h} routers do not fit: r{h - 1}c{w - 1} stands at {shown(last)} mm"
        reader.add((*path, "w"), f"{message}, the cube ends at {shown(room)} mm")
    if part is None or line is None:
        return None
    for cell in shape.cells():
        inside.add(router(cell), part, routers.at(cell))
    for cell in shape.cells():
        for other in shape.neighbours(cell):
            inside.join(router(cell), router(other), "router_to_router", line)
    return shape


def _cells_of_pes(reader: Reader, pes: PesSection, path: Path, shape: MeshShape) -> list[Cell]:
    cells = []
    for index, word in enumerate(pes.at):
        cell = read_cell(reader, word, (*path, index), shape.w, shape.h)
        if cell is not None and cell in shape.holes:
            reader.add((*path, index), f"{word} is a hole of the mesh")
        elif cell is not None:
            cells.append(cell)
    if not pes.at:
        reader.add(path, "at: there is no PE tile in the cube")
    return cells


def _add_pes(
    inside: Blueprint, routers: _Routers, pe: PeBlueprint, pes: PesSection, cells: list[Cell], path: Path
) -> None:
    line = read_line(inside.reader, pes.link, (*path, "link"))
    for number, cell in enumerate(cells):
        inside.include(pe.inside, f"pe{number}", routers.at(cell))
        if line is not None:
            kinds = ("pe_to_router", "router_to_pe")
            inside.join_both(f"pe{number}.{pe.router_part}", router(cell), kinds, line)


def _add_memory(inside: Blueprint, routers: _Routers, section: MemorySection, cells: list[Cell], path: Path) -> None:
    part = inside.reader.part(section.controller, (*path, "controller"))
    line = read_line(inside.reader, section.link, (*path, "link"))
    for number, cell in enumerate(cells):
        if part is not None and line is not None:
            inside.add(f"hbm_ctrl.pe{number}", part, routers.at(cell))
            inside.join_both(router(cell), f"hbm_ctrl.pe{number}", ("router_to_hbm", "hbm_to_router"), line)


def _add_attached(
    inside: Blueprint, routers: _Routers, name: str, raw: object, path: Path, pe: PeBlueprint, cells: list[Cell]
) -> None:
    reader = inside.reader
    model = MCpuSection if name == "m_cpu" else AttachedSection
    section = read_structure(model, raw, reader.text, path, reader.findings, PART_KEYS)
    if section is None:
        return
    part = reader.part(raw, path, keys_of(model))
    line = read_line(reader, section.link, (*path, "link"))
    if part is None or line is None:
        return
    position = need_position(reader, part, path, name)
    at = router(routers.nearest(position))
    inside.add(name, part, position)
    inside.join_both(at, name, (f"router_to_{name}", f"{name}_to_router"), line)
    command = getattr(section, "command_link", None)
    if command is None:
        return
    wire = read_wire(reader, command, (*path, "command_link"))
    if pe.command_part is None:
        reader.add((*path, "command_link"), 'command_link: the section "pe" names no command_part')
    elif wire is not None:
        for number in range(len(cells)):
            inside.join_both(name, f"pe{number}.{pe.command_part}", ("command", "command"), wire)
