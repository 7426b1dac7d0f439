"""How far the flits and windows of those who share its links move a flow's end away from a fluid's (ADR-0061 D5)."""

from __future__ import annotations

from graphlib import TopologicalSorter

from benches.flows.run import TrafficResult
from benches.flows.traffic import Ends
from topology.machine.hops import rate_gbs


def granularities_ns(result: TrafficResult) -> list[float | None]:
    """For each flow, in ns; None where turns are not by flow, whose ends are not those of the fluid anyway.

    At each link of its way a flow waits for a flit of its own and one of each other flow that crosses it, and behind
    what each of them may have put there before shares were even: its window. What it comes after adds its own.
    That is no bound in a crowd: flows that share no link with it move those that do.
    """
    traffic = result.traffic
    options = traffic.in_force
    if options.arbitration != "flow_round_robin":
        return [None] * len(traffic.flows)
    system = traffic.as_served()
    flit = options.flit_bytes
    ahead: dict[Ends, int] = {}
    for spec, route in zip(traffic.flows, result.routes, strict=True):
        window = spec.nbytes if options.window_flits is None else min(spec.nbytes, options.window_flits * flit)
        for link in route.links:
            ahead[link.src, link.dst] = ahead.get((link.src, link.dst), flit) + flit + window
    ns: dict[Ends, float] = {}
    for ends, nbytes in ahead.items():
        rate = rate_gbs(system, system.link(*ends))
        ns[ends] = float(nbytes / rate) if rate is not None else 0.0
    own = [sum(ns[link.src, link.dst] for link in route.links) for route in result.routes]
    numbers = {spec.name: n for n, spec in enumerate(traffic.flows)}
    waits = {n: [numbers[name] for name in spec.after] for n, spec in enumerate(traffic.flows)}
    found = dict.fromkeys(waits, 0.0)
    for n in TopologicalSorter(waits).static_order():
        found[n] = own[n] + max((found[other] for other in waits[n]), default=0.0)
    return list(found.values())
