"""A PE tile: its parts around the centre, and the wires between them."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.program.faults import Path, hinted, kind_of, shown
from topology.build.blueprint import ORIGIN, Blueprint
from topology.build.links import WireQuantities, read_wire
from topology.build.sections import PePartQuantities, PeSection, WireEntry
from topology.text.blocks import Reader
from topology.text.models import keys_of, read_structure


@dataclass(frozen=True, slots=True)
class PeBlueprint:
    """A tile; ``router_part`` hangs on the router, ``command_part`` takes the M_CPU's commands."""

    inside: Blueprint
    router_part: str
    command_part: str | None


def read_pe(reader: Reader, raw: object, path: Path) -> PeBlueprint | None:
    """The tile of the section ``pe``."""
    section = read_structure(PeSection, raw, reader.text, path, reader.findings)
    if section is None:
        return None
    inside = Blueprint(reader)
    for name, block in section.parts.items():
        at = (*path, "parts", name)
        part = reader.part(block, at, ("offset_mm",))
        place = reader.quantities(PePartQuantities, _without_template(block), at, "part")
        if part is not None:
            inside.add(name, part, place.values.offset_mm if place is not None else ORIGIN)
    known = tuple(section.parts)
    for key in ("router_part", "command_part"):
        word = getattr(section, key)
        if word is not None and word not in section.parts:
            reader.add((*path, key), f"{key}: no part of the tile is called {shown(word)} {hinted(word, known)}")
    for index, entry in enumerate(section.wires):
        _add_wire(inside, entry, (*path, "wires", index), known)
    usable = section.router_part in inside.parts and (section.command_part or section.router_part) in inside.parts
    return PeBlueprint(inside, section.router_part, section.command_part) if usable else None


def _without_template(block: object) -> object:
    """The template is that of the part, and has been read."""
    return {key: value for key, value in block.items() if key != "template"} if isinstance(block, dict) else block


def _add_wire(inside: Blueprint, raw: object, path: Path, known: tuple[str, ...]) -> None:
    reader = inside.reader
    entry = read_structure(WireEntry, raw, reader.text, path, reader.findings, keys_of(WireQuantities))
    if entry is None:
        return
    line = read_wire(reader, raw, path, alone=False)
    ends = entry.between
    if len(ends) != 2 or not all(isinstance(end, str) for end in ends) or ends[0] == ends[1]:
        reader.add((*path, "between"), f"between: expected two parts of the tile, got {kind_of(ends)}")
        return
    for index, end in enumerate(ends):
        if end not in known:
            message = f"between: no part of the tile is called {shown(end)} {hinted(end, known)}"
            reader.add((*path, "between", index), message)
            return
    if any(link.src in ends and link.dst in ends for link in inside.links):
        reader.add((*path, "between"), f"a second wire between {ends[0]} and {ends[1]}")
    elif line is not None and all(end in inside.parts for end in ends):
        inside.join_both(ends[0], ends[1], ("pe_internal", "pe_internal"), line)
