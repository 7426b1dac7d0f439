"""The oracles' predictions: PerfSim at their costs, which the machine with ideal memory equals instant by instant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benches.validate_report.timeline import Timeline, transfers, waits_only
from simcore.perfsim.estimate import BlockEstimate, estimate
from simcore.program.engines import Lane
from simcore.program.measured import BUSY_LANES, covered_ns
from simcore.program.program import Program
from simcore.schedule import Cause
from simcore.timing.confidence import Confidence, Level


class AnalyticPredictor:
    """Costs from ``hwm`` or ``public``. They have no clock throttle, so there is one run and no band."""

    def __init__(self, timing: str) -> None:
        self.timing = timing

    def predict(self, program: Program) -> Sequence[Timeline]:
        """The one run of the program's one block."""
        (block,) = estimate(program, timing=self.timing).blocks
        return (timeline_of(block),)

    def confidence(self, program: Program) -> Confidence:
        """Documented constants, held against no measurement before."""
        return Confidence(Level.UNCALIBRATED)


def timeline_of(block: BlockEstimate) -> Timeline:
    """An estimated block as a timeline; a transfer starts with its trigger, since PerfSim knows no packets."""
    columns, schedule = block.columns, block.schedule
    start, end = schedule.start.astype(np.float64), schedule.end.astype(np.float64)
    working = ~waits_only(columns)
    busy = {}
    for lane in BUSY_LANES:
        own = np.flatnonzero(working & (schedule.lane == Lane[lane]))
        spans = zip(schedule.start[own].tolist(), schedule.end[own].tolist(), strict=True)
        busy[lane] = float(covered_ns(spans, 0, schedule.makespan))
    instructions = ~transfers(columns)
    window = end[instructions].max() - start[instructions].min() if instructions.any() else 0.0
    return Timeline(
        start=start,
        end=end,
        cause=tuple(Cause(c).name for c in schedule.cause.tolist()),
        on=schedule.on.astype(np.int64),
        busy=busy,
        window_ns=float(window),
    )
