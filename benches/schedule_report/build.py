"""A scheduled block -> the fields of its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from benches.exact_ns import Ns, exact_ns
from benches.schedule_report.lives import life_records, slack_summary
from benches.schedule_report.model import (
    BlockReport,
    BoundBy,
    EngineUse,
    Event,
    Explanation,
    LowerBounds,
    PathStep,
    Ready,
)
from simcore.explain.bounds import Bounds
from simcore.explain.critical_path import Step
from simcore.explain.lanes import LaneUse
from simcore.explain.relations import Relations
from simcore.explain.slack import slack_of
from simcore.oracle import Costs, Provenance
from simcore.program.columns import Columns
from simcore.program.engines import Lane
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause, Schedule, with_trips


class ScheduledBlock(Protocol):
    """One block as either model has run it."""

    @property
    def function(self) -> str:
        """The function it belongs to."""

    @property
    def block(self) -> str:
        """Its name."""

    @property
    def columns(self) -> Columns:
        """Its instructions."""

    @property
    def costs(self) -> Costs:
        """What each of them costs."""

    @property
    def schedule(self) -> Schedule:
        """When each of them ran."""


def block_report(
    block: ScheduledBlock,
    without_anti: ScheduledBlock,
    path: Sequence[Step],
    lanes: Sequence[LaneUse],
    *,
    events: bool,
    lower: Bounds | None,
    relations: Relations | None = None,
) -> BlockReport:
    """The report of ``block``; ``without_anti`` is the same block run without anti-dependencies.

    ``path`` and ``lanes`` are the critical path and the lane accounts of its schedule. With ``lower`` it is explained,
    with ``relations`` down to the life and the slack of each instruction.
    """
    s, names = block.schedule, block.columns.name_list()
    no_anti = without_anti.schedule.critical_path
    return BlockReport(
        function=block.function,
        block=block.block,
        instructions=len(names),
        critical_path_ns=_ns(s.critical_path, s),
        makespan_ns=_ns(s.makespan, s),
        critical_path_no_anti_ns=_ns(no_anti, s),
        anti_dependency_slack=round(s.critical_path / no_anti, 4) if no_anti else 1.0,
        engines={use.lane.name: _engine_use(use, s) for use in lanes},
        critical_path=[names[step.event] for step in path if step.event >= 0],
        whole_ns=_ns(with_trips(s, block.columns), s),
        events=_events(block, names) if events else None,
        explanation=_explanation(block, names, path, lower, relations) if lower is not None else None,
    )


def path_by_cause(path: Sequence[Step]) -> dict[str, int]:
    """Ticks of the path by what ended each piece: the wait that the next step was released from, or the execution."""
    total: Counter[str] = Counter()
    for k, step in enumerate(path):
        total[path[k + 1].cause.name if k + 1 < len(path) else "execution"] += step.length
    return dict(total)


def provenance(blocks: Sequence[ScheduledBlock], paths: Sequence[Sequence[Step]]) -> dict[str, float]:
    """The share of the critical paths that rests on each kind of number."""
    ticks = {kind: 0 for kind in Provenance}
    for block, path in zip(blocks, paths, strict=True):
        for step in path:
            if step.event >= 0:
                ticks[Provenance(int(block.costs.provenance[step.event]))] += step.length
    total = sum(ticks.values())
    return {kind.name: round(length / total, 4) if total else 0.0 for kind, length in ticks.items()}


def not_costed(blocks: Sequence[ScheduledBlock]) -> dict[str, int]:
    """Instructions without a cost by opcode, sorted."""
    count: Counter[str] = Counter()
    for block in blocks:
        opcodes = block.columns.opcode[block.costs.provenance == Provenance.not_costed]
        for opcode, number in zip(*np.unique(opcodes, return_counts=True), strict=True):
            count[Opcode(int(opcode)).name] += int(number)
    return dict(sorted(count.items()))


def _ns(ticks: int, schedule: Schedule) -> Ns:
    return exact_ns(ticks, schedule.ticks_per_ns)


def _engine_use(use: LaneUse, s: Schedule) -> EngineUse:
    return EngineUse(
        events=use.events,
        busy_ns=_ns(use.busy, s),
        overlapped_ns=_ns(use.overlapped, s),
        idle_ns={cause.name: _ns(ticks, s) for cause, ticks in use.idle_by_cause().items()},
        after_ns=_ns(use.after, s),
    )


def _events(block: ScheduledBlock, names: list[str]) -> list[Event]:
    s = block.schedule
    columns = (s.lane, s.start, s.duration, s.next_dispatch, s.cause, s.on)
    events = [
        Event(
            name,
            lane,
            _ns(start, s),
            _ns(duration, s),
            _ns(dispatch, s),
            BoundBy(Cause(cause).name, names[on] if on >= 0 else None),
        )
        for name, lane, start, duration, dispatch, cause, on in zip(names, *(c.tolist() for c in columns), strict=True)
    ]
    for collective in np.flatnonzero(block.columns.opcode == Opcode.CollectiveCompute).tolist():
        last = int(s.ready_on[collective])
        events[collective].ready = Ready(_ns(int(s.ready_at[collective]), s), names[last] if last >= 0 else None)
    return events


def _explanation(
    block: ScheduledBlock, names: list[str], path: Sequence[Step], lower: Bounds, relations: Relations | None
) -> Explanation:
    s = block.schedule
    by_engine: Counter[str] = Counter()
    steps = []
    for step in path:
        lane = Lane(int(s.lane[step.event])).name if step.event >= 0 else None
        by_engine[lane or "outside"] += step.length
        on = int(s.on[step.event]) if step.event >= 0 else -1
        extra = block.columns.extras.get(step.event)
        steps.append(
            PathStep(
                name=names[step.event] if step.event >= 0 else None,
                opcode=Opcode(int(block.columns.opcode[step.event])).name if step.event >= 0 else None,
                lane=lane,
                start_ns=_ns(step.start, s),
                until_ns=_ns(step.until, s),
                bound_by=BoundBy(step.cause.name, names[on] if on >= 0 else None),
                source=extra.source if extra else None,
            )
        )
    by_cause = Counter(path_by_cause(path))
    explanation = Explanation(
        path=steps,
        path_by_engine_ns={name: _ns(ticks, s) for name, ticks in by_engine.most_common()},
        path_by_cause_ns={name: _ns(ticks, s) for name, ticks in by_cause.most_common()},
        lower_bounds=LowerBounds(
            busiest_engine=lower.busiest_lane.name if lower.busiest_lane is not None else None,
            busiest_engine_ns=lower.busiest_lane_ns,
            dependences_ns=lower.dependences_ns,
            no_anti_ns=lower.no_anti_ns,
        ),
    )
    if relations is not None:
        slack = slack_of(s, relations)
        explanation.slack = slack_summary(s, slack)
        explanation.lives = life_records(block.columns, s, relations, slack, names)
    return explanation
