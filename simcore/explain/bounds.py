"""Lower bounds beside an estimate: what no reordering, or no engine, could beat. Each is an exact re-run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.perfsim.estimate import Estimate, run
from simcore.perfsim.options import CONSTRAINTS
from simcore.program.engines import Lane


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower bounds of one block in ns.

    ``busiest_lane_ns``: the lane that needs longest for its own events back to back, overlap windows used (barriers do
    not queue behind each other, so their lane is left out).
    ``dependences_ns``: no engine, bank, ring, barrier or coupling in the way, edges only.
    ``no_anti_ns``: everything, but without anti-dependencies (makespan).
    """

    busiest_lane: Lane | None
    busiest_lane_ns: int
    dependences_ns: int
    no_anti_ns: int


def bounds(estimate: Estimate, without_anti: Estimate) -> list[Bounds]:
    """Bounds of each block; ``without_anti`` is the same estimate without anti-dependencies."""
    removed = {name: value for constraint in CONSTRAINTS.values() for name, value in constraint.items()}
    free = estimate.options.model_copy(update=removed)
    dependences = run(estimate.prepared, free, include_anti_deps=estimate.include_anti_deps, changes=estimate.changes)
    found = []
    for block, edges_only, no_anti in zip(estimate.blocks, dependences.blocks, without_anti.blocks, strict=True):
        s = block.schedule
        lane, longest = None, 0
        for candidate in np.unique(s.lane[s.lane != Lane.ALL]).tolist():
            own = np.flatnonzero(s.lane == candidate)
            issue = s.next_dispatch[own] - s.start[own]
            # Back to back, an event issues when the one before reaches its next-dispatch, and then runs to its end.
            alone = int((np.cumsum(issue) - issue + s.duration[own]).max())
            if alone > longest:
                lane, longest = Lane(candidate), alone
        found.append(Bounds(lane, longest, edges_only.makespan_ns, no_anti.makespan_ns))
    return found
