"""Runs a collective for every size asked for, beside its analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from benches.collectives.alpha_beta import bound_ns, longest_chain
from benches.collectives.critical import critical_sends
from benches.collectives.model import (
    SCHEMA,
    AlphaBeta,
    BusiestLink,
    CollectiveReport,
    Phase,
    Point,
    RootPlace,
    Stream,
)
from benches.collectives.sizes import shown_size
from benches.work_limit import fault_of_work, flits_over_links
from components.fabric.flow import Flow
from simcore.errors import InputError, Problem
from simcore.units import TICKS_PER_NS
from topology.collectives.layout import Grid, Layout
from topology.collectives.plan import ALL_TO_ALL, CENTRE, CORNER, Collective, plan_of
from topology.collectives.running import CollectiveRun, simulate
from topology.collectives.send import Plan, Send
from topology.collectives.slots import NO_COSTS, Costs
from topology.collectives.ways import Share
from topology.machine.hops import DMA_ENGINE, rate_gbs
from topology.machine.site import Site
from topology.system import System


@dataclass(frozen=True, slots=True)
class Request:
    """A collective of every size in ``sizes`` (bytes of the whole buffer); the rest as in ``Collective``."""

    kind: str
    algorithm: str
    sizes: Sequence[int]
    layout: Layout
    streams: Mapping[int, Fraction]
    root: str | None = None
    costs: Costs = NO_COSTS

    def collective(self, nbytes: int) -> Collective:
        """That of one size."""
        ranks, grid = len(self.layout.nodes), self.layout.grid
        return Collective(self.kind, self.algorithm, nbytes, ranks, grid, self.streams, self.root)


Progress = Callable[[str], None]
"""Told what is under way."""


class _Count:
    """Counts the sends of a run that are over, and tells after every hundredth part of them."""

    def __init__(self, progress: Progress, plan: Plan, what: str) -> None:
        self._progress, self._what = progress, what
        self._total = len(plan.sends)
        self._over = 0

    def begins(self, send: Send, share: Share) -> None:
        """Counts nothing."""

    def ends(self, send: Send, share: Share, flow: Flow, start_ticks: int) -> None:
        """Counts it: here a send has one share."""
        self._over += 1
        if self._over % max(1, self._total // 100) == 0:
            self._progress(f"{self._what}: {self._over} of {self._total} sends")


def bus_factor(kind: str, ranks: int) -> Fraction:
    """By what the algorithm bandwidth is multiplied for a figure that can be held against a link's rate, whatever the
    number of ranks: as nccl-tests defines it."""
    factors = {
        "all_reduce": Fraction(2 * (ranks - 1), ranks),
        "all_gather": Fraction(ranks - 1, ranks),
        "reduce_scatter": Fraction(ranks - 1, ranks),
        "broadcast": Fraction(1),
        ALL_TO_ALL: Fraction(ranks - 1, ranks),
    }
    return factors[kind]


def report_of(system: System, request: Request, progress: Progress = lambda _: None) -> CollectiveReport:
    """The report on ``request``. Raises InputError with everything that is wrong with it, before anything is run."""
    site = Site(system)
    plans = [plan_of(request.collective(nbytes)) for nbytes in request.sizes]
    _check_work(site, plans, request.layout.nodes)
    costs, nodes, largest = request.costs, request.layout.nodes, request.collective(max(request.sizes))
    roots = [CORNER, CENTRE] if request.algorithm == "hierarchical" else []
    return CollectiveReport(
        schema=SCHEMA,
        topology=system.name,
        arbitration=system.arbitration,
        kind=request.kind,
        algorithm=request.algorithm,
        ranks=list(nodes),
        grid=_shown(request.layout.grid),
        root=plans[0].root,
        streams={stream: float(share) for stream, share in request.streams.items()},
        tier=costs.tier.name if costs.tier is not None else None,
        reduce_ns_per_byte=float(costs.reduce_ns_per_byte),
        bus_factor=float(bus_factor(request.kind, len(nodes))),
        points=[_point(site, plan, nodes, costs, progress) for plan in plans],
        roots=[_root_place(site, replace(largest, root=root), nodes, costs, progress) for root in roots],
        notes=_notes(system, nodes),
    )


def _notes(system: System, nodes: Sequence[str]) -> list[str]:
    """That cores with several DMA engines use one of them (ADR-0064 D11)."""
    engines = [sum(system.node(n).kind == DMA_ENGINE for n in system.graph.successors(node)) for node in nodes]
    if max(engines) < 2:
        return []
    return [
        f"a send goes by the one route between two ranks, through one of the {max(engines)} DMA engines of a core; "
        "a program's collective takes all of them (kernbench run --memory fabric)"
    ]


def _check_work(site: Site, plans: Sequence[Plan], nodes: Sequence[str]) -> None:
    """Raises InputError if ``plans`` would take hours."""
    sends = [send for plan in plans for send in plan.sends]
    sizes = [(send.nbytes, len(site.route(nodes[send.src], nodes[send.dst]).links)) for send in sends]
    fault = fault_of_work(flits_over_links(sizes, site.system.flit_bytes))
    if fault is not None:
        raise InputError([Problem(fault, "--bytes, --sweep")])


def _shown(grid: Grid | None) -> str | None:
    if grid is None:
        return None
    joined = grid.packages
    packages = f" in each of {joined.w}x{joined.h} packages ({joined.topology})" if joined.w * joined.h > 1 else ""
    return f"{grid.w}x{grid.h}{packages}"


def _root_place(site: Site, asked: Collective, nodes: Sequence[str], costs: Costs, progress: Progress) -> RootPlace:
    plan = plan_of(asked)
    assert asked.root is not None and plan.root is not None
    run = simulate(site, plan, nodes, costs, watch=_Count(progress, plan, f"root in the {asked.root}"))
    return RootPlace(asked.root, plan.root, plan.steps(), float(_time_ns(run)))


def _time_ns(run: CollectiveRun) -> Fraction:
    return max((times.usable for times in run.times.values()), default=Fraction(0)) / TICKS_PER_NS


def _point(site: Site, plan: Plan, nodes: Sequence[str], costs: Costs, progress: Progress) -> Point:
    run = simulate(site, plan, nodes, costs, watch=_Count(progress, plan, shown_size(plan.nbytes)))
    time = _time_ns(run)
    chain = longest_chain(site, plan, nodes, costs)
    error = float(100 * (time - chain.time_ns) / chain.time_ns) if chain.time_ns else None
    bound = bound_ns(site, plan, nodes)
    bandwidth = plan.nbytes / time if time else None
    return Point(
        bytes=plan.nbytes,
        time_ns=float(time),
        algbw_gbs=float(bandwidth) if bandwidth is not None else None,
        busbw_gbs=float(bandwidth * bus_factor(plan.kind, plan.ranks)) if bandwidth is not None else None,
        alpha_beta=AlphaBeta(float(chain.time_ns), chain.steps, float(chain.alpha_ns), float(chain.bytes_ns), error),
        bound_ns=float(bound) if bound is not None else None,
        busiest_link=_busiest(run, time),
        phases=_phases(run),
        streams=_streams(run),
    )


def _busiest(run: CollectiveRun, time: Fraction) -> BusiestLink | None:
    system = run.machine.site.system
    busy = [
        (link.moved_bytes / rate, ends, link.moved_bytes)
        for ends, link in run.machine.links.items()
        if link.moved_bytes and (rate := rate_gbs(system, system.link(*ends))) is not None
    ]
    if not busy:
        return None
    longest, ends, nbytes = max(busy, key=lambda row: row[0])
    return BusiestLink(*ends, nbytes, float(longest), float(100 * longest / time))


def _phases(run: CollectiveRun) -> list[Phase]:
    sends = run.plan.sends
    critical = critical_sends(run)
    found = []
    for phase in run.plan.phases:
        own = [send for send in sends if send.phase == phase]
        spent = [took for send, took in critical if send.phase == phase]
        took = float(sum(spent, Fraction(0)) / TICKS_PER_NS)
        found.append(Phase(phase, len(own), sum(send.nbytes for send in own), len(spent), took))
    return found


def _streams(run: CollectiveRun) -> list[Stream]:
    found = []
    for stream in run.plan.parts:
        own = [send for send in run.plan.sends if send.stream == stream]
        end = max((run.times[send.name].usable for send in own), default=Fraction(0))
        found.append(Stream(stream, sum(send.nbytes for send in own), float(end / TICKS_PER_NS)))
    return found
