"""Systems with one written number changed, wherever it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from topology.system import LinkSpec, NodeSpec, Origin, System

Change = Callable[[Fraction], Fraction]
OF_LINKS = ("bw_gbs", "length_mm", "overhead_ns")


@dataclass(frozen=True)
class Written:
    """A number as the file has it: ``key`` of parts of ``kind``, or of links if that is None."""

    kind: str | None
    key: str
    origin: Origin
    value: Fraction

    def __str__(self) -> str:
        return f"{self.kind or 'link'}.{self.key} ({self.origin.place})"


def written_numbers(system: System) -> list[Written]:
    """Every quantity of a part or a link, once for each place where it is written; all computed lengths are one."""
    found: dict[Written, None] = {}
    for node in system.nodes():
        for key, value in node.parameters.items():
            if isinstance(value, int | Fraction) and not isinstance(value, bool):
                found[Written(node.kind, key, node.origin[key], Fraction(value))] = None
    for link in system.links():
        for key in OF_LINKS:
            if (value := getattr(link, key)) is not None:
                found.setdefault(Written(None, key, link.origin[key], value if link.origin[key].line else Fraction(1)))
    return list(found)


def with_written(system: System, number: Written, change: Change) -> System:
    """``system`` with that number changed in every part or link that it holds for."""
    if number.kind is None:
        return with_links(system, lambda link: _link(link, number, change))
    return with_nodes(system, lambda node: _node(node, number, change))


def with_links(system: System, change: Callable[[LinkSpec], LinkSpec]) -> System:
    graph = system.graph.copy()
    for _, _, data in graph.edges(data=True):
        data["spec"] = change(data["spec"])
    return replace(system, graph=graph)


def with_nodes(system: System, change: Callable[[NodeSpec], NodeSpec]) -> System:
    graph = system.graph.copy()
    for _, data in graph.nodes(data=True):
        data["spec"] = change(data["spec"])
    return replace(system, graph=graph)


def _node(node: NodeSpec, number: Written, change: Change) -> NodeSpec:
    if node.kind != number.kind or node.origin.get(number.key) != number.origin or number.key not in node.parameters:
        return node
    value = node.parameters[number.key]
    assert isinstance(value, int | Fraction)
    new = change(Fraction(value))
    # What is written as a whole number is a count or a size, and stays one.
    as_written = int(new) if isinstance(value, int) and new.denominator == 1 else new
    return replace(node, parameters={**node.parameters, number.key: as_written})


def _link(link: LinkSpec, number: Written, change: Change) -> LinkSpec:
    value = getattr(link, number.key)
    if value is None or link.origin.get(number.key) != number.origin:
        return link
    return replace(link, **{number.key: change(value)})
