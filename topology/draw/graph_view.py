"""A free graph: parts at their positions if all have one, else in columns by their distance from the first part."""

from __future__ import annotations

import re
from dataclasses import dataclass

from topology.draw.links import links_between, rate_of
from topology.draw.svg import CHARACTER_PX, Canvas, Point, class_of
from topology.system import System

HIGH_PX = 34.0
ROW_PX = 56.0
COLUMN_GAP_PX = 220.0

_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that one box stands for: numbered alike, of one kind, with the same neighbours."""

    label: str
    kind: str
    names: tuple[str, ...]

    @property
    def size(self) -> Point:
        """Of its box."""
        return max(54.0, (len(self.label) + 2) * CHARACTER_PX), HIGH_PX


def layout(system: System) -> tuple[list[Group], dict[str, Point]]:
    """The boxes of the drawing, and the middle of each by its label."""
    groups = _groups(system)
    return groups, _positions(system, groups) or _columns(system, groups)


def draw_graph(system: System) -> Canvas:
    """The whole graph."""
    groups, at = layout(system)
    canvas = Canvas(system.name, [system.summary] if system.summary else [])
    canvas.notes.append(f"{system.graph.number_of_nodes()} parts, {system.graph.number_of_edges()} links")
    sizes = {group.label: group.size for group in groups}
    labels: list[tuple[Point, str]] = []  # written last, above all lines
    for index, a in enumerate(groups):
        for b in groups[index + 1 :]:
            forth, back = links_between(system, a.names, b.names), links_between(system, b.names, a.names)
            if forth or back:
                canvas.line(at[a.label], at[b.label])
                (ax, ay), (bx, by) = at[a.label], at[b.label]
                words = rate_of(forth or back)
                one_way = "" if forth and back else " ->" if forth else " <-"
                labels.append((((ax + bx) / 2, (ay + by) / 2), words + one_way))
    for place, words in labels:
        canvas.label(place, words)
    for group in groups:
        canvas.box(at[group.label], sizes[group.label], f"box {class_of(group.kind)}", group.label, hint=group.kind)
    return canvas


def _groups(system: System) -> list[Group]:
    graph = system.graph
    found: dict[tuple[str, str, object, str], list[str]] = {}
    for name in graph:
        stem = _NUMBER.sub("", name)
        near = (tuple(sorted(graph.successors(name))), tuple(sorted(graph.predecessors(name))))
        alone = name if stem == name or system.node(name).pos_mm is not None else ""
        found.setdefault((stem, system.node(name).kind, near, alone), []).append(name)
    groups = []
    for (stem, kind, _, _), names in found.items():
        label = names[0] if len(names) == 1 else f"{stem}{_number(names[0])}..{_number(names[-1])}"
        groups.append(Group(label, kind, tuple(names)))
    return groups


def _number(name: str) -> str:
    match = _NUMBER.search(name)
    return match.group() if match else ""


def _positions(system: System, groups: list[Group]) -> dict[str, Point]:
    """Positions in the drawing, so scaled that neighbours do not touch; empty if a part has none."""
    mm: dict[str, Point] = {}
    for group in groups:
        pos = system.node(group.names[0]).pos_mm
        if pos is None:
            return {}
        mm[group.label] = (float(pos[0]), float(pos[1]))
    apart = [
        max(abs(a[0] - b[0]), abs(a[1] - b[1])) for n, a in enumerate(mm.values()) for b in list(mm.values())[n + 1 :]
    ]
    scale = 150.0 / min((gap for gap in apart if gap), default=150.0)
    return {label: (x * scale, y * scale) for label, (x, y) in mm.items()}


def _columns(system: System, groups: list[Group]) -> dict[str, Point]:
    """One column for each distance, in links, from the first part; parts that nothing joins to it come last."""
    of = {name: group.label for group in groups for name in group.names}
    distance = {groups[0].label: 0}
    todo = [groups[0].label]
    members = {group.label: group.names for group in groups}
    while todo:
        label = todo.pop(0)
        for name in members[label]:
            for other in (*system.graph.successors(name), *system.graph.predecessors(name)):
                if of[other] not in distance:
                    distance[of[other]] = distance[label] + 1
                    todo.append(of[other])
    columns: dict[int, list[str]] = {}
    for group in groups:
        columns.setdefault(distance.get(group.label, max(distance.values()) + 1), []).append(group.label)
    at: dict[str, Point] = {}
    x = 0.0
    for column in sorted(columns):
        labels = columns[column]
        width = max(len(label) for label in labels) * CHARACTER_PX + 20
        for row, label in enumerate(labels):
            at[label] = (x + width / 2, (row - (len(labels) - 1) / 2) * ROW_PX)
        x += width + COLUMN_GAP_PX
    return at
