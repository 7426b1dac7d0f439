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
    loads: dict[tuple[int, int | None], dict[Ends, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    busy: dict[Ends, Fraction] = defaultdict(Fraction)
    for send in plan.sends:
        for link, ns_per_byte in lone.links(routes[send.name]):
            for stream in (send.stream, None):
                loads[step[send.name], stream][link] += send.nbytes * ns_per_byte
            busy[link] += send.nbytes * ns_per_byte
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
    return longest.then(ZERO, max(ZERO, max(busy.values(), default=ZERO) - longest.time_ns), 0)


def bound_ns(site: Site, plan: Plan, nodes: Sequence[str]) -> Fraction | None:
    """What no other plan for the same can beat, if nobody adds but the ranks; None if a rank has no link with a rate.

    An all-reduce sends every byte 2 (n - 1) times over all ranks (P. Patarasuk and X. Yuan, JPDC 2009), which all their
    links together take; an all-gather brings (n - 1) / n of the buffer to every rank, a reduce-scatter takes as much
    away from it, a broadcast brings it all.
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
        case _:
            return nbytes / min(rate for rank, rate in enumerate(into) if rank != plan.root)


class _Lone:
    """What sends take with nobody else about; each route and each size is worked out once."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._ways: dict[Ends, Way] = {}
        self._links: dict[Ends, list[tuple[Ends, Fraction]]] = {}
        self._totals: dict[tuple[Ends, int], Fraction] = {}

    def latency_ns(self, route: Route) -> Fraction:
        """Of no bytes."""
        return self._way(route).latency_ns + start_ns(self._system, route)

    def total_ns(self, route: Route, nbytes: int) -> Fraction:
        """Of ``nbytes``."""
        key = (route.nodes[0], route.nodes[-1]), nbytes
        if key not in self._totals:
            payload = Payload(nbytes, self._system.flit_bytes)
            said = predict(self._way(route), payload, window_flits=self._system.window_flits)
            self._totals[key] = said.total_ns + start_ns(self._system, route)
        return self._totals[key]

    def waits_ns(self, route: Route, nbytes: int, loads: Mapping[Ends, Fraction]) -> Fraction:
        """What ``loads`` (the time that each link of the route is busy) add to the bytes' own time on each stretch."""
        links, waits, first = self.links(route), ZERO, 0
        for stretch in self._way(route).stretches:
            here = links[first : first + len(stretch.wires)]
            shared = max((loads[link] for link, _ in here), default=ZERO)
            waits += shared - nbytes * stretch.ns_per_byte
            first += len(stretch.wires)
        return waits

    def links(self, route: Route) -> list[tuple[Ends, Fraction]]:
        """Its links, each with the time of a byte."""
        ends = route.nodes[0], route.nodes[-1]
        if ends not in self._links:
            wires = self._way(route).wires
            pairs = zip(route.links, wires, strict=True)
            self._links[ends] = [((link.src, link.dst), wire.ns_per_byte) for link, wire in pairs]
        return self._links[ends]

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
