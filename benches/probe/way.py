"""A way as the formula sees it: what each part and each link of a route costs, read from the graph alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil

from simcore.units import TICKS_PER_NS
from topology.machine.hops import ONCE, charge_ns, rate_gbs
from topology.system import NodeSpec, System

STORE_AND_FORWARD_KINDS = frozenset({"pcie_endpoint"})
"""Kinds of parts that take a passing transfer in as a whole (ADR-0048)."""

ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Stop:
    """A part on the way. ``holds``: it re-assembles what passes. ``once``: it is paid for with the request, on the
    payload's leg, whatever other legs there are."""

    node: str
    overhead_ns: Fraction
    holds: bool
    once: bool


@dataclass(frozen=True, slots=True)
class Wire:
    """A link on the way; ``rate_gbs`` None: it has no rate of its own."""

    rate_gbs: Fraction | None
    wire_ns: Fraction
    overhead_ns: Fraction

    @property
    def ns_per_byte(self) -> Fraction:
        """Time on the link, per byte."""
        return 1 / self.rate_gbs if self.rate_gbs is not None else ZERO


ZERO_WIRE = Wire(None, ZERO, ZERO)
"""Between two parts of a PE tile, which hand each other what they have in no time."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The wires between two parts that hold a transfer as a whole."""

    wires: tuple[Wire, ...]

    @property
    def ns_per_byte(self) -> Fraction:
        """Time per byte on the slowest wire."""
        return max((wire.ns_per_byte for wire in self.wires), default=ZERO)


@dataclass(frozen=True, slots=True)
class Way:
    """The parts from one end to the other, both included, and the wires between them, one fewer."""

    stops: tuple[Stop, ...]
    wires: tuple[Wire, ...]

    @property
    def nodes(self) -> list[str]:
        """Names of the parts."""
        return [stop.node for stop in self.stops]

    @property
    def wire_ns(self) -> Fraction:
        """ADR-0049 D4: length times ``ns_per_mm`` over all links."""
        return sum((wire.wire_ns for wire in self.wires), ZERO)

    @property
    def overhead_ns(self) -> Fraction:
        """ADR-0049 D4: the overheads of all parts, and of links that have one."""
        return sum((stop.overhead_ns for stop in self.stops), ZERO) + sum((w.overhead_ns for w in self.wires), ZERO)

    @property
    def latency_ns(self) -> Fraction:
        """What a transfer of no bytes takes."""
        return self.wire_ns + self.overhead_ns

    @property
    def word_only(self) -> Way:
        """The same way for the command or the answer of a request, whose parts are paid for on the payload's leg."""
        stops = [replace(stop, overhead_ns=ZERO) if stop.once else stop for stop in self.stops]
        return replace(self, stops=tuple(stops))

    @property
    def latency_in_ticks_ns(self) -> Fraction:
        """The same with each latency rounded up to a whole tick, as parts have it."""
        parts = [in_ticks(stop.overhead_ns) for stop in self.stops]
        links = [in_ticks(wire.wire_ns) + in_ticks(wire.overhead_ns) for wire in self.wires]
        return sum([*parts, *links], ZERO)

    @property
    def bottleneck(self) -> int | None:
        """The number of the first of its slowest wires; None if no wire has a rate."""
        rated = [(wire.rate_gbs, number) for number, wire in enumerate(self.wires) if wire.rate_gbs is not None]
        return min(rated)[1] if rated else None

    @property
    def bottleneck_gbs(self) -> Fraction | None:
        """The rate of that wire."""
        return self.wires[self.bottleneck].rate_gbs if self.bottleneck is not None else None

    @property
    def stretches(self) -> list[Stretch]:
        """Cut at the parts that re-assemble; one at either end holds up nothing."""
        cuts = [number for number, stop in enumerate(self.stops[1:-1], 1) if stop.holds]
        bounds = [0, *cuts, len(self.wires)]
        return [Stretch(self.wires[a:b]) for a, b in pairwise(bounds)]

    def reversed(self, system: System) -> Way:
        """The way back over the opposite links."""
        return way_along(system, self.nodes[::-1])

    def cumulative_ns(self) -> list[Fraction]:
        """ADR-0049 D6: for each part the wire and the overheads up to it, its own included."""
        at = self.stops[0].overhead_ns
        times = [at]
        for wire, stop in zip(self.wires, self.stops[1:], strict=True):
            at += wire.wire_ns + wire.overhead_ns + stop.overhead_ns
            times.append(at)
        return times


def way_along(system: System, nodes: Sequence[str]) -> Way:
    """The way through ``nodes``, each of which has a link to the next."""
    specs = [system.node(name) for name in nodes]
    links = [system.link(src, dst) for src, dst in pairwise(nodes)]
    return Way(
        tuple([stop_of(spec) for spec in specs]),
        tuple([Wire(rate_gbs(system, link), link.length_mm * system.ns_per_mm, link.overhead_ns) for link in links]),
    )


def stop_of(node: NodeSpec) -> Stop:
    """``node`` as a part on a way."""
    return Stop(node.name, charge_ns(node), node.kind in STORE_AND_FORWARD_KINDS, node.kind in ONCE)


def in_ticks(duration_ns: Fraction) -> Fraction:
    """``duration_ns`` rounded up to a whole tick of the machine's clock."""
    return Fraction(ceil(duration_ns * TICKS_PER_NS), TICKS_PER_NS)
