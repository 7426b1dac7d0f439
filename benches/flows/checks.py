"""What every run must keep; what does not is a fault of kernbench, not of the traffic (ADR-0061)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from simcore.errors import ModelBug
from simcore.units import TICKS_PER_NS
from topology.machine.hops import rate_gbs
from topology.system import System

if TYPE_CHECKING:
    from benches.flows.run import TrafficResult


def check_run(result: TrafficResult, system: System) -> None:
    """Raises ModelBug with everything in ``result`` that does not add up; ``system``: as it served the flows.

    Every link has moved the bytes of the flows that cross it. No link has carried them in less time than they take at
    its rate, from the first start to the last end of those flows; so the whole does not take less than its busiest
    link. No flow is through in less time than its bytes take on the slowest of its links.
    """
    faults = _faults_of_links(result) + _faults_of_flows(result, system)
    if faults:
        raise ModelBug("the flows do not add up: " + "; ".join(faults))


def _faults_of_links(result: TrafficResult) -> list[str]:
    expected = dict.fromkeys(result.links, 0)
    begin: dict[tuple[str, str], int] = {}
    end: dict[tuple[str, str], Fraction] = {}
    for spec, route, times in zip(result.traffic.flows, result.routes, result.flows, strict=True):
        for link in route.links:
            ends = (link.src, link.dst)
            expected[ends] += spec.nbytes
            begin[ends] = min(begin.get(ends, times.start_ticks), times.start_ticks)
            end[ends] = max(end.get(ends, times.end_ticks), times.end_ticks)
    faults = []
    for ends, use in result.links.items():
        name = " -> ".join(ends)
        if use.nbytes != expected[ends]:
            faults.append(f"{name} has moved {use.nbytes} bytes of {expected[ends]}")
        span_ns = (end[ends] - begin[ends]) / TICKS_PER_NS
        if use.busy_ns > span_ns:
            faults.append(f"{name} was busy for {float(use.busy_ns)} ns in {float(span_ns)} ns")
        if use.busy_ns > result.makespan_ns:
            faults.append(f"{name} was busy for {float(use.busy_ns)} of {float(result.makespan_ns)} ns in all")
    return faults


def _faults_of_flows(result: TrafficResult, system: System) -> list[str]:
    faults = []
    for spec, route, times in zip(result.traffic.flows, result.routes, result.flows, strict=True):
        rates = [rate for link in route.links if (rate := rate_gbs(system, link)) is not None]
        least_ns = spec.nbytes / min(rates) if rates else Fraction(0)
        if times.duration_ns < least_ns:
            faults.append(f"flow {spec.name} took {float(times.duration_ns)} ns, its bytes take {float(least_ns)} ns")
        if times.start_ticks < spec.start_ns * TICKS_PER_NS:
            faults.append(f"flow {spec.name} began before its start")
    return faults
