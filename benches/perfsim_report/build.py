"""Estimates -> the fields of the report."""

from __future__ import annotations

from collections import Counter

import numpy as np

from benches.perfsim_report.model import (
    BlockReport,
    BoundBy,
    EngineComparison,
    EngineUse,
    Event,
    Explanation,
    LowerBounds,
    MeasuredComparison,
    PathStep,
    PerfSimReport,
)
from simcore.explain.bounds import Bounds, bounds
from simcore.explain.critical_path import Step, critical_path
from simcore.explain.lanes import LaneUse, lane_uses
from simcore.oracle import Provenance, oracle_name
from simcore.perfsim.estimate import BlockEstimate, Estimate
from simcore.program.engines import Lane
from simcore.program.measured import MeasuredSummary
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause

SCHEMA = "kernbench.perfsim/1"
METRIC = "backend::PostSchedEstLatency"


def report_of(
    estimate: Estimate,
    without_anti: Estimate,
    *,
    events: bool,
    explain: bool,
    measured: MeasuredSummary | None = None,
) -> PerfSimReport:
    """The report of an estimate; ``without_anti`` is the same estimate without anti-dependencies."""
    program = estimate.prepared.program
    paths = [critical_path(block.schedule) for block in estimate.blocks]
    uses = [lane_uses(block.schedule) for block in estimate.blocks]
    lower = bounds(estimate, without_anti) if explain else [None] * len(paths)
    return PerfSimReport(
        schema=SCHEMA,
        program=program.name,
        arch=estimate.prepared.arch,
        arch_version=estimate.prepared.arch_version,
        oracle=oracle_name(estimate.prepared.arch),
        timing=estimate.prepared.timing,
        blocks=[
            _block(block, free.critical_path_ns, path, lanes, events=events, lower=bound)
            for block, free, path, lanes, bound in zip(
                estimate.blocks, without_anti.blocks, paths, uses, lower, strict=True
            )
        ],
        whole_program_ns=estimate.whole_program_ns,
        metrics={METRIC: estimate.post_sched_est_latency},
        provenance=_provenance(estimate, paths),
        not_costed=_not_costed(estimate),
        notes=program.notes,
        measured=_comparison(estimate, uses, measured),
    )


def _block(
    block: BlockEstimate,
    no_anti_ns: int,
    path: list[Step],
    lanes: list[LaneUse],
    *,
    events: bool,
    lower: Bounds | None,
) -> BlockReport:
    names = block.columns.name_list()
    return BlockReport(
        function=block.function,
        block=block.block,
        instructions=len(names),
        critical_path_ns=block.critical_path_ns,
        makespan_ns=block.makespan_ns,
        critical_path_no_anti_ns=no_anti_ns,
        anti_dependency_slack=round(block.critical_path_ns / no_anti_ns, 4) if no_anti_ns else 1.0,
        engines={use.lane.name: _engine_use(use) for use in lanes},
        critical_path=[names[s.event] for s in path if s.event >= 0],
        whole_ns=block.whole_ns,
        events=_events(block, names) if events else None,
        explanation=_explanation(block, names, path, lower) if lower is not None else None,
    )


def _engine_use(use: LaneUse) -> EngineUse:
    return EngineUse(
        events=use.events,
        busy_ns=use.busy,
        overlapped_ns=use.overlapped,
        idle_ns={cause.name: ticks for cause, ticks in use.idle_by_cause().items()},
        after_ns=use.after,
    )


def _events(block: BlockEstimate, names: list[str]) -> list[Event]:
    s = block.schedule
    columns = (names, s.lane, s.start, s.duration, s.next_dispatch, s.cause, s.on)
    return [
        Event(name, lane, start, duration, dispatch, BoundBy(Cause(cause).name, names[on] if on >= 0 else None))
        for name, lane, start, duration, dispatch, cause, on in zip(
            names, *(c.tolist() for c in columns[1:]), strict=True
        )
    ]


def _explanation(block: BlockEstimate, names: list[str], path: list[Step], lower: Bounds) -> Explanation:
    by_engine: Counter[str] = Counter()
    by_cause: Counter[str] = Counter()
    steps = []
    for k, step in enumerate(path):
        released = path[k + 1].cause.name if k + 1 < len(path) else "execution"
        lane = Lane(int(block.schedule.lane[step.event])).name if step.event >= 0 else None
        by_engine[lane or "outside"] += step.length
        by_cause[released] += step.length
        on = int(block.schedule.on[step.event]) if step.event >= 0 else -1
        extra = block.columns.extras.get(step.event)
        steps.append(
            PathStep(
                name=names[step.event] if step.event >= 0 else None,
                opcode=Opcode(int(block.columns.opcode[step.event])).name if step.event >= 0 else None,
                lane=lane,
                start_ns=step.start,
                until_ns=step.until,
                bound_by=BoundBy(step.cause.name, names[on] if on >= 0 else None),
                source=extra.source if extra else None,
            )
        )
    return Explanation(
        path=steps,
        path_by_engine_ns=dict(by_engine.most_common()),
        path_by_cause_ns=dict(by_cause.most_common()),
        lower_bounds=LowerBounds(
            busiest_engine=lower.busiest_lane.name if lower.busiest_lane is not None else None,
            busiest_engine_ns=lower.busiest_lane_ns,
            dependences_ns=lower.dependences_ns,
            no_anti_ns=lower.no_anti_ns,
        ),
    )


def _provenance(estimate: Estimate, paths: list[list[Step]]) -> dict[str, float]:
    ticks = {kind: 0 for kind in Provenance}
    for block, path in zip(estimate.blocks, paths, strict=True):
        for step in path:
            if step.event >= 0:
                ticks[Provenance(int(block.costs.provenance[step.event]))] += step.length
    total = sum(ticks.values())
    return {kind.name: round(length / total, 4) if total else 0.0 for kind, length in ticks.items()}


def _not_costed(estimate: Estimate) -> dict[str, int]:
    count: Counter[str] = Counter()
    for block in estimate.blocks:
        opcodes = block.columns.opcode[block.costs.provenance == Provenance.not_costed]
        for opcode, number in zip(*np.unique(opcodes, return_counts=True), strict=True):
            count[Opcode(int(opcode)).name] += int(number)
    return dict(sorted(count.items()))


def _comparison(
    estimate: Estimate, uses: list[list[LaneUse]], measured: MeasuredSummary | None
) -> MeasuredComparison | None:
    if measured is None:
        return None
    predicted: Counter[str] = Counter()
    for lanes in uses:
        for use in lanes:
            predicted[use.lane.name] += use.busy
    engines = [lane.name for lane in Lane if lane.name in measured.engine_busy_ns or predicted[lane.name]]
    return MeasuredComparison(
        measured_ns=measured.window_ns,
        predicted_ns=estimate.whole_program_ns,
        error_pct=round(100 * (estimate.whole_program_ns - measured.window_ns) / measured.window_ns, 2),
        engines={name: EngineComparison(measured.engine_busy_ns.get(name), predicted[name]) for name in engines},
    )
