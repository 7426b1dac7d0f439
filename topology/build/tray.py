"""The tray: packages of cubes, their IO chiplets, and the switch between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import networkx as nx

from simcore.program.faults import Path, shown
from topology.address_map import AddressMap
from topology.build.blueprint import Blueprint, link_between, moved
from topology.build.cube import CubeBlueprint, read_cube
from topology.build.cube_ucie import connection
from topology.build.io_chiplet import IoBlueprint, read_io
from topology.build.memory import address_map_of
from topology.build.pe_tile import read_pe
from topology.build.sections import CubeMeshQuantities, SipSection, SipsQuantities, SipsSection
from topology.hierarchy import OPPOSITE, Hierarchy, Sip
from topology.system import NodeSpec, Position
from topology.text.blocks import Given, Part, Reader
from topology.text.models import keys_of, read_structure

SWITCH = "fabric.switch0"


@dataclass(frozen=True, slots=True)
class Tray:
    """A hierarchical system, built."""

    graph: nx.DiGraph[str]
    hierarchy: Hierarchy
    address_map: AddressMap


@dataclass(frozen=True, slots=True)
class _Sips:
    count: int
    topology: str
    w: int
    h: int


def build_tray(reader: Reader, document: dict[str, object]) -> Tray | None:
    """The system of the sections ``sips``, ``sip``, ``cube``, ``pe`` and ``switch``; None if it cannot be built."""
    missing = [key for key in ("sips", "sip", "cube", "pe") if key not in document]
    for key in missing:
        reader.add((), f'missing key "{key}"')
    if missing:
        return None
    sips = _read_sips(reader, document["sips"], ("sips",))
    pe = read_pe(reader, document["pe"], ("pe",))
    cube = read_cube(reader, document["cube"], ("cube",), pe)
    section = read_structure(SipSection, document["sip"], reader.text, ("sip",), reader.findings)
    mesh = ios = None
    if section is not None:
        mesh = reader.quantities(CubeMeshQuantities, section.cube_mesh, ("sip", "cube_mesh"), "cube_mesh", alone=True)
        if mesh is not None and cube is not None:
            ios = [read_io(reader, raw, ("sip", "io", k), mesh.values, cube) for k, raw in enumerate(section.io)]
            _check_io_names(reader, ios)
    switch = _read_switch(reader, document)
    if sips is None or cube is None or mesh is None or ios is None:
        return None
    _check_fit(reader, mesh, cube)
    if sips.count > 1 and (switch is None or not ios):
        reader.add(("sips",), f"{sips.count} packages need a switch and an IO chiplet each to reach one another")
    for number, io in enumerate(ios):
        if io is not None and switch is not None and io.switch_line is None:
            reader.add(("sip", "io", number), 'missing key "switch_link"')
    m = mesh.values
    address_map = address_map_of(reader, cube, sips.count, m.w * m.h, len(ios))
    if reader.findings.problems or address_map is None:
        return None
    return _built(sips, cube, m, [io for io in ios if io is not None], switch, address_map)


def _built(
    sips: _Sips,
    cube: CubeBlueprint,
    mesh: CubeMeshQuantities,
    ios: list[IoBlueprint],
    switch: Part | None,
    address_map: AddressMap,
) -> Tray:
    graph: nx.DiGraph[str] = nx.DiGraph()
    if switch is not None:
        graph.add_node(SWITCH, spec=NodeSpec(SWITCH, switch.kind, switch.impl, switch.parameters, None, switch.origin))
    package = _package(cube, mesh, ios)
    found = []
    for index in range(sips.count):
        name = f"sip{index}"
        package.stamp(graph, name, (Fraction(0), Fraction(0)))
        cubes = tuple(
            cube.cube(index, y * mesh.w + x, x, y, f"{name}.cube{y * mesh.w + x}")
            for y in range(mesh.h)
            for x in range(mesh.w)
        )
        chiplets = tuple(io.chiplet(name) for io in ios)
        for io, chiplet in zip(ios, chiplets, strict=True):
            if switch is not None and io.switch_line is not None:
                for src, dst in ((SWITCH, chiplet.pcie_ep), (chiplet.pcie_ep, SWITCH)):
                    spec = io.switch_line.between(src, dst, "pcie", None)
                    assert spec is not None  # read_io asks for its length
                    graph.add_edge(src, dst, spec=spec)
        found.append(Sip(index, name, mesh.w, mesh.h, cubes, chiplets))
    hierarchy = Hierarchy(tuple(found), SWITCH if switch is not None else None, sips.topology, sips.w, sips.h)
    return Tray(graph, hierarchy, address_map)


def _package(cube: CubeBlueprint, mesh: CubeMeshQuantities, ios: list[IoBlueprint]) -> Blueprint:
    """One package, with the links between its cubes and to its IO chiplets."""
    package = Blueprint(cube.inside.reader)
    corner: dict[int, Position] = {}
    for y in range(mesh.h):
        for x in range(mesh.w):
            index = y * mesh.w + x
            corner[index] = (x * mesh.cube_pitch_mm[0], y * mesh.cube_pitch_mm[1])
            package.include(cube.inside, f"cube{index}", corner[index])
    for index in corner:
        x, y = index % mesh.w, index // mesh.w
        if x + 1 < mesh.w:
            _join_cubes(package, cube, (index, "E"), (index + 1, "W"), corner)
        if y + 1 < mesh.h:
            _join_cubes(package, cube, (index, "S"), (index + mesh.w, "N"), corner)
    for io in ios:
        io.add_to(package, cube, corner)
    return package


def _join_cubes(
    package: Blueprint, cube: CubeBlueprint, a: tuple[int, str], b: tuple[int, str], corner: dict[int, Position]
) -> None:
    line = cube.ucie_line
    assert line is not None  # _check_fit asks for it where there are neighbours
    for number, ((at_a, _), (at_b, _)) in enumerate(zip(cube.connections[a[1]], cube.connections[b[1]], strict=True)):
        ends = [
            (f"cube{index}.{connection(side, number)}", moved(at, corner[index]))
            for (index, side), at in ((a, at_a), (b, at_b))
        ]
        for (src, here), (dst, there) in (ends, reversed(ends)):
            package.links.append(link_between(line, src, dst, "cube_to_cube", (here, there)))


def _check_fit(reader: Reader, mesh: Given[CubeMeshQuantities], cube: CubeBlueprint) -> None:
    """Neighbouring cubes need connections on the sides that they turn to each other."""
    w, h = mesh.values.w, mesh.values.h
    for side, needed in (("E", w > 1), ("W", w > 1), ("N", h > 1), ("S", h > 1)):
        if needed and not cube.connections.get(side):
            reader.add(
                ("cube", "ucie", "sides") if cube.connections else ("cube",),
                f"ucie: a cube mesh of {w} x {h} needs connections on side {side} (and {OPPOSITE[side]})",
            )


def _read_sips(reader: Reader, raw: object, path: Path) -> _Sips | None:
    section = read_structure(SipsSection, raw, reader.text, path, reader.findings, keys_of(SipsQuantities))
    given = reader.quantities(SipsQuantities, raw, path, "sips")
    if section is None or given is None:
        return None
    v = given.values
    if section.topology == "ring_1d":
        if (v.w, v.h) != (None, None):
            reader.add(path, "w: a ring_1d has no width and height")
        return _Sips(v.count, section.topology, v.count, 1)
    root = math.isqrt(v.count)
    if v.w is None and v.h is None and root * root != v.count:
        reader.add((*path, "count"), f"count: {v.count} packages make no square: write w and h")
        return None
    w = v.w or (v.count // v.h if v.h else root)
    h = v.h or v.count // w
    if w * h != v.count:
        reader.add((*path, "count"), f"count: {v.count} packages do not fill {w} x {h}")
        return None
    return _Sips(v.count, section.topology, w, h)


def _read_switch(reader: Reader, document: dict[str, object]) -> Part | None:
    return reader.part(document["switch"], ("switch",)) if "switch" in document else None


def _check_io_names(reader: Reader, ios: list[IoBlueprint | None]) -> None:
    names: list[str] = []
    for index, io in enumerate(ios):
        if io is not None and io.name in names:
            reader.add(("sip", "io", index, "name"), f"a second IO chiplet called {shown(io.name)}")
        elif io is not None:
            names.append(io.name)
