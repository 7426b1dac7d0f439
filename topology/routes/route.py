"""A route: the parts and links from one part to another."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from topology.system import LinkSpec


@dataclass(frozen=True, slots=True)
class Route:
    """``nodes`` from the source to the destination, both included, and the links between them, one fewer."""

    nodes: tuple[str, ...]
    links: tuple[LinkSpec, ...]

    @property
    def length_mm(self) -> Fraction:
        """The length of all its links."""
        return sum((link.length_mm for link in self.links), Fraction(0))

    @property
    def bottleneck(self) -> LinkSpec | None:
        """The first of its slowest links; None if no link has a rate of its own."""
        rated = [link for link in self.links if link.bw_gbs is not None]
        return min(rated, key=lambda link: link.bw_gbs or 0) if rated else None
