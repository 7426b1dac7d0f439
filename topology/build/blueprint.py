"""A level of a hierarchy described once, with names and positions of its own, and stamped wherever it stands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from simcore.program.faults import Path
from topology.system import LinkSpec, NodeSpec, Position
from topology.text.blocks import Part, Reader

if TYPE_CHECKING:
    import networkx as nx

    from topology.build.links import Line

ORIGIN: Position = (Fraction(0), Fraction(0))


def moved(position: Position, by: Position) -> Position:
    """``position`` as seen from where ``by`` is measured from."""
    return position[0] + by[0], position[1] + by[1]


@dataclass(slots=True)
class Blueprint:
    """Parts and links by names inside the level. Every part has a position, so every link has a length."""

    reader: Reader
    parts: dict[str, tuple[Part, Position]] = field(default_factory=dict)
    links: list[LinkSpec] = field(default_factory=list)

    def add(self, name: str, part: Part, position: Position) -> None:
        """Adds a part."""
        self.parts[name] = (part, position)

    def join(self, src: str, dst: str, kind: str, line: Line) -> None:
        """Adds a link between two parts that are there."""
        ends = (self.parts[src][1], self.parts[dst][1])
        self.links.append(link_between(line, src, dst, kind, ends))

    def join_both(self, a: str, b: str, kinds: tuple[str, str], line: Line) -> None:
        """Adds a link from ``a`` to ``b`` and one back."""
        self.join(a, b, kinds[0], line)
        self.join(b, a, kinds[1], line)

    def include(self, inner: Blueprint, prefix: str, at: Position) -> None:
        """Takes in all of ``inner``, its names behind ``prefix`` and its positions from ``at``."""
        for name, (part, position) in inner.parts.items():
            self.parts[f"{prefix}.{name}"] = (part, moved(position, at))
        self.links += [renamed(link, prefix) for link in inner.links]

    def stamp(self, graph: nx.DiGraph[str], prefix: str, at: Position) -> None:
        """Puts the level into ``graph``, its names behind ``prefix`` and its positions from ``at``."""
        for name, (part, position) in self.parts.items():
            full = f"{prefix}.{name}"
            spec = NodeSpec(full, part.kind, part.impl, part.parameters, moved(position, at), part.origin)
            graph.add_node(full, spec=spec)
        for link in self.links:
            here = renamed(link, prefix)
            graph.add_edge(here.src, here.dst, spec=here)


def renamed(link: LinkSpec, prefix: str) -> LinkSpec:
    """``link`` with its ends behind ``prefix``."""
    return replace(link, src=f"{prefix}.{link.src}", dst=f"{prefix}.{link.dst}")


def link_between(line: Line, src: str, dst: str, kind: str, ends: tuple[Position, Position]) -> LinkSpec:
    """The link from ``src`` to ``dst``, as long as its block says or as far as its ends are apart."""
    spec = line.between(src, dst, kind, ends)
    assert spec is not None  # both positions are given
    return spec


def need_position(reader: Reader, part: Part, path: Path, what: str) -> Position:
    """The position that the block of ``part`` must have; a finding if it has none."""
    if part.pos_mm is None:
        reader.add(path, f'{what}: "pos_mm" is missing, in mm')
        return ORIGIN
    return part.pos_mm
