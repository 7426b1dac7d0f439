"""Running a block on a fresh core, and reading the schedule off its works."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np

from components.core.neuron_core import NeuronCore, NeuronCoreParameters
from components.core.wiring import works_of
from components.core.work import FAMILY_SHIFT, Collective, LaneOfWork, Work
from simcore.errors import InputError, Problem
from simcore.garbage import collection_paused
from simcore.kernel import INSTANT_LIMIT, Environment, Row, show_ticks
from simcore.program.columns import Array, Columns
from simcore.program.engines import Lane
from simcore.schedule import Cause, Schedule
from simcore.units import TICKS_PER_NS

EVENTS_PER_INSTRUCTION = 8
"""More than the events that an instruction can cause at one instant, besides one for each of its edges."""

LONGEST_TICKS = 2**63 - 1
"""The latest end that a schedule can hold: 106 days."""

_CAUSE_OF_FAMILY = np.array(
    [
        Cause.dependency,
        Cause.engine,
        Cause.barrier,
        Cause.psum_bank,
        Cause.band_coupling,
        Cause.dependency,
        Cause.ring,
        Cause.none,
    ],
    dtype=np.uint8,
)
"""By the rank's family: edges, engine, barrier, bank, coupling, trigger, ring, none."""


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

    ``cost_ns`` is int64[n] before collective shares. Raises InputError for a collective without bandwidth and for a
    PSUM bank that the core has not, and for a block that lasts too long to be recorded; Deadlock or Livelock if the run
    cannot end.
    """
    # A block of free instructions happens at one instant, and is no livelock.
    most = EVENTS_PER_INSTRUCTION * len(columns) + len(columns.dep_on)
    env = Environment(log, instant_limit=max(INSTANT_LIMIT, most))
    core = NeuronCore(env, "core", parameters, {})
    with collection_paused():
        works = works_of(core, columns, cost_ns, include_anti_deps=include_anti_deps, file=file)
        core.run(works)
        if env.now > LONGEST_TICKS:
            message = f"a block takes {show_ticks(env.now)} (allowed: {show_ticks(LONGEST_TICKS)})"
            raise InputError([Problem(message, file)])
        return schedule_of(core, works)


def schedule_of(core: NeuronCore, works: Sequence[Work], since: int = 0) -> Schedule:
    """Where ``core`` ran the works, their recorded times and bounds, as arrays; times count from tick ``since``."""
    number: dict[LaneOfWork, int] = {core.lane(lane): int(lane) for lane in Lane}
    ran_on = map(number.__getitem__, map(attrgetter("lane"), works))
    lane = np.fromiter(ran_on, dtype=np.uint8, count=len(works))
    start = _field(works, "start_at") - since
    unbound = start == 0
    ready_at, ready_on = np.zeros_like(start), np.zeros(len(works), dtype=np.int32)
    for i in ((lane >= Lane.CCStream0) | (lane == Lane.DMA)).nonzero()[0].tolist():  # where collectives can be
        work = works[i]
        if isinstance(work, Collective):
            ready_at[i] = at = max(work.ready_at - since, 0)
            ready_on[i] = work.ready_on.index if work.ready_on is not None and at else -1
    cause = _CAUSE_OF_FAMILY[_field(works, "bound_rank") >> FAMILY_SHIFT]
    on = np.array([-1 if work.bound_on is None else work.bound_on.index for work in works], dtype=np.int32)
    cause[unbound], on[unbound] = Cause.none, -1
    return Schedule(
        lane=lane,
        start=start,
        duration=_field(works, "end_ticks"),
        next_dispatch=_field(works, "dispatch_at") - since,
        cause=cause,
        on=on,
        ready_at=ready_at,
        ready_on=ready_on,
        ticks_per_ns=TICKS_PER_NS,
    )


def _field(works: Sequence[Work], name: str) -> Array:
    """int64[n]: one attribute of every work."""
    return np.fromiter(map(attrgetter(name), works), dtype=np.int64, count=len(works))
