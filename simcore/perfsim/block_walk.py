"""Running the walk over a whole block: buffers, the choice of execution, the schedule that comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simcore.perfsim.compiled import SMALL_BLOCK, compiled_walk, plain_walk
from simcore.perfsim.lower import WalkInput
from simcore.perfsim.options import PerfSimOptions
from simcore.perfsim.walk import (
    BANK_LAST,
    BANK_TIME,
    LANE_LAST,
    RING_CURSOR,
    STATE_SIZE,
    TRIGGER,
    WRITER_END,
    WRITER_LAST,
)
from simcore.program.columns import Array
from simcore.schedule import Schedule


def fresh_state() -> Array:
    """int64[STATE_SIZE]: empty lanes and banks, cursors at the start."""
    state = np.zeros(STATE_SIZE, dtype=np.int64)
    state[LANE_LAST:BANK_TIME] = -1
    state[BANK_LAST:WRITER_END] = -1
    state[WRITER_LAST : RING_CURSOR - 1] = -1
    return state


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """The walk's scalar arguments; see :func:`simcore.perfsim.walk.walk`."""

    overlap_of: tuple[int, int, int, int]
    in_order: bool
    barriers: bool
    coupled: bool
    anti: bool
    reflow: bool
    reflow_new: float
    reflow_old: float

    @classmethod
    def of(cls, options: PerfSimOptions, arch_version: int, *, include_anti_deps: bool) -> WalkSettings:
        """The settings of one run."""
        return cls(
            overlap_of=(0, options.compute_overlap_ns, options.dma_overlap_ns, 0),
            in_order=options.engine_order,
            barriers=options.barriers,
            coupled=options.coupled(arch_version),
            anti=include_anti_deps,
            reflow=options.collective_reflow == "overlap",
            reflow_new=options.reflow_new_weight,
            reflow_old=options.reflow_old_weight,
        )

    def without_lanes(self) -> WalkSettings:
        """The same run in which nothing but producers and rings is waited for."""
        return replace(self, in_order=False, barriers=False, coupled=False)

    def as_lists(self, floor_ns: int) -> tuple[Any, ...]:
        """Arguments for the plain walk."""
        return (self.overlap_of, _LOWEST_BANK, *self._flags(floor_ns))

    def as_arrays(self, floor_ns: int) -> tuple[Any, ...]:
        """Arguments for the compiled walk."""
        tables = (np.array(self.overlap_of, dtype=np.int64), np.array(_LOWEST_BANK, dtype=np.int64))
        return (*tables, *self._flags(floor_ns))

    def _flags(self, floor_ns: int) -> tuple[Any, ...]:
        reflow = (self.reflow, self.reflow_new, self.reflow_old)
        return (self.in_order, self.barriers, self.coupled, self.anti, floor_ns, *reflow)


_LOWEST_BANK = (0, *((m & -m).bit_length() - 1 for m in range(1, 256)))


def run_walk(inputs: WalkInput, options: PerfSimOptions, arch_version: int, *, include_anti_deps: bool) -> Schedule:
    """The schedule of a block with fresh lanes."""
    n = len(inputs.duration)
    duration = inputs.duration.copy() if options.collective_reflow == "overlap" else inputs.duration
    settings = WalkSettings.of(options, arch_version, include_anti_deps=include_anti_deps)
    times = np.empty(2 * n, dtype=np.int64)
    cause, on = np.empty(n, dtype=np.uint8), np.empty(n, dtype=np.int32)
    # Written for collectives only: untouched pages of zeros cost nothing.
    ready_at, ready_on = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int32)
    read = (
        duration,
        inputs.lane,
        inputs.klass,
        inputs.bank_waits,
        inputs.bank_sets,
        inputs.dep_count,
        inputs.dep_on,
        inputs.dep_kind,
        inputs.ring_head,
    )
    written: tuple[Array, ...] = (times, cause, on, ready_at, ready_on)
    if n > SMALL_BLOCK:
        compiled_walk()(0, n, *read, *settings.as_arrays(0), fresh_state(), *written)
    else:
        as_lists = [a.tolist() for a in read]
        results: list[list[int]] = [a.tolist() for a in written]
        plain_walk(0, n, *as_lists, *settings.as_lists(0), fresh_state().tolist(), *results)
        for array, values in zip((duration, *written), (as_lists[0], *results), strict=True):
            if array is not inputs.duration:
                array[:] = values
    start = times[::2] - duration
    trigger = np.flatnonzero(inputs.klass & TRIGGER)
    start[trigger] = times[2 * trigger]
    return Schedule(
        lane=inputs.lane,
        start=start,
        duration=duration,
        next_dispatch=times[1::2],
        cause=cause,
        on=on,
        ready_at=ready_at,
        ready_on=ready_on,
    )
