"""Running a block on a fresh core, and reading the schedule off its works."""

from __future__ import annotations

import numpy as np

from components.core.neuron_core import NeuronCore, NeuronCoreParameters
from components.core.wiring import Wiring
from components.core.work import BANK, COUPLING, ENGINE, RING, TRIGGERED, Work
from components.registry import build
from simcore.errors import ModelBug
from simcore.kernel import INSTANT_LIMIT, Environment, Row
from simcore.program.columns import Array, Columns
from simcore.program.engines import Lane
from simcore.program.lanes import lanes_of
from simcore.schedule import Cause, Schedule
from simcore.units import TICKS_PER_NS

EVENTS_PER_INSTRUCTION = 8
"""More than the events one instruction can cause, so that a block of free instructions is no livelock."""


def simulate_block(
    columns: Columns,
    cost_ns: Array,
    parameters: NeuronCoreParameters,
    *,
    include_anti_deps: bool = True,
    log: list[Row] | None = None,
    file: str = "<program>",
) -> Schedule:
    """The schedule (in ticks) of a block on a core that starts empty.

    ``cost_ns`` is int64[n] before collective shares. Raises InputError for a collective without bandwidth, Deadlock or
    Livelock if the run cannot end.
    """
    limit = max(INSTANT_LIMIT, EVENTS_PER_INSTRUCTION * len(columns))
    env = Environment(log, instant_limit=limit)
    core = build(env, "neuron_core", "core", parameters.model_dump(), {})
    if not isinstance(core, NeuronCore):
        raise ModelBug(f"a neuron_core of class {type(core).__qualname__} runs no program")
    works = Wiring(core, columns, include_anti_deps=include_anti_deps, file=file).works_of(cost_ns)
    core.run(works)
    return schedule_of(works, lanes_of(columns))


def schedule_of(works: list[Work], lane: Array) -> Schedule:
    """The works' recorded times and bounds as arrays."""
    start = np.array([w.start_at for w in works], dtype=np.int64)
    bounds = [_bound(w) for w in works]
    return Schedule(
        lane=lane,
        start=start,
        duration=np.array([w.end_ticks for w in works], dtype=np.int64),
        next_dispatch=np.array([w.dispatch_at for w in works], dtype=np.int64),
        cause=np.array([cause for cause, _ in bounds], dtype=np.uint8),
        on=np.array([on for _, on in bounds], dtype=np.int32),
        ready_at=np.array([w.ready_at for w in works], dtype=np.int64),
        ready_on=np.array([w.ready_on.index if w.ready_on and w.ready_at else -1 for w in works], dtype=np.int32),
        ticks_per_ns=TICKS_PER_NS,
    )


def _bound(work: Work) -> tuple[Cause, int]:
    """What the start was bound by, and the index of the work waited for."""
    if work.start_at == 0 or work.bound_on is None:
        return Cause.none, -1
    return _cause(work), work.bound_on.index


def _cause(work: Work) -> Cause:
    rank = work.bound_rank
    if rank < ENGINE or TRIGGERED <= rank < RING:
        return Cause.dependency
    if rank < BANK:
        return Cause.barrier if work.lane.name.endswith(f".{Lane.ALL.name}") else Cause.engine
    if rank < COUPLING:
        return Cause.psum_bank
    return Cause.band_coupling if rank < TRIGGERED else Cause.ring
