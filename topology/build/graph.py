"""The graph while it grows: parts and links are added once, and everything that does not fit is a finding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import networkx as nx

from simcore.errors import nearest
from simcore.program.faults import Path, shown
from topology.system import LinkSpec, NodeSpec, Origin, Position
from topology.text.blocks import Part, Reader

if TYPE_CHECKING:
    from topology.build.links import Line


@dataclass(slots=True)
class Outline:
    """The names that a free graph uses, whether or not the rest of an entry can be read: what joins what, and where."""

    parts: dict[str, Origin] = field(default_factory=dict)
    links: dict[tuple[str, str], Origin] = field(default_factory=dict)
    one_way: set[tuple[str, str]] = field(default_factory=set)
    """Links that say themselves that they have no way back."""


@dataclass(slots=True)
class Growing:
    """A graph in the making. ``outline`` stays empty for what is generated rather than written."""

    reader: Reader
    graph: nx.DiGraph[str] = field(default_factory=nx.DiGraph)
    outline: Outline = field(default_factory=Outline)

    def add_part(self, name: str, part: Part | None, path: Path, *, pos_mm: Position | None = None) -> None:
        """Adds a part, or only its name if it cannot be read."""
        origin = self.origin(path)
        if name in self.outline.parts:
            first = self.outline.parts[name]
            place = f"line {first.line}" if first.file == origin.file else first.place
            self.reader.add(path, f"a second part called {shown(name)} (the first is at {place})")
            return
        self.outline.parts[name] = origin
        if part is not None:
            pos = pos_mm if pos_mm is not None else part.pos_mm
            spec = NodeSpec(name, part.kind, part.impl, part.parameters, pos, part.origin)
            self.graph.add_node(name, spec=spec)

    def add_link(
        self, src: str, dst: str, line: Line | None, path: Path, *, ends: tuple[str, str] = ("src", "dst")
    ) -> None:
        """Adds a link, or only the fact that there is one. ``ends``: the keys that its ends were written under."""
        if src == dst:
            self.reader.add(path, f"a link from {shown(src)} to itself")
            return
        if (src, dst) in self.outline.links:
            first = self.outline.links[src, dst].line
            self.reader.add(path, f"a second link from {shown(src)} to {shown(dst)} (the first is at line {first})")
            return
        dangling = [(key, name) for key, name in zip(ends, (src, dst), strict=True) if name not in self.outline.parts]
        for key, name in dangling:
            guess = nearest(name, self.outline.parts)
            message = f"{key}: no part is called {shown(name)}" + (f' (did you mean "{guess}"?)' if guess else "")
            self.reader.add((*path, key), message)
        if dangling:
            return
        self.outline.links[src, dst] = self.origin(path)
        if line is None or src not in self.graph or dst not in self.graph:
            return
        here, there = (self.graph.nodes[name]["spec"].pos_mm for name in (src, dst))
        spec = line.between(src, dst, "link", None if here is None or there is None else (here, there))
        if spec is None:
            message = 'link: "length_mm" is missing, in mm (write it, or give both ends a pos_mm)'
            self.reader.add(path, message)
            return
        self.add_spec(spec)

    def add_spec(self, spec: LinkSpec) -> None:
        """Adds a link whose ends are there."""
        self.graph.add_edge(spec.src, spec.dst, spec=spec)

    def origin(self, path: Path) -> Origin:
        """The place of ``path``."""
        return Origin(self.reader.text.file, *self.reader.text.place(path))
