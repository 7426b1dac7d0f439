"""A ring collective over the cubes of a package, with the machine's own driver and by two analyses (ADR-0064)."""

from __future__ import annotations

from fractions import Fraction

from benches.collectives.alpha_beta import longest_chain
from benches.collectives.build import bus_factor
from benches.contention.findings import Findings, Row
from benches.contention.graphs import by_flows, needs_cubes
from benches.contention.traffic import CHUNKS, chunk_bounds_ns, fair_ends_ns, farthest_of
from benches.flows.traffic import FlowSpec, Traffic
from simcore.errors import InputError, Problem
from simcore.units import TICKS_PER_NS
from topology.collectives.plan import Collective, plan_of
from topology.collectives.ranks import layout_of
from topology.collectives.running import simulate
from topology.collectives.slots import NO_COSTS
from topology.loader import load_system
from topology.machine.site import Site

WINDOW_FLITS = 64
"""More than the way from cube to cube and back along a row holds, so that no send is held up by it alone."""


def ring_findings(bench: str, kind: str, cubes: int, nbytes: int, topology: str) -> Findings:
    """``kind`` by a ring over PE 0 of the first ``cubes`` cubes, with a buffer of ``nbytes``."""
    system = load_system(topology)
    needs_cubes(system, bench)
    system = by_flows(system, WINDOW_FLITS)
    assert system.hierarchy is not None
    there = len(system.hierarchy.sips[0].cubes)
    if cubes > there:
        raise InputError([Problem(f"has {there} cubes in a package, not {cubes}", system.file)])
    nodes = layout_of(system).nodes[:cubes]
    plan = plan_of(Collective(kind, "ring", nbytes, cubes))
    site = Site(system)
    run = simulate(site, plan, nodes)
    flows = [FlowSpec(s.name, nodes[s.src], nodes[s.dst], s.nbytes, after=s.after) for s in plan.sends]
    traffic = Traffic(bench, system, tuple(flows))
    ends = [run.times[send.name].left / TICKS_PER_NS for send in plan.sends]
    bounds = chunk_bounds_ns(traffic)
    rows = [
        Row(f"sends: {flow.name} ends", end, said, bound, "ns")
        for flow, end, said, bound in zip(flows, ends, fair_ends_ns(traffic), bounds, strict=True)
    ]
    whole, chain = max(ends), longest_chain(site, plan, nodes, NO_COSTS)
    algorithm_gbs = Fraction(nbytes) / whole
    return Findings(
        (
            Row("all ranks are done", whole, chain.time_ns, max(bounds), "ns"),
            farthest_of(rows, "sends"),
        ),
        f"{plan.steps()} steps over {cubes} cubes: {float(algorithm_gbs):.4g} GB/s of the buffer, "
        f"{float(algorithm_gbs * bus_factor(kind, cubes)):.4g} GB/s on the bus.",
        "all: alpha-beta, (latency + bytes of a step / slowest link) along the longest chain; sends: max-min by "
        "progressive filling, each after those that it waits for",
        f"of each send, and of those before it: {CHUNKS}",
    )
