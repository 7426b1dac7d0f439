"""A topology file (``kernbench.topology/1``): its head, its options, and the system that its sections describe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Literal

from pydantic import Field

from simcore.program.faults import Path, kind_of, shown
from topology.build.free_graph import build_free_graph
from topology.build.graph import Outline
from topology.build.tray import build_tray
from topology.system import Origin, System
from topology.text.blocks import Part, Reader
from topology.text.document import Findings, Text
from topology.text.models import Structure, read_structure
from topology.text.own_parts import load_own_parts
from topology.text.quantities import Count, CountOrUnbounded, NotNegative, Quantities
from topology.text.templates import read_templates

SCHEMA = "kernbench.topology/1"
HIERARCHY_SECTIONS = ("switch", "sips", "sip", "cube", "pe")

Arbitration = Literal["flow_round_robin", "port_round_robin", "fifo"]
UcieSpreading = Literal["none", "by_source"]


class Document(Structure):
    """The sections of a file: ``graph`` for a free graph, or all of a hierarchy."""

    schema_: Literal["kernbench.topology/1"] = Field(alias="schema")
    name: str
    summary: str = ""
    parts: Any = Field(default_factory=list)
    use: list[Any] = Field(default_factory=list)
    templates: dict[str, Any] = Field(default_factory=dict)
    system: Any
    graph: Any = None
    switch: Any = None
    sips: Any = None
    sip: Any = None
    cube: Any = None
    pe: Any = None
    probe: Any = None


class SystemQuantities(Quantities):
    """What holds for the whole system; see :class:`topology.system.System`."""

    ns_per_mm: NotNegative
    flit_bytes: Count
    window_flits: CountOrUnbounded
    buffer_bytes: CountOrUnbounded
    arbitration: Arbitration
    ucie_spreading: UcieSpreading


class ProbeSection(Structure):
    """The probe cases that the system must be able to place."""

    cases: list[Any]


@dataclass(frozen=True, slots=True)
class Read:
    """What a file gave: its system, unless something is wrong; the names of a free graph and the parts all the same."""

    system: System | None
    outline: Outline | None
    parts: Sequence[Part] = ()


def read_document(text: Text, folder: FilePath, findings: Findings) -> Read:
    """The system that ``text`` describes; what is wrong goes to ``findings``. ``folder``: where its sets are."""
    findings.files.append(text.file)
    document = read_structure(Document, text.document, text, (), findings)
    if document is None:
        return Read(None, None)
    load_own_parts(text, document.parts, folder, findings)
    templates = read_templates(text, document.templates, document.use, folder, findings)
    reader = Reader(text, templates, findings)
    options = reader.quantities(SystemQuantities, document.system, ("system",), "system", alone=True)
    cases = _read_cases(reader, document.probe)
    sections = {key: text.document[key] for key in HIERARCHY_SECTIONS if key in text.document}
    if "graph" in text.document:
        for key in sections:
            reader.add((key,), f'{key}: does not go with "graph" (a free graph has no packages)', at_key=True)
        growing, meshes = build_free_graph(reader, document.graph, ("graph",))
        graph, outline, hierarchy, address_map = growing.graph, growing.outline, None, None
    elif sections:
        tray = build_tray(reader, sections)
        if tray is None:
            return Read(None, None, reader.parts)
        graph, outline, hierarchy, address_map = tray.graph, None, tray.hierarchy, tray.address_map
        meshes = tuple(cube.mesh for sip in tray.hierarchy.sips for cube in sip.cubes)
    else:
        reader.add((), 'missing key "graph" (or, for a hierarchy: sips, sip, cube, pe)')
        return Read(None, None, reader.parts)
    if options is None or findings.problems:
        return Read(None, outline, reader.parts)
    v = options.values
    system = System(
        name=document.name,
        file=text.file,
        summary=document.summary,
        ns_per_mm=v.ns_per_mm,
        flit_bytes=v.flit_bytes,
        arbitration=v.arbitration,
        window_flits=v.window_flits,
        buffer_bytes=v.buffer_bytes,
        ucie_spreading=v.ucie_spreading,
        graph=graph,
        meshes=meshes,
        hierarchy=hierarchy,
        address_map=address_map,
        probe_cases=cases,
        stated=tuple(reader.stated),
    )
    return Read(system, outline, reader.parts)


def _read_cases(reader: Reader, raw: object) -> dict[str, Origin] | None:
    """The cases of the section ``probe`` with their places; None if there is no such section."""
    if raw is None:
        return None
    path: Path = ("probe",)
    section = read_structure(ProbeSection, raw, reader.text, path, reader.findings)
    cases: dict[str, Origin] = {}
    for index, case in enumerate(section.cases if section is not None else ()):
        at = (*path, "cases", index)
        if not isinstance(case, str):
            reader.add(at, f"cases: expected the name of a probe case, got {kind_of(case)}")
        elif case in cases:
            reader.add(at, f"cases: {shown(case)} stands twice in the list")
        else:
            cases[case] = Origin(reader.text.file, *reader.text.place(at))
    return cases
