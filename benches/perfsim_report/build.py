"""Estimates -> the fields of the report."""

from __future__ import annotations

from collections import Counter

from benches.learned_report.difference import learned_report
from benches.perfsim_report.model import EngineComparison, MeasuredComparison, PerfSimReport
from benches.schedule_report.build import block_report, not_costed, provenance
from benches.unroll_report import UnrollReport
from simcore.explain.bounds import bounds
from simcore.explain.critical_path import critical_path
from simcore.explain.lanes import LaneUse, lane_uses
from simcore.explain.of_perfsim import block_relations
from simcore.oracle import oracle_name
from simcore.perfsim.estimate import Estimate
from simcore.program.engines import Lane
from simcore.program.measured import MeasuredSummary

SCHEMA = "kernbench.perfsim/1"
METRIC = "backend::PostSchedEstLatency"


def report_of(
    estimate: Estimate,
    without_anti: Estimate,
    *,
    events: bool,
    explain: bool,
    measured: MeasuredSummary | None = None,
    unroll: UnrollReport | None = None,
) -> PerfSimReport:
    """The report of an estimate; ``without_anti`` is the same estimate without anti-dependencies."""
    program = estimate.prepared.program
    paths = [critical_path(block.schedule, block.columns) for block in estimate.blocks]
    uses = [lane_uses(block.schedule) for block in estimate.blocks]
    lower = bounds(estimate, without_anti) if explain else [None] * len(paths)
    relations = [block_relations(estimate, block) if explain else None for block in estimate.blocks]
    return PerfSimReport(
        schema=SCHEMA,
        program=program.name,
        arch=estimate.prepared.arch,
        arch_version=estimate.prepared.arch_version,
        oracle=oracle_name(estimate.prepared.arch),
        timing=estimate.prepared.timing,
        blocks=[
            block_report(block, free, path, lanes, events=events, lower=bound, relations=waits)
            for block, free, path, lanes, bound, waits in zip(
                estimate.blocks, without_anti.blocks, paths, uses, lower, relations, strict=True
            )
        ],
        whole_program_ns=estimate.whole_program_ns,
        metrics={METRIC: estimate.post_sched_est_latency},
        provenance=provenance(estimate.blocks, paths),
        not_costed=not_costed(estimate.blocks),
        notes=program.notes,
        measured=_comparison(estimate, uses, measured),
        unroll=unroll,
        learned=learned_report(estimate.blocks),
    )


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
