"""Links as a block describes them, and their lengths where the positions of their ends say them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from simcore.program.faults import Path
from topology.system import LinkSpec, Origin, Position
from topology.text.blocks import Reader
from topology.text.quantities import MaybeNotNegative, MaybeWord, NotNegative, Positive, Quantities

DISTANCE = Origin("the distance between its ends", None, None, None, "computed")
"""Origin of a length that no file states."""


class LinkQuantities(Quantities):
    """A link that carries payload. A length that is left out is the distance, along x and y, between its ends."""

    bw_gbs: Positive
    overhead_ns: NotNegative
    length_mm: MaybeNotNegative = None
    routing_weight_mm: MaybeNotNegative = None
    impl: MaybeWord = None


class WireQuantities(Quantities):
    """A link without a rate of its own: for commands, or between the parts of a PE tile."""

    overhead_ns: NotNegative
    length_mm: MaybeNotNegative = None
    routing_weight_mm: MaybeNotNegative = None


@dataclass(frozen=True, slots=True)
class Line:
    """A link without its ends."""

    bw_gbs: Fraction | None
    overhead_ns: Fraction
    length_mm: Fraction | None
    routing_weight_mm: Fraction | None
    origin: Mapping[str, Origin]
    impl: str | None = None

    def between(self, src: str, dst: str, kind: str, ends: tuple[Position, Position] | None) -> LinkSpec | None:
        """The link from ``src`` to ``dst``; None if it has neither a length nor ``ends`` to measure it between."""
        length_mm, origin = self.length_mm, self.origin
        if length_mm is None:
            if ends is None:
                return None
            length_mm = abs(ends[0][0] - ends[1][0]) + abs(ends[0][1] - ends[1][1])
            origin = {**origin, "length_mm": DISTANCE}
        return LinkSpec(
            src, dst, kind, self.bw_gbs, length_mm, self.routing_weight_mm, self.overhead_ns, origin, self.impl
        )


def read_line(
    reader: Reader, raw: object, path: Path, *, alone: bool = True, default: tuple[Any, Path] | None = None
) -> Line | None:
    """The link that the block ``raw`` describes; ``alone``: it may hold nothing else.

    ``default``: the template, and its path, that serves where the block names none.
    """
    given = reader.quantities(LinkQuantities, raw, path, "link", alone=alone, default=default)
    if given is None:
        return None
    v = given.values
    return Line(v.bw_gbs, v.overhead_ns, v.length_mm, v.routing_weight_mm, given.origin, v.impl)


def read_wire(reader: Reader, raw: object, path: Path, *, alone: bool = True) -> Line | None:
    """The wire that the block ``raw`` describes."""
    given = reader.quantities(WireQuantities, raw, path, "wire", alone=alone)
    if given is None:
        return None
    v = given.values
    return Line(None, v.overhead_ns, v.length_mm, v.routing_weight_mm, given.origin)
