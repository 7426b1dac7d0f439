"""An IO chiplet: the PCIe endpoint, the IO CPU and the NOC between them, and UCIe ports that face cubes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from simcore.program.faults import Path, shown
from topology.build.blueprint import Blueprint, link_between, moved, need_position
from topology.build.cube import CubeBlueprint
from topology.build.cube_ucie import connection
from topology.build.links import Line, read_line
from topology.build.sections import (
    AttachEntry,
    CubeMeshQuantities,
    IoSection,
    IoUcieQuantities,
    IoUcieSection,
)
from topology.hierarchy import IoChiplet, Phy
from topology.system import Position
from topology.text.blocks import Part, Reader
from topology.text.models import keys_of, read_structure

PARTS = ("pcie_ep", "io_cpu", "io_noc")
_OUTWARD = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class IoBlueprint:
    """An IO chiplet, ready to be joined to the cubes of a package. ``attach``: cube and side of each UCIe port."""

    name: str
    parts: dict[str, tuple[Part, Position]]
    port: Part
    line: Line
    noc_line: Line
    cube_line: Line
    switch_line: Line | None
    gap: IoUcieQuantities
    attach: tuple[tuple[int, str], ...]
    connections: tuple[int, ...]

    def add_to(self, package: Blueprint, cube: CubeBlueprint, corner: dict[int, Position]) -> None:
        """Adds the chiplet to ``package``, whose cubes have their north-west corners at ``corner``."""
        for name, (part, position) in self.parts.items():
            package.add(f"{self.name}.{name}", part, position)
        for other in ("pcie_ep", "io_cpu"):
            kinds = ("io_internal", "io_internal")
            package.join_both(f"{self.name}.{other}", f"{self.name}.io_noc", kinds, self.line)
        for number, (index, side) in enumerate(self.attach):
            outward = _OUTWARD[side]
            for k, (inside, _) in enumerate(cube.connections[side]):
                here = moved(inside, corner[index])
                away = (here[0] + outward[0] * self.gap.gap_mm, here[1] + outward[1] * self.gap.gap_mm)
                node, facing = self.connection(number, k), f"cube{index}.{connection(side, k)}"
                package.add(node, self.port, away)
                package.join_both(f"{self.name}.io_noc", node, ("noc_to_ucie", "ucie_to_noc"), self.noc_line)
                package.links.append(link_between(self.cube_line, node, facing, "io_to_cube", (away, here)))
                package.links.append(link_between(self.cube_line, facing, node, "cube_to_io", (here, away)))

    def connection(self, port: int, number: int) -> str:
        """The name of a connection inside the package."""
        return f"{self.name}.io_ucie-P{port}.conn{number}"

    def chiplet(self, sip: str) -> IoChiplet:
        """What stands where in the chiplet of the package ``sip``."""
        phys = tuple(
            Phy(number, cube, side, tuple(f"{sip}.{self.connection(number, k)}" for k in range(count)))
            for number, ((cube, side), count) in enumerate(zip(self.attach, self.connections, strict=True))
        )
        pcie_ep, io_cpu, io_noc = (f"{sip}.{self.name}.{part}" for part in PARTS)
        return IoChiplet(f"{sip}.{self.name}", pcie_ep, io_cpu, io_noc, phys)


def read_io(
    reader: Reader, raw: object, path: Path, mesh: CubeMeshQuantities, cube: CubeBlueprint
) -> IoBlueprint | None:
    """The chiplet of one entry of the section ``io``."""
    before = len(reader.findings.problems)
    section = read_structure(IoSection, raw, reader.text, path, reader.findings)
    if section is None:
        return None
    if not _WORD.fullmatch(section.name):
        reader.add((*path, "name"), f"name: {shown(section.name)} is no word such as io0")
    parts = {}
    for name in PARTS:
        part = reader.part(getattr(section, name), (*path, name))
        if part is not None:
            parts[name] = (part, need_position(reader, part, (*path, name), name))
    line = read_line(reader, section.link, (*path, "link"))
    switch_line = None
    if section.switch_link is not None:
        switch_line = read_line(reader, section.switch_link, (*path, "switch_link"))
        if switch_line is not None and switch_line.length_mm is None:
            message = 'link: "length_mm" is missing, in mm (the switch has no position to measure from)'
            reader.add((*path, "switch_link"), message)
    at = (*path, "ucie")
    ucie = read_structure(IoUcieSection, section.ucie, reader.text, at, reader.findings, _GAP_KEYS)
    gap = reader.quantities(IoUcieQuantities, section.ucie, at, "io_ucie")
    if ucie is None or gap is None:
        return None
    port = reader.part(ucie.port, (*at, "port"))
    noc_line, cube_line = (read_line(reader, getattr(ucie, key), (*at, key)) for key in ("noc_link", "link"))
    attach = _read_attach(reader, ucie.attach, (*at, "attach"), mesh, cube)
    if len(reader.findings.problems) > before:
        return None
    assert port is not None and line is not None and noc_line is not None and cube_line is not None
    counts = tuple(len(cube.connections[side]) for _, side in attach)
    return IoBlueprint(
        section.name, parts, port, line, noc_line, cube_line, switch_line, gap.values, tuple(attach), counts
    )


_GAP_KEYS = ("template", *keys_of(IoUcieQuantities))


def _read_attach(
    reader: Reader, raw: list[object], path: Path, mesh: CubeMeshQuantities, cube: CubeBlueprint
) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    cubes = mesh.w * mesh.h
    for index, item in enumerate(raw):
        at = (*path, index)
        entry = read_structure(AttachEntry, item, reader.text, at, reader.findings)
        if entry is None:
            continue
        if not 0 <= entry.cube < cubes:
            reader.add((*at, "cube"), f"cube: {entry.cube} is outside the package (allowed: 0 to {cubes - 1})")
            continue
        x, y = entry.cube % mesh.w, entry.cube // mesh.w
        is_outer = {"N": y == 0, "S": y == mesh.h - 1, "W": x == 0, "E": x == mesh.w - 1}[entry.side]
        if not is_outer:
            reader.add((*at, "side"), f"side: side {entry.side} of cube {entry.cube} faces another cube")
        elif not cube.connections.get(entry.side):
            reader.add((*at, "side"), f"side: cubes have no UCIe connections on side {entry.side}")
        elif (entry.cube, entry.side) in found:
            reader.add(at, f"side {entry.side} of cube {entry.cube} is taken by another port")
        else:
            found.append((entry.cube, entry.side))
    if not raw:
        reader.add(path, "attach: the chiplet faces no cube")
    return found
