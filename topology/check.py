"""``kernbench topology check``: everything that is wrong with a topology file, at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simcore.errors import InputError, Problem, hint
from topology.build.graph import Outline
from topology.core_parameters import GENERATION, core_parameters
from topology.document import read_document
from topology.loader import open_source
from topology.probe_places import NoPlace, probe_places
from topology.routes.dependencies import Channel, dependencies_of_all, find_cycle, with_replies
from topology.routes.router import PathRouter
from topology.system import Origin, System
from topology.text.blocks import Part
from topology.text.document import Findings

if TYPE_CHECKING:
    from components.parameters import Fault

LONGEST_CYCLE = 12
"""Links of a circle that a message shows."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict. ``system`` is None if the file describes none; ``remarks`` are no faults."""

    system: System | None
    problems: list[Problem]
    remarks: list[str]


def check_file(source: str | os.PathLike[str]) -> Checked:
    """Checks the file ``source``, or the shipped system of that name, as a whole and for use.

    Beyond what loading finds: links without a way back, parts without any way, parameters that a part does not know,
    routes that could wait for each other, and probe cases that have no place.
    """
    findings = Findings()
    try:
        text, folder = open_source(source)
        read = read_document(text, folder, findings)
    except InputError as error:
        return Checked(None, error.problems, [])
    if read.outline is not None:
        findings.problems += _one_way(read.outline) + _apart(read.outline)
    parameters, remarks = _parameters(read.parts)
    seen = {(problem.file, problem.line, problem.column) for problem in findings.problems}
    findings.problems += [p for p in parameters if (p.file, p.line, p.column) not in seen]
    if read.system is not None:
        if read.outline is None:
            findings.problems += _apart_in(read.system)
        cases, more = _cases(read.system)
        findings.problems += cases
        remarks += more
        circle, more = _circle(read.system)
        findings.problems += circle
        remarks += more
    return Checked(read.system, findings.in_order(), remarks)


def _one_way(outline: Outline) -> list[Problem]:
    return [
        origin.problem(
            f"one-way link: nothing leads back from {dst} to {src} "
            "(add both_ways: true, or one_way: true if that is meant)"
        )
        for (src, dst), origin in outline.links.items()
        if (dst, src) not in outline.links and (src, dst) not in outline.one_way
    ]


def _apart(outline: Outline) -> list[Problem]:
    """The parts of a free graph that are not joined to the rest of it."""
    return [outline.parts[name].problem(_no_links(name)) for name in _outside(outline.parts, outline.links)]


def _apart_in(system: System) -> list[Problem]:
    """The same in a hierarchy, whose parts come in copies: the first of each is named."""
    graph = system.graph
    first: dict[Origin, list[str]] = {}
    for name in _outside(graph.nodes, graph.edges):
        first.setdefault(system.node(name).origin["kind"], []).append(name)
    return [
        origin.problem(_no_links(names[0]) + (f" (nor from {len(names) - 1} more like it)" if names[1:] else ""))
        for origin, names in first.items()
    ]


def _no_links(name: str) -> str:
    return f"unreachable part: no links lead from {name} to the rest of the system"


def _outside(names: Iterable[str], links: Iterable[tuple[str, str]]) -> list[str]:
    """Names that no chain of links, whatever their direction, joins to the largest group (of equals the first)."""
    near: dict[str, list[str]] = {name: [] for name in names}
    for src, dst in links:
        near[src].append(dst)
        near[dst].append(src)
    group: dict[str, int] = {}
    sizes: list[int] = []
    for name in near:
        if name in group:
            continue
        todo, number = [name], len(sizes)
        sizes.append(0)
        group[name] = number
        while todo:
            sizes[number] += 1
            for other in near[todo.pop()]:
                if other not in group:
                    group[other] = number
                    todo.append(other)
    main = sizes.index(max(sizes)) if sizes else 0
    return [name for name in near if group[name] != main]


def _parameters(parts: Sequence[Part]) -> tuple[list[Problem], list[str]]:
    """What the parts themselves say about their parameters; kinds without a part yet are remarks."""
    from components.registry import kinds

    problems: list[Problem] = []
    unknown: dict[str, None] = {}
    known = set(kinds())
    for part in parts:
        if part.kind in known:
            problems += _faults_of(part)
        elif part.kind != "node":
            unknown[part.kind] = None
    if not unknown:
        return problems, []
    listing = ", ".join(unknown)
    return problems, [f"no part of these kinds is registered, so their parameters are not checked: {listing}"]


def _faults_of(part: Part) -> list[Problem]:
    from components.parameters import check_parameters
    from components.registry import lookup

    at = part.origin["kind"]
    try:
        entry = lookup(part.kind, part.impl, file=at.file)
    except InputError as error:
        # An impl that is named was looked up where it stands.
        return [] if part.impl is not None else [at.problem(problem.message) for problem in error.problems]
    if part.kind == "neuron_core" and GENERATION in part.parameters:
        checked: object = core_parameters(part.parameters)
    else:
        checked = check_parameters(entry.parameters, part.parameters)
    faults: list[Fault] = checked if isinstance(checked, list) else []
    problems = []
    for fault in faults:
        origin = part.origin.get(fault.key.split(".")[0], at)
        problems.append(origin.problem(f"{part.kind}: {fault.key}: {fault.message}"))
    return problems


def _cases(system: System) -> tuple[list[Problem], list[str]]:
    """Cases that the file names and the system cannot place; without such a list, remarks about the standard ones."""
    places = {place.name: place for place in probe_places(system)}
    if system.probe_cases is None:
        if system.hierarchy is None:
            return [], []
        return [], [f"probe case {p.name} has no place: {p.reason}" for p in places.values() if isinstance(p, NoPlace)]
    problems = []
    for name, origin in system.probe_cases.items():
        place = places.get(name)
        if place is None:
            problems.append(origin.problem(f'unknown probe case "{name}" {hint(name, list(places), shown=20)}'))
        elif isinstance(place, NoPlace):
            problems.append(origin.problem(f"probe case {name} has no place: {place.reason}"))
    return problems, []


def _circle(system: System) -> tuple[list[Problem], list[str]]:
    """Links that could wait for each other in a circle; a remark if only replies, with finite buffers, close it."""
    found = list(dict.fromkeys(dependencies_of_all(PathRouter(system))))
    cycle = find_cycle(found)
    if cycle:
        return [Problem(f"routes could deadlock: {_as_text(cycle)}", system.file)], []
    if system.buffer_bytes is None:
        return [], []
    cycle = find_cycle(with_replies(found))
    if not cycle:
        return [], []
    start = "buffers are finite, and replies that go back over the opposite links could deadlock with requests: "
    return [], [start + _as_text(cycle)]


def _as_text(cycle: Sequence[Channel]) -> str:
    names = [src for src, _ in cycle]
    shown = names[:LONGEST_CYCLE]
    more = f" -> ({len(names) - len(shown)} more)" if len(names) > len(shown) else ""
    return f"{len(cycle)} links wait for each other in a circle: {' -> '.join(shown)}{more} -> {names[0]}"
