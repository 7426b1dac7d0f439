"""The alpha-beta analysis of a plan, and what no plan can beat; nothing here has seen a simulation.

A send takes alpha (latencies of its route, start of the sender, set-up of slots) and a time for its bytes: on the
slowest link of the route, plus what fills the pipeline, plus what the link spends on other sends of the same step. The
step of a send is the length of the longest chain of sends before it. The plan takes as long as the longest chain, and
not less than its busiest link.

Streams: where flows take turns at a link, all streams of a step are served together, and each waits for all. Else
whoever comes first is served first: streams wait for each other in the first step and are then one behind the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benches.flows.traffic import Ends
from benches.probe.formula import predict
from benches.probe.payload import Payload
from benches.probe.way import ZERO, Way, way_along
from simcore.units import TICKS_PER_NS
from topology.collectives.running import start_ns
from topology.collectives.send import Plan, Send
from topology.collectives.slots import Costs
from topology.machine.hops import rate_gbs
from topology.machine.site import Site
from topology.routes.route import Route
from topology.system import System


@dataclass(frozen=True, slots=True)
class Chain:
    """The longest chain up to some point: ``alpha_ns`` + ``bytes_ns`` over ``steps`` sends."""

    alpha_ns: Fraction = ZERO
    bytes_ns: Fraction = ZERO
    steps: int = 0

    @property
    def time_ns(self) -> Fraction:
        """What it takes."""
        return self.alpha_ns + self.bytes_ns

    def then(self, alpha_ns: Fraction, bytes_ns: Fraction, steps: int) -> Chain:
        """With something behind it."""
        return Chain(self.alpha_ns + alpha_ns, self.bytes_ns + bytes_ns, self.steps + steps)


def longest_chain(site: Site, plan: Plan, nodes: Sequence[str], costs: Costs) -> Chain:
    """The analysis of ``plan`` with rank r at the part ``nodes[r]``."""
    sends = {send.name: send for send in plan.sends}
    routes = {send.name: site.route(nodes[send.src], nodes[send.dst]) for send in plan.sends}
    lone = _Lone(site.system)
    step = _steps(plan)
    together = site.system.arbitration == "flow_round_robin"
    loads: dict[tuple[int, int | None], dict[Ends, int]] = defaultdict(lambda: defaultdict(int))
    carried: dict[Ends, int] = defaultdict(int)
    for send in plan.sends:
        number, nbytes = step[send.name], send.nbytes
        own, everybody = loads[number, send.stream], loads[number, None]
        for link in lone.links(routes[send.name]):
            own[link] += nbytes
            everybody[link] += nbytes
            carried[link] += nbytes
    left: dict[str, Chain] = {}
    usable: dict[str, Chain] = {}
    for send in plan.sends:
        before = [usable[name] if sends[name].dst == send.src else left[name] for name in send.after]
        chain = max(before, key=lambda chain: chain.time_ns, default=Chain())
        route = routes[send.name]
        alpha = lone.latency_ns(route)
        whose = None if together or not send.after else send.stream
        waits = lone.waits_ns(route, send.nbytes, loads[step[send.name], whose])
        left[send.name] = chain.then(alpha, lone.total_ns(route, send.nbytes) - alpha + waits, 1)
        usable[send.name] = left[send.name].then(*_after_arrival_ns(costs, send), 0)
    longest = max(usable.values(), key=lambda chain: chain.time_ns, default=Chain())
    busiest = max((nbytes * lone.ns_per_byte[link] for link, nbytes in carried.items()), default=ZERO)
    return longest.then(ZERO, max(ZERO, busiest - longest.time_ns), 0)


def bound_ns(site: Site, plan: Plan, nodes: Sequence[str]) -> Fraction | None:
    """What no other plan for the same can beat, if nobody adds but the ranks; None if a rank has no link with a rate.

    An all-reduce sends every byte 2 (n - 1) times over all ranks (P. Patarasuk and X. Yuan, JPDC 2009), which all their
    links together take; an all-gather brings (n - 1) / n of the buffer to every rank, a reduce-scatter takes as much
    away from it, an all-to-all does both, a broadcast brings it all.
    """
    n, nbytes, system = plan.ranks, plan.nbytes, site.system
    out = [_rate(system, system.graph.out_edges(node)) for node in nodes]
    into = [_rate(system, system.graph.in_edges(node)) for node in nodes]
    if not all((*out, *into)):
        return None
    if n == 1:
        return ZERO
    match plan.kind:
        case "all_reduce":
            return 2 * (n - 1) * nbytes / sum(out, ZERO)
        case "all_gather":
            return nbytes * Fraction(n - 1, n) / min(into)
        case "reduce_scatter":
            return nbytes * Fraction(n - 1, n) / min(out)
        case "all_to_all":
            return nbytes * Fraction(n - 1, n) / min(*out, *into)
        case _:
            return nbytes / min(rate for rank, rate in enumerate(into) if rank != plan.root)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch of a route, the time of a byte on it, and its links by the time of a byte on each."""

    ns_per_byte: Fraction
    by_rate: list[tuple[Fraction, list[Ends]]]


class _Lone:
    """What sends take with nobody else about; each route and each size is worked out once."""

    def __init__(self, system: System) -> None:
        self.ns_per_byte: dict[Ends, Fraction] = {}
        """Of the links of all routes that have been asked for."""
        self._system = system
        self._ways: dict[Ends, Way] = {}
        self._links: dict[Ends, list[Ends]] = {}
        self._stretches: dict[Ends, list[_Stretch]] = {}
        self._latencies: dict[Ends, Fraction] = {}
        self._totals: dict[tuple[Ends, int], Fraction] = {}

    def latency_ns(self, route: Route) -> Fraction:
        """Of no bytes."""
        ends = route.nodes[0], route.nodes[-1]
        if ends not in self._latencies:
            self._latencies[ends] = self._way(route).latency_ns + start_ns(self._system, route)
        return self._latencies[ends]

    def total_ns(self, route: Route, nbytes: int) -> Fraction:
        """Of ``nbytes``."""
        key = (route.nodes[0], route.nodes[-1]), nbytes
        if key not in self._totals:
            payload = Payload(nbytes, self._system.flit_bytes)
            said = predict(self._way(route), payload, window_flits=self._system.window_flits)
            self._totals[key] = said.total_ns + start_ns(self._system, route)
        return self._totals[key]

    def waits_ns(self, route: Route, nbytes: int, loads: Mapping[Ends, int]) -> Fraction:
        """What ``loads`` (bytes on each link of the route) add to the bytes' own time on each stretch."""
        waits = ZERO
        for stretch in self._stretches_of(route):
            shared = [ns_per_byte * max(map(loads.__getitem__, links)) for ns_per_byte, links in stretch.by_rate]
            waits += max(shared, default=ZERO) - nbytes * stretch.ns_per_byte
        return waits

    def links(self, route: Route) -> list[Ends]:
        """Its links."""
        ends = route.nodes[0], route.nodes[-1]
        if ends not in self._links:
            self._links[ends] = [(link.src, link.dst) for link in route.links]
            for link, wire in zip(self._links[ends], self._way(route).wires, strict=True):
                self.ns_per_byte[link] = wire.ns_per_byte
        return self._links[ends]

    def _stretches_of(self, route: Route) -> list[_Stretch]:
        ends = route.nodes[0], route.nodes[-1]
        if ends not in self._stretches:
            links, first = self.links(route), 0
            found = self._stretches[ends] = []
            for stretch in self._way(route).stretches:
                by_rate: dict[Fraction, list[Ends]] = defaultdict(list)
                for link in links[first : first + len(stretch.wires)]:
                    by_rate[self.ns_per_byte[link]].append(link)
                found.append(_Stretch(stretch.ns_per_byte, list(by_rate.items())))
                first += len(stretch.wires)
        return self._stretches[ends]

    def _way(self, route: Route) -> Way:
        ends = route.nodes[0], route.nodes[-1]
        if ends not in self._ways:
            self._ways[ends] = way_along(self._system, route.nodes)
        return self._ways[ends]


def _steps(plan: Plan) -> dict[str, int]:
    step: dict[str, int] = {}
    for send in plan.sends:
        step[send.name] = 1 + max((step[name] for name in send.after), default=0)
    return step


def _after_arrival_ns(costs: Costs, send: Send) -> tuple[Fraction, Fraction]:
    """The set-ups of the slot's write and read; all else."""
    setup = Fraction(2 * costs.tier.setup_ns) if costs.tier is not None and send.slotted else ZERO
    return setup, Fraction(costs.after_arrival_ticks(send), TICKS_PER_NS) - setup


def _rate(system: System, ends: Iterable[Ends]) -> Fraction:
    rates = [rate_gbs(system, system.link(*pair)) for pair in ends]
    return sum((rate for rate in rates if rate is not None), ZERO)
