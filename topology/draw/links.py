"""What a drawing writes beside links."""

from __future__ import annotations

from collections.abc import Sequence

from topology.system import LinkSpec, System
from topology.text.quantities import shown


def rate_of(links: Sequence[LinkSpec]) -> str:
    """``128 GB/s``, or ``4 x 128 GB/s`` for several; the range if they differ, nothing if they have no rate."""
    rates = sorted({link.bw_gbs for link in links if link.bw_gbs is not None})
    if not rates:
        return ""
    words = shown(rates[0]) if len(rates) == 1 else f"{shown(rates[0])} to {shown(rates[-1])}"
    return f"{f'{len(links)} x ' if len(links) > 1 else ''}{words} GB/s"


def links_between(system: System, a: Sequence[str], b: Sequence[str]) -> list[LinkSpec]:
    """The links from parts of ``a`` to parts of ``b``."""
    graph = system.graph
    targets = set(b)
    return [system.link(src, dst) for src in a for dst in graph.successors(src) if dst in targets]
