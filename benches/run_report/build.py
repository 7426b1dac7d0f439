"""A run on the machine -> the fields of its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from benches.exact_ns import Ns, exact_ns
from benches.learned_report.difference import learned_report
from benches.run_report.delays import delay_records, name_stretches
from benches.run_report.execute import MachineBlock
from benches.run_report.model import PartRecord, RunBlock, RunReport
from benches.run_report.parts import PartUse, part_uses
from benches.schedule_report.build import block_report, not_costed, path_by_cause, provenance
from benches.unroll_report import UnrollReport
from simcore.explain.bounds import bounds
from simcore.explain.critical_path import Step, critical_path
from simcore.explain.lanes import lane_uses
from simcore.oracle import oracle_name
from simcore.perfsim.estimate import Estimate
from simcore.schedule import Schedule, with_trips
from simcore.units import TICKS_PER_NS

SCHEMA = "kernbench.run/1"
IDEAL, FABRIC = "ideal", "fabric"
"""The words for what memory is."""


@dataclass(frozen=True, slots=True)
class Surrounded:
    """Where a program ran on real memory, what the parts around its core did, and what was left out."""

    device: str
    topology: str
    parts: Mapping[str, PartUse]
    notes: Sequence[str]


def report_of(
    machine: Sequence[MachineBlock],
    machine_without_anti: Sequence[MachineBlock],
    estimate: Estimate,
    estimate_without_anti: Estimate,
    *,
    events: bool,
    explain: bool,
    unroll: UnrollReport | None = None,
    around: Surrounded | None = None,
) -> RunReport:
    """The report of the machine's blocks, beside PerfSim's estimates of the same program at the same costs.

    ``around``: where the program ran, if that was on real memory.
    """
    prepared = estimate.prepared
    paths = [critical_path(block.schedule, block.columns) for block in machine]
    lower = bounds(estimate, estimate_without_anti) if explain else [None] * len(paths)
    blocks, attribution, parts = [], Counter[str](), dict[str, PartUse]()
    for block, free, path, bound, analytic in zip(
        machine, machine_without_anti, paths, lower, estimate.blocks, strict=True
    ):
        relations = block.relations()
        lanes = lane_uses(block.schedule)
        base = block_report(block, free, path, lanes, events=events, lower=bound, relations=relations)
        delays = block.attribution()
        if delays is None:
            causes = attribution_of(path, critical_path(analytic.schedule, analytic.columns), analytic.schedule)
        else:
            largest_first = sorted(delays.of_makespan().items(), key=lambda item: (-item[1], item[0].label))
            causes = {why.label: ticks for why, ticks in largest_first}
            if base.events is not None:
                name_stretches(base.events, block.stretches)
        uses = part_uses(block, relations)
        difference = block.schedule.makespan - _ticks(analytic.schedule.makespan, analytic.schedule)
        blocks.append(
            RunBlock(
                **msgspec.structs.asdict(base),
                perfsim_ns=analytic.makespan_ns,
                difference_ns=_ns(difference),
                attribution={cause: _ns(ticks) for cause, ticks in causes.items()},
                parts=part_records(uses, block.schedule.makespan),
                delays=delay_records(block, delays) if explain and delays is not None else None,
            )
        )
        for cause, ticks in causes.items():
            attribution[cause] += ticks
        for name, use in uses.items():
            parts[name] = parts[name] + use if name in parts else use
    makespan = sum(block.schedule.makespan for block in machine)
    perfsim_ns = sum(block.makespan_ns for block in estimate.blocks)
    return RunReport(
        schema=SCHEMA,
        program=prepared.program.name,
        arch=prepared.arch,
        arch_version=prepared.arch_version,
        oracle=oracle_name(prepared.arch),
        timing=prepared.timing,
        memory=IDEAL if around is None else FABRIC,
        blocks=blocks,
        makespan_ns=_ns(makespan),
        perfsim_ns=perfsim_ns,
        difference_ns=_ns(makespan - perfsim_ns * TICKS_PER_NS),
        attribution={cause: _ns(ticks) for cause, ticks in attribution.items()},
        parts=part_records({**parts, **(around.parts if around is not None else {})}, makespan),
        whole_program_ns=_ns(sum(with_trips(block.schedule, block.columns) for block in machine)),
        provenance=provenance(machine, paths),
        not_costed=not_costed(machine),
        notes=[*prepared.program.notes, *(around.notes if around is not None else [])],
        unroll=unroll,
        device=None if around is None else around.device,
        topology=None if around is None else around.topology,
        learned=learned_report(estimate.blocks),
    )


def attribution_of(machine: Sequence[Step], perfsim: Sequence[Step], schedule: Schedule) -> dict[str, int]:
    """Ticks by which the machine's critical path is longer than PerfSim's, by what ended each piece of the paths.

    Each path's pieces sum to its model's makespan, so the values sum to the difference of the makespans. ``schedule``
    is PerfSim's, whose ticks are longer.
    """
    ours = {cause: _ticks(length, schedule) for cause, length in path_by_cause(perfsim).items()}
    theirs = path_by_cause(machine)
    return {cause: theirs.get(cause, 0) - ours.get(cause, 0) for cause in {**theirs, **ours}}


def _ticks(time: int, schedule: Schedule) -> int:
    return time * (TICKS_PER_NS // schedule.ticks_per_ns)


def _ns(ticks: int) -> Ns:
    return exact_ns(ticks, TICKS_PER_NS)


def part_records(uses: Mapping[str, PartUse], span: int) -> dict[str, PartRecord]:
    """The accounts of parts in a run of ``span`` ticks."""
    return {
        name: PartRecord(use.requests, _ns(use.busy), _ns(use.wait), use.utilisation(span), use.moved_bytes)
        for name, use in uses.items()
    }
