"""Traffic of a bench on the machine, beside its fair shares: every flow is judged, not only the last one to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf

from benches.contention.findings import Row
from benches.flows.fair import FairResult, fair, fair_by_ports
from benches.flows.run import run_traffic
from benches.flows.traffic import PORTS, Ends, Traffic, routes_of
from benches.probe.formula import predict
from benches.probe.payload import Payload
from benches.probe.way import Way, way_along
from simcore.errors import ModelBug
from simcore.units import TICKS_PER_NS
from topology.machine.hops import rate_gbs
from topology.machine.site import Site

TICK_NS = Fraction(1, TICKS_PER_NS)
"""What the clock rounds to."""

SLOWER = Fraction(999, 1000)
"""A flow is slower than another if it is so by more than rounding."""

FLITS = "turns are whole flits: at each link a flow may wait for one flit of every flow there, its own included"
"""The reason for :func:`flit_bounds_ns`."""

CHUNKS = (
    f"{FLITS}; and every flow that it meets may run one window ahead of its share, which is made up for at the rate "
    "that slower flows leave"
)
"""The reason for :func:`chunk_bounds_ns`."""


def ends_ns(traffic: Traffic) -> list[Fraction]:
    """When each flow ends on the machine."""
    return [flow.end_ticks / TICKS_PER_NS for flow in run_traffic(traffic).flows]


def fair_ends_ns(traffic: Traffic) -> list[Fraction]:
    """When each flow ends by the independent analysis: max-min fair, or by ports where these take turns."""
    found = fair(traffic) if traffic.in_force.arbitration != PORTS else fair_by_ports(traffic)
    if not isinstance(found, FairResult):
        raise ModelBug(f"{traffic.name}: {found}")
    return [Fraction(flow.end_ns) for flow in found.flows]


def route_ways(traffic: Traffic) -> list[Way]:
    """The way of each flow, with what its parts and links cost."""
    site = Site(traffic.as_served())
    return [way_along(site.system, route.nodes) for route in routes_of(traffic, site)]


def alone_ns(traffic: Traffic, number: int) -> Fraction:
    """What flow ``number`` takes with nobody else about, by the closed form of a lone transfer (ADR-0044 D4)."""
    options = traffic.in_force
    way = route_ways(traffic)[number]
    payload = Payload(traffic.flows[number].nbytes, options.flit_bytes)
    return predict(way, payload, window_flits=options.window_along(len(way.wires))).total_ns


def flit_bounds_ns(traffic: Traffic) -> list[Fraction]:
    """How far each flow may be from its fluid end because links serve flits: at each link one of every flow there.

    Only flows count that run at one time by fair shares; what those may be late that a flow comes after is added.
    """
    return _Bounds(traffic).of_all(windows=False)


def chunk_bounds_ns(traffic: Traffic) -> list[Fraction]:
    """The same, and for each flow that it meets a window, because sources run ahead of their shares.

    A window takes its time at their slowest common link, from which slower flows have taken their fair shares.
    """
    return _Bounds(traffic).of_all(windows=True)


class _Bounds:
    def __init__(self, traffic: Traffic) -> None:
        site = Site(traffic.as_served())
        self.traffic = traffic
        self.links = [[(link.src, link.dst) for link in route.links] for route in routes_of(traffic, site)]
        self.crossing: dict[Ends, list[int]] = {}
        for number, links in enumerate(self.links):
            for ends in links:
                self.crossing.setdefault(ends, []).append(number)
        specs = {ends: site.system.link(*ends) for ends in self.crossing}
        self.rates = {ends: rate for ends, link in specs.items() if (rate := rate_gbs(site.system, link)) is not None}
        self.said = fair(traffic).flows
        self.mean_gbs = [
            flow.nbytes / Fraction(took) if (took := said.end_ns - said.start_ns) > 0 else Fraction(0)
            for flow, said in zip(traffic.flows, self.said, strict=True)
        ]

    def of_all(self, *, windows: bool) -> list[Fraction]:
        """For each flow; those that it comes after stand before it."""
        bounds: dict[str, Fraction] = {}
        for number, flow in enumerate(self.traffic.flows):
            before = max((bounds[name] for name in flow.after), default=Fraction(0))
            bounds[flow.name] = before + self._of(number, windows=windows)
        return list(bounds.values())

    def _of(self, number: int, *, windows: bool) -> Fraction:
        options, mean = self.traffic.in_force, self.mean_gbs
        window_bytes = (options.window_flits or 0) * options.flit_bytes
        bound = Fraction(0)
        ahead: dict[int, Fraction] = {}
        for ends in [ends for ends in self.links[number] if ends in self.rates]:
            others = [other for other in self.crossing[ends] if other != number and self._meet(number, other)]
            bound += (1 + len(others)) * options.flit_bytes / self.rates[ends]
            slower = sum((mean[other] for other in others if mean[other] < SLOWER * mean[number]), Fraction(0))
            for other in others:
                time_ns = window_bytes / max(self.rates[ends] - slower, mean[number])
                ahead[other] = max(ahead.get(other, Fraction(0)), time_ns)
        return bound + (sum(ahead.values(), Fraction(0)) if windows else 0)

    def _meet(self, one: int, other: int) -> bool:
        a, b = self.said[one], self.said[other]
        return a.start_ns < b.end_ns and b.start_ns < a.end_ns


def rows_of_flows(traffic: Traffic, label: str) -> list[Row]:
    """A row for the end of each flow."""
    together = zip(traffic.flows, ends_ns(traffic), fair_ends_ns(traffic), chunk_bounds_ns(traffic), strict=True)
    return [Row(f"{label}: {flow.name} ends", end, said, bound, "ns") for flow, end, said, bound in together]


def last_of(rows: Sequence[Row], label: str) -> Row:
    """Of rows of one unit, when the last one ends."""
    last = max(rows, key=lambda row: row.analytic)
    return Row(f"{label}: last end", max(row.measured for row in rows), last.analytic, last.tolerance, last.unit)


def farthest_of(rows: Sequence[Row], label: str) -> Row:
    """Of many rows the one that is farthest off for its tolerance: if it holds, all do."""
    farthest = max(rows, key=_farness)
    name = farthest.quantity.rpartition(": ")[2].removesuffix(" ends")
    return replace(farthest, quantity=f"{label}: farthest off, {name}")


def _farness(row: Row) -> float:
    return float(abs(row.error) / row.tolerance) if row.tolerance else (inf if row.error else 0.0)
