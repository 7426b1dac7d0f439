"""Traffic on the simulated machine: every flow at its time, everything that must add up checked at the end (ADR-0061).

First action of a run: the machine is built, with the links of all routes; then each flow waits for the flows that it
comes after, and for its start, and is submitted to the fabric.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from benches.flows.traffic import Ends, Traffic, routes_of
from simcore.errors import InputError, ModelBug, Problem
from simcore.kernel import Countdown, Deadlock, Environment
from simcore.units import TICKS_PER_NS, ns_to_ticks
from topology.machine.hops import rate_gbs
from topology.machine.site import Site
from topology.routes.dependencies import find_cycle
from topology.routes.route import Route

if TYPE_CHECKING:
    from simpy.events import Event

    from components.fabric.flow import Flow
    from components.fabric.hop import Access
    from topology.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class FlowTimes:
    """When a flow was submitted, in ps, and when its last byte was delivered, exactly."""

    start_ticks: int
    end_ticks: Fraction

    @property
    def duration_ns(self) -> Fraction:
        """From the one to the other."""
        return (self.end_ticks - self.start_ticks) / TICKS_PER_NS


@dataclass(frozen=True, slots=True)
class LinkUse:
    """What a link has moved. ``busy_ns``: the time that its bytes take; ``flows``: how many crossed it."""

    nbytes: int
    busy_ns: Fraction
    flows: int


@dataclass(frozen=True, slots=True, eq=False)
class TrafficResult:
    """``flows`` and ``routes`` in the order of the traffic; ``links`` that some flow crosses, in order of first use.

    ``makespan_ns``: from the first start to the last end.
    """

    traffic: Traffic
    routes: tuple[Route, ...]
    flows: tuple[FlowTimes, ...]
    links: Mapping[Ends, LinkUse]
    makespan_ns: Fraction

    def utilisation(self, ends: Ends) -> float:
        """The share of the makespan for which that link was busy."""
        return float(self.links[ends].busy_ns / self.makespan_ns) if self.makespan_ns else 0.0


def run_traffic(traffic: Traffic, *, coalesce: bool = True, sinks: Mapping[int, Access] | None = None) -> TrafficResult:
    """Runs ``traffic`` on the machine. ``coalesce``: False moves everything flit by flit, with the same result.

    ``sinks``: end points for flows, by their numbers. Raises InputError for a flow without a path, and for flows that
    stop each other for good; ModelBug if the run does not add up.
    """
    from benches.flows.checks import check_run

    env = Environment()
    site = Site(traffic.as_served())
    routes = routes_of(traffic, site)
    machine = site.machine(env, routes, coalesce=coalesce)
    flows = [_flow(traffic, machine, number, route, sinks or {}) for number, route in enumerate(routes)]
    _carry_out(traffic, env, machine, flows, routes)
    times = []
    for flow in flows:
        if flow.submitted_ticks is None or flow.ended_ticks is None:
            raise ModelBug(f"flow {flow.name} has not ended")
        times.append(FlowTimes(flow.submitted_ticks, flow.ended_ticks))
    first = min((t.start_ticks for t in times), default=0)
    last = max((t.end_ticks for t in times), default=Fraction(0))
    result = TrafficResult(
        traffic, tuple(routes), tuple(times), _use(site, machine, routes), Fraction(last - first) / TICKS_PER_NS
    )
    check_run(result, site.system)
    return result


def _flow(traffic: Traffic, machine: Machine, number: int, route: Route, sinks: Mapping[int, Access]) -> Flow:
    from components.fabric.flow import Flow

    spec = traffic.flows[number]
    window = traffic.in_force.window_along(len(route.links))
    return Flow(spec.name, spec.nbytes, machine.path(route), window, number, sink=sinks.get(number))


def _carry_out(
    traffic: Traffic, env: Environment, machine: Machine, flows: Sequence[Flow], routes: Sequence[Route]
) -> None:
    over = Countdown(env, len(flows), "all flows")
    ended = {spec.name: env.event() for spec in traffic.flows}
    for spec, flow in zip(traffic.flows, flows, strict=True):
        story = _story(
            env, machine, flow, ns_to_ticks(spec.start_ns), [ended[name] for name in spec.after], over, ended
        )
        env.spawn(story, f"flow {spec.name}")
    try:
        env.run(over)
    except Deadlock as standstill:
        circle = find_cycle(pair for route in routes for pair in _dependencies(machine, route))
        if not circle:
            raise
        names = " -> ".join(src for src, _ in (*circle, circle[0]))
        message = (
            f"the flows have stopped each other for good: links wait for each other in a circle, {names} "
            "(allowed: paths without a circle, larger buffers, or turns by flow with buffer_bytes: null)"
        )
        raise InputError([Problem(message, traffic.file)]) from standstill


def _story(
    env: Environment,
    machine: Machine,
    flow: Flow,
    start: int,
    after: Sequence[Event],
    over: Countdown,
    ended: Mapping[str, Event],
) -> Generator[Any, Any, None]:
    yield from after
    if env.now < start:
        yield env.timeout(start - env.now)
    yield machine.fabric.submit(flow)
    ended[flow.name].succeed()
    over.arrive()


def _dependencies(machine: Machine, route: Route) -> list[tuple[Ends, Ends]]:
    """Links that are held while the next one is wanted; a part that takes a flow in as a whole holds none."""
    return [
        ((held.src, held.dst), (wanted.src, wanted.dst))
        for held, wanted in pairwise(route.links)
        if not machine.hops[held.dst].reassembles
    ]


def _use(site: Site, machine: Machine, routes: Sequence[Route]) -> dict[Ends, LinkUse]:
    crossing: dict[Ends, int] = {}
    for route in routes:
        for link in route.links:
            crossing[link.src, link.dst] = crossing.get((link.src, link.dst), 0) + 1
    use = {}
    for ends, flows in crossing.items():
        moved = machine.links[ends].moved_bytes
        rate = rate_gbs(site.system, site.system.link(*ends))
        use[ends] = LinkUse(moved, Fraction(moved) / rate if rate is not None else Fraction(0), flows)
    return use
