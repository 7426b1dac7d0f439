"""A free graph: parts by name, directed links between them, and meshes of routers with dimension-order routing."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from simcore.program.faults import Path
from topology.build.counters import LARGEST_COUNT, expanded, read_counters
from topology.build.graph import Growing
from topology.build.links import LinkQuantities, read_line
from topology.build.meshes import read_cells
from topology.mesh import MeshShape, RouterMesh
from topology.system import Origin
from topology.text.blocks import PART_KEYS, Part, Reader
from topology.text.models import Structure, keys_of, read_structure
from topology.text.quantities import Count, PairAboveZero, Quantities


class GraphSection(Structure):
    """The whole of a free graph. ``link_template`` serves the links that name no template."""

    nodes: list[Any] = Field(default_factory=list)
    links: list[Any] = Field(default_factory=list)
    meshes: list[Any] = Field(default_factory=list)
    link_template: str | None = None


class NodeEntry(Structure):
    """A part, or many: see :mod:`topology.build.counters`. The other keys are those of a part."""

    name: str
    for_: Any = Field(None, alias="for")


class LinkEntry(Structure):
    """A link, or many. ``both_ways`` adds its reverse; ``one_way`` says that it is meant to have none."""

    src: str
    dst: str
    for_: Any = Field(None, alias="for")
    template: str | None = None
    both_ways: bool = False
    one_way: bool = False


class MeshEntry(Structure):
    """``w`` x ``h`` routers called ``<name>.r<row>c<column>``, joined to their neighbours both ways."""

    name: str
    router: Any
    link: Any
    holes: list[Any] = Field(default_factory=list)
    template: str | None = None


class MeshQuantities(Quantities):
    """Size of a mesh, in routers, and the distance between two of them along x and y."""

    w: Count
    h: Count
    pitch_mm: PairAboveZero


def build_free_graph(reader: Reader, raw: object, path: Path) -> tuple[Growing, tuple[RouterMesh, ...]]:
    """The graph that the mapping ``raw`` describes; what is wrong with it is in the reader's findings."""
    growing = Growing(reader)
    section = read_structure(GraphSection, raw, reader.text, path, reader.findings)
    if section is None:
        return growing, ()
    meshes = [_add_mesh(growing, entry, (*path, "meshes", i)) for i, entry in enumerate(section.meshes)]
    for index, entry in enumerate(section.nodes):
        _add_node(growing, entry, (*path, "nodes", index))
    default = (section.link_template, (*path, "link_template")) if section.link_template is not None else None
    for index, entry in enumerate(section.links):
        _add_link(growing, entry, (*path, "links", index), default)
    if not growing.outline.parts:
        reader.add(path, "graph: there is no part in it")
    return growing, tuple(mesh for mesh in meshes if mesh is not None)


def _add_node(growing: Growing, raw: Any, path: Path) -> None:
    reader = growing.reader
    if isinstance(raw, str):
        for (name,) in expanded(reader, {"name": raw}, {}, path):
            growing.add_part(name, _plain_point(growing.origin(path)), path)
        return
    entry = read_structure(NodeEntry, raw, reader.text, path, reader.findings, PART_KEYS)
    if entry is None:
        if isinstance(raw, dict) and isinstance(raw.get("name"), str):
            growing.add_part(raw["name"], None, path)
        return
    counters = read_counters(reader, entry.for_, (*path, "for")) if entry.for_ is not None else {}
    keys = set(PART_KEYS)
    part = reader.part({key: value for key, value in raw.items() if key in keys}, path)
    for (name,) in expanded(reader, {"name": entry.name}, counters or {}, path) if counters is not None else ():
        growing.add_part(name, part, path)


def _add_link(growing: Growing, raw: Any, path: Path, default: tuple[Any, Path] | None) -> None:
    reader = growing.reader
    entry = read_structure(LinkEntry, raw, reader.text, path, reader.findings, keys_of(LinkQuantities))
    if entry is None:
        return
    line = read_line(reader, raw, path, alone=False, default=default)
    counters = read_counters(reader, entry.for_, (*path, "for")) if entry.for_ is not None else {}
    if counters is None:
        return
    if entry.both_ways and entry.one_way:
        reader.add((*path, "one_way"), "one_way: the link is both_ways already", at_key=True)
    for src, dst in expanded(reader, {"src": entry.src, "dst": entry.dst}, counters, path):
        growing.add_link(src, dst, line, path)
        if entry.both_ways and src != dst:
            growing.add_link(dst, src, line, path, ends=("dst", "src"))
        if entry.one_way:
            growing.outline.one_way.add((src, dst))


def _add_mesh(growing: Growing, raw: Any, path: Path) -> RouterMesh | None:
    reader = growing.reader
    entry = read_structure(MeshEntry, raw, reader.text, path, reader.findings, keys_of(MeshQuantities))
    if entry is None:
        return None
    given = reader.quantities(MeshQuantities, raw, path, "mesh")
    router = reader.part(entry.router, (*path, "router"))
    line = read_line(reader, entry.link, (*path, "link"))
    if given is None:
        return None
    if given.values.w * given.values.h > LARGEST_COUNT:
        reader.add((*path, "w"), f"{given.values.w * given.values.h} routers in one mesh (allowed: {LARGEST_COUNT})")
        return None
    holes = read_cells(reader, entry.holes, (*path, "holes"), given.values.w, given.values.h)
    shape = MeshShape(given.values.w, given.values.h, frozenset(holes))
    for (name,) in expanded(reader, {"name": entry.name}, {}, path):
        mesh = RouterMesh(name, shape)
        pitch_x, pitch_y = given.values.pitch_mm
        for (row, column), node in mesh.router.items():
            growing.add_part(node, router, path, pos_mm=(column * pitch_x, row * pitch_y))
        for cell, node in mesh.router.items():
            for other in shape.neighbours(cell):
                growing.add_link(node, mesh.router[other], line, path)
        return mesh
    return None


def _plain_point(origin: Origin) -> Part:
    return Part("node", None, {}, None, {"kind": origin})
