"""Reading a traffic file (``kernbench.traffic/1``): its system, flows and options; YAML or JSON, all faults at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from benches.flows.document import Document, FlowEntry, FlowQuantities, OptionQuantities
from benches.flows.traffic import (
    FlowOptions,
    FlowSpec,
    Traffic,
    graph_alone,
    route_of,
    waiting_circle,
)
from benches.work_limit import fault_of_work, flits_over_links
from simcore.errors import InputError, hint
from simcore.program.faults import Path, shown
from topology.build.free_graph import build_free_graph
from topology.loader import load_system, shipped_systems
from topology.machine.site import Site
from topology.system import System
from topology.text.blocks import Reader
from topology.text.document import Findings, read_file
from topology.text.models import keys_of, read_structure

WHAT = "traffic"


def read_traffic(source: str | os.PathLike[str]) -> Traffic:
    """The traffic in the file ``source``. Raises InputError with all its faults, each with its line and column."""
    file = os.fspath(source)
    text = read_file(FilePath(source), file, WHAT)
    findings = Findings(files=[file])
    document = read_structure(Document, text.document, text, (), findings)
    if document is None:
        raise InputError(findings.in_order())
    reader = Reader(text, {}, findings)
    name = document.name or FilePath(source).stem
    options = _read_options(reader, document)
    system = _read_system(reader, document, name, FilePath(source).parent)
    if system is not None:
        system = _with_options(system, options)
    flows: list[tuple[FlowSpec, Path]] = []
    named: list[tuple[str, Path]] = []
    for number_, raw in enumerate(document.flows):
        path: Path = ("flows", number_)
        spec = _read_flow(reader, raw, path)
        if spec is not None:
            flows.append((spec, path))
        if isinstance(raw, dict) and isinstance(raw.get("name"), str):
            named.append((raw["name"], path))
    if not document.flows:
        reader.add(("flows",), "flows: there is none")
    _check_names(reader, flows, named)
    if system is not None:
        _check_buffers(reader, flows, system)
        links = _check_ways(reader, flows, system)
        sizes = zip([spec.nbytes for spec, _ in flows], links, strict=True)
        fault = fault_of_work(flits_over_links(sizes, system.flit_bytes))
        if fault is not None:
            reader.add(("flows",), f"flows: {fault}", at_key=True)
    findings.raise_any()
    assert system is not None
    return Traffic(name, system, tuple([spec for spec, _ in flows]), FlowOptions.of(system), file)


def _read_options(reader: Reader, document: Document) -> OptionQuantities:
    """The options; after a fault those that there are without them."""
    if document.options is None:
        return OptionQuantities()
    given = reader.quantities(OptionQuantities, document.options, ("options",), "options", alone=True)
    return given.values if given is not None else OptionQuantities()


def _with_options(system: System, options: OptionQuantities) -> System:
    """``system`` with the options that the file gives."""
    given = {key: getattr(options, key) for key in OptionQuantities.model_fields if key in options.model_fields_set}
    return replace(system, **given)


def _read_system(reader: Reader, document: Document, name: str, folder: FilePath) -> System | None:
    """The system that the file names or draws; None if it does neither well."""
    if (document.topology is None) == (document.graph is None):
        both = "" if document.topology is None else " (both are there: leave one out)"
        reader.add((), f'expected either the key "topology" or the key "graph"{both}')
        return None
    if document.topology is not None:
        return _named_system(reader, document.topology, folder)
    before = len(reader.findings.problems)
    growing, meshes = build_free_graph(reader, document.graph, ("graph",))
    if len(reader.findings.problems) > before:
        return None
    return graph_alone(name, reader.text.file, growing.graph, meshes, document.about)


def _named_system(reader: Reader, word: str, folder: FilePath) -> System | None:
    """The shipped system called ``word``, or that of the file, sought beside the traffic file first."""
    beside = folder / word
    source = beside if word not in shipped_systems() and beside.is_file() else word
    try:
        return load_system(source)
    except InputError as error:
        found = beside.is_file() or FilePath(word).is_file()
        if found:
            reader.findings.problems += error.problems
        else:
            for problem in error.problems:
                reader.add(("topology",), f"topology: {shown(word)}: {problem.message}")
        return None


def _read_flow(reader: Reader, raw: Any, path: Path) -> FlowSpec | None:
    """The flow at ``path``; after a fault of its quantities with none of them, so that the rest can be checked."""
    entry = read_structure(FlowEntry, raw, reader.text, path, reader.findings, keys_of(FlowQuantities))
    if not isinstance(raw, dict):
        return None
    given = reader.quantities(FlowQuantities, raw, path, "flow")
    if entry is None:
        return None
    way = tuple(entry.path) if entry.path is not None else None
    v = given.values if given is not None else FlowQuantities(bytes=0)
    return FlowSpec(entry.name, entry.src, entry.dst, v.bytes, v.start_ns, way, tuple(entry.after))


def _check_names(reader: Reader, flows: Sequence[tuple[FlowSpec, Path]], named: Sequence[tuple[str, Path]]) -> None:
    """Names that stand twice or nowhere, flows that wait for each other. ``named``: those with other faults too."""
    first: dict[str, Path] = {}
    for name, path in named:
        if name in first:
            line, _ = reader.text.place(first[name])
            reader.add((*path, "name"), f"a second flow called {shown(name)} (the first is at line {line})")
        first.setdefault(name, path)
    names = list(first)
    known = len(flows) == len(named)
    for spec, path in flows:
        for place, other in enumerate(spec.after):
            if other not in first:
                known = False
                reader.add((*path, "after", place), f"after: no flow is called {shown(other)} {hint(other, names)}")
    if known:
        circle = waiting_circle([spec for spec, _ in flows])
        if circle:
            shown_circle = " -> ".join([*circle, circle[0]])
            message = f"after: flows wait for each other in a circle: {shown_circle}"
            reader.add((*first[circle[0]], "after"), message, at_key=True)


def _check_ways(reader: Reader, flows: Sequence[tuple[FlowSpec, Path]], system: System) -> list[int]:
    """Finds ends that are no parts, paths that are none, flows without a route. How many links each flow crosses."""
    site: Site | None = None
    names = sorted(system.graph)
    links = []
    for spec, path in flows:
        links.append(0)
        strange = [key for key in ("src", "dst") if getattr(spec, key) not in system.graph]
        for key in strange:
            word = getattr(spec, key)
            reader.add((*path, key), f"{key}: no part is called {shown(word)} {hint(word, names)}")
        if strange:
            continue
        site = site or Site(system)
        try:
            links[-1] = len(route_of(spec, site).links)
        except InputError as error:
            at = path if spec.path is None else (*path, "path")
            for problem in error.problems:
                reader.add(at, problem.message)
    return links


def _check_buffers(reader: Reader, flows: Sequence[tuple[FlowSpec, Path]], system: System) -> None:
    """Buffers that could never hold a flit."""
    room = system.buffer_bytes
    flit_bytes = max((min(spec.nbytes, system.flit_bytes) for spec, _ in flows if spec.src != spec.dst), default=0)
    if room is not None and room < flit_bytes:
        reader.add(
            ("options", "buffer_bytes"),
            f"buffer_bytes: {room} bytes can never hold a flit of {flit_bytes} bytes (allowed: {flit_bytes} or more)",
        )
