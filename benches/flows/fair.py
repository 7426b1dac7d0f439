"""What fair sharing says about traffic, without the machine: the system's numbers, put before ``benches.fair_share``.

A flow is late by all latencies of its way: the overhead of its source before it takes its share, and of every other
part, with the propagation and the overhead of every link, behind its last byte. A part on the way that takes a transfer
in as a whole ends one fluid flow and begins another. What flits add, the time to fill the way, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf

from benches.fair_share.fluid import FluidFlow, Network, Solution, Step
from benches.fair_share.max_min import max_min
from benches.fair_share.ports import NoTree, by_ports
from benches.flows.traffic import Ends, Traffic, routes_of
from benches.probe.way import Way, in_ticks, way_along
from topology.machine.site import Site


@dataclass(frozen=True, slots=True)
class FairFlow:
    """``bottleneck``: the link that held the flow up for the longest time, None where none did (no bytes, no links).

    ``lost_ns``: by how much each link made it later than alone; together that is the whole delay.
    """

    start_ns: float
    end_ns: float
    bottleneck: Ends | None
    lost_ns: Mapping[Ends, float]


@dataclass(frozen=True, slots=True)
class FairResult:
    """``flows`` in the order of the traffic; ``rates_gbs`` (from when on, GB/s) only if they were asked for."""

    flows: tuple[FairFlow, ...]
    rates_gbs: tuple[Sequence[Step], ...] = ()


def fair(traffic: Traffic, *, with_rates: bool = False) -> FairResult:
    """Max-min fairness. Raises InputError for a flow without a path."""
    fluid = _Fluid(traffic)
    return fluid.told(max_min(fluid.network, with_rates=with_rates))


def fair_by_ports(traffic: Traffic, *, with_rates: bool = False) -> FairResult | NoTree:
    """Turns by router input with lossless backpressure; the reason if the traffic is no tree into one sink."""
    fluid = _Fluid(traffic)
    if len(fluid.network.flows) > len(traffic.flows):
        return NoTree("a part on the way takes transfers in as a whole, and holds back nobody before it")
    names = [f"{src} -> {dst}" for src, dst in fluid.links]
    try:
        sinks = [flow.dst for flow in traffic.flows]
        return fluid.told(by_ports(fluid.network, sinks, names, with_rates=with_rates))
    except NoTree as reason:
        return reason


class _Fluid:
    """The network of ``traffic``: a fluid flow for each stretch of one between parts that take it in as a whole."""

    def __init__(self, traffic: Traffic) -> None:
        site = Site(traffic.as_served())
        routes = routes_of(traffic, site)
        known = {route.nodes: way_along(site.system, route.nodes) for route in routes}
        ways = [known[route.nodes] for route in routes]
        capacities: dict[Ends, float] = {}
        for route, way in zip(routes, ways, strict=True):
            for link, wire in zip(route.links, way.wires, strict=True):
                capacities[link.src, link.dst] = float(wire.rate_gbs) if wire.rate_gbs is not None else inf
        self.links = list(capacities)
        numbers = {ends: number for number, ends in enumerate(self.links)}
        self._bounds = [0]
        """The number of each flow's first stretch, and one more; stretches of a flow follow each other."""
        for way in ways:
            self._bounds.append(self._bounds[-1] + len(_cuts(way)) - 1)
        last = {flow.name: end - 1 for flow, end in zip(traffic.flows, self._bounds[1:], strict=True)}
        flows: list[FluidFlow] = []
        for spec, route, way in zip(traffic.flows, routes, ways, strict=True):
            links = tuple([numbers[link.src, link.dst] for link in route.links])
            start_ns = float(in_ticks(spec.start_ns))
            after = tuple([last[name] for name in dict.fromkeys(spec.after)])
            for first, end, head_ns, tail_ns in _stretches(way):
                flows.append(FluidFlow(links[first:end], spec.nbytes, start_ns, head_ns, tail_ns, after))
                start_ns, after = 0.0, (len(flows) - 1,)
        self.network = Network(tuple(capacities.values()), tuple(flows))

    def told(self, solution: Solution) -> FairResult:
        """``solution`` by flows, with the names of links."""
        flows, rates = [], []
        for first, end in pairwise(self._bounds):
            parts = solution.ends[first:end]
            lost = {self.links[link]: ns for part in parts for link, ns in part.lost_ns.items()}
            longest = max(parts, key=lambda part: part.end_ns - part.start_ns)
            bottleneck = self.links[longest.bottleneck] if longest.bottleneck is not None else None
            flows.append(FairFlow(parts[0].start_ns, parts[-1].end_ns, bottleneck, lost))
            rates.append([step for steps in solution.rates[first:end] for step in steps])
        return FairResult(tuple(flows), tuple(rates) if solution.rates else ())


def _cuts(way: Way) -> list[int]:
    """The numbers of the parts where stretches of ``way`` begin, and of its end."""
    return [0, *(number for number, stop in enumerate(way.stops[1:-1], 1) if stop.holds), max(1, len(way.stops) - 1)]


def _stretches(way: Way) -> Iterator[tuple[int, int, float, float]]:
    """Each stretch: its links, from the number of one to before that of another, and its latencies in front and behind.

    In whole ticks, as parts have them.
    """
    cuts = _cuts(way)
    for first, end in pairwise(cuts):
        behind = Fraction(0)
        for wire, stop in zip(way.wires[first:end], way.stops[first + 1 : end + 1], strict=True):
            behind += in_ticks(wire.wire_ns) + in_ticks(wire.overhead_ns)
            if end == cuts[-1] or stop is not way.stops[end]:
                behind += in_ticks(stop.overhead_ns)
        # A transfer to its own sender ends at once, without any overhead.
        head = in_ticks(way.stops[first].overhead_ns) if way.wires else Fraction(0)
        yield first, end, float(head), float(behind)
