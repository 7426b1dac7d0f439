"""The report on traffic: the machine, each flow alone, and what fair sharing says, side by side (ADR-0061)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from benches.fair_share.ports import NoTree
from benches.flows.fair import FairFlow, FairResult, fair, fair_by_ports
from benches.flows.granularity import granularities_ns
from benches.flows.lone import lone_durations, notes_on_windows
from benches.flows.model import SCHEMA, FlowRecord, FlowsReport, LinkCost, LinkRecord, OptionsRecord
from benches.flows.run import TrafficResult, run_traffic
from benches.flows.traffic import DEFAULT_NS_PER_MM, PORTS, Ends, Traffic
from benches.flows.words import fairness_of
from simcore.errors import InputError, ModelBug, Problem
from simcore.units import TICKS_PER_NS
from topology.own_parts import own_parts

APPLIES = "applies"


def report_of(traffic: Traffic) -> FlowsReport:
    """Runs ``traffic`` and says how it fared.

    Raises InputError for flows that have no path or stop each other for good; ModelBug if anything does not add up,
    or InputError if there are parts of a user's own, which then do not keep the rules of their kind.
    """
    try:
        return _report_of(traffic)
    except ModelBug as error:
        system = traffic.system
        own = own_parts(system)
        if not own:
            raise
        raise InputError([Problem(f"{error} (with parts of your own: {_some(own)})", system.file)]) from error


def _report_of(traffic: Traffic) -> FlowsReport:
    result = run_traffic(traffic)
    alone_ns = lone_durations(traffic)
    shares = fair(traffic)
    options = traffic.in_force
    by_ports = fair_by_ports(traffic) if options.arbitration == PORTS else None
    costs = costs_by_link(result, alone_ns, shares)
    return FlowsReport(
        SCHEMA,
        traffic.name,
        traffic.system.name,
        OptionsRecord(
            options.flit_bytes,
            options.arbitration,
            options.window_flits,
            options.buffer_bytes,
            options.link_buffer_bytes,
        ),
        options.arbitration,
        fairness_of(options),
        float(result.makespan_ns),
        _flows(result, alone_ns, shares, by_ports, costs),
        _links(result, costs),
        None if by_ports is None else f"does not apply: {by_ports}" if isinstance(by_ports, NoTree) else APPLIES,
        _notes(traffic),
    )


def costs_by_link(result: TrafficResult, alone_ns: Sequence[Fraction], shares: FairResult) -> list[dict[Ends, float]]:
    """For each flow, what the others cost it, by link, in ns.

    A flow's cost is its time on the machine less that alone; it is put down to links in the proportion in which they
    hold the flow up under fair sharing, and to the slowest one if none does. Raises ModelBug for a cost below 0.
    """
    costs = []
    for n, (times, alone, share) in enumerate(zip(result.flows, alone_ns, shares.flows, strict=True)):
        cost = times.duration_ns - alone
        if cost < 0:
            name = result.traffic.flows[n].name
            raise ModelBug(f"flow {name} takes {float(times.duration_ns)} ns, and alone {float(alone)} ns")
        slowest = result.routes[n].bottleneck
        costs.append(_spread(float(cost), share, (slowest.src, slowest.dst) if slowest is not None else None))
    return costs


def _spread(cost: float, share: FairFlow, slowest: Ends | None) -> dict[Ends, float]:
    lost = sum(share.lost_ns.values())
    if not cost:
        return {}
    if lost > 0:
        return {ends: cost * ns / lost for ends, ns in share.lost_ns.items()}
    return {slowest: cost} if slowest is not None else {}


def _flows(
    result: TrafficResult,
    alone_ns: Sequence[Fraction],
    shares: FairResult,
    by_ports: FairResult | NoTree | None,
    costs: Sequence[Mapping[Ends, float]],
) -> list[FlowRecord]:
    traffic = result.traffic
    granularities = granularities_ns(result)
    notes = notes_on_windows(traffic, alone_ns)
    records = []
    for n, (spec, times, share) in enumerate(zip(traffic.flows, result.flows, shares.flows, strict=True)):
        start_ns, end_ns = Fraction(times.start_ticks, TICKS_PER_NS), times.end_ticks / TICKS_PER_NS
        ports = by_ports.flows[n] if isinstance(by_ports, FairResult) else None
        records.append(
            FlowRecord(
                name=spec.name,
                src=spec.src,
                dst=spec.dst,
                bytes=spec.nbytes,
                path=result.routes[n].nodes,
                start_ns=float(start_ns),
                end_ns=float(end_ns),
                mean_gbs=_ratio(spec.nbytes, times.duration_ns),
                fair_end_ns=share.end_ns,
                fair_error_pct=_error_pct(float(end_ns), share),
                bottleneck=share.bottleneck,
                alone_end_ns=float(start_ns + alone_ns[n]),
                cost_ns=float(times.duration_ns - alone_ns[n]),
                slowdown=_ratio(times.duration_ns, alone_ns[n]),
                cost_by_link=[LinkCost(*ends, ns) for ends, ns in costs[n].items()],
                granularity_ns=granularities[n],
                by_ports_end_ns=ports.end_ns if ports is not None else None,
                by_ports_error_pct=_error_pct(float(end_ns), ports) if ports is not None else None,
                note=notes[n],
            )
        )
    return records


def _ratio(part: Fraction | int, whole: Fraction) -> float | None:
    return float(part / whole) if whole else None


def _error_pct(end_ns: float, said: FairFlow) -> float | None:
    takes_ns = said.end_ns - said.start_ns
    if takes_ns > 0:
        return 100 * (end_ns - said.end_ns) / takes_ns
    return 0.0 if end_ns == said.end_ns else None


def _links(result: TrafficResult, costs: Sequence[Mapping[Ends, float]]) -> list[LinkRecord]:
    together: dict[Ends, float] = {}
    for cost in costs:
        for ends, ns in cost.items():
            together[ends] = together.get(ends, 0.0) + ns
    return [
        LinkRecord(*ends, use.nbytes, result.utilisation(ends), float(use.busy_ns), use.flows, together.get(ends, 0.0))
        for ends, use in result.links.items()
    ]


def _notes(traffic: Traffic) -> list[str]:
    """What the reader should know besides the numbers."""
    notes = []
    system = traffic.system
    if system.hierarchy is None and system.ns_per_mm == DEFAULT_NS_PER_MM and any(x.length_mm for x in system.links()):
        notes.append(f"links take {float(system.ns_per_mm)} ns per mm (options: ns_per_mm)")
    if system.hierarchy is not None:
        notes.append(
            "flows cross links and parts only: what memories and PE tiles take themselves is not in their times"
        )
    own = own_parts(system)
    if own:
        notes.append(f"parts of your own: {_some(own)}; fair shares take them for shipped ones with the same numbers")
    return notes


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
