"""The fields of ``kernbench.perfsim/1``, as written by ``perfsim --json``. Times are integer nanoseconds."""

from __future__ import annotations

import msgspec


class BoundBy(msgspec.Struct):
    """What an event's start was bound by; ``on`` names the event waited for."""

    cause: str
    on: str | None


class Event(msgspec.Struct):
    """One placed event; ``lane`` is 0..11."""

    name: str
    lane: int
    start: int
    duration: int
    next_dispatch: int
    bound_by: BoundBy


class EngineUse(msgspec.Struct):
    """One lane: time with at least one event, how much the events overlap, idle time by cause, time after the last."""

    events: int
    busy_ns: int
    overlapped_ns: int
    idle_ns: dict[str, int]
    after_ns: int


class PathStep(msgspec.Struct):
    """A link of the critical path: from its start until it released the next one."""

    name: str | None
    opcode: str | None
    lane: str | None
    start_ns: int
    until_ns: int
    bound_by: BoundBy
    source: str | None


class LowerBounds(msgspec.Struct):
    """What the block could not beat; see :class:`simcore.explain.bounds.Bounds`."""

    busiest_engine: str | None
    busiest_engine_ns: int
    dependences_ns: int
    no_anti_ns: int


class Explanation(msgspec.Struct):
    """Why a block takes as long as it does. Both sums over the path equal the makespan."""

    path: list[PathStep]
    path_by_engine_ns: dict[str, int]
    path_by_cause_ns: dict[str, int]
    lower_bounds: LowerBounds


class BlockReport(msgspec.Struct, omit_defaults=True):
    """One block. ``critical_path_ns`` is the source's figure, ``makespan_ns`` the end of the latest event."""

    function: str
    block: str
    instructions: int
    critical_path_ns: int
    makespan_ns: int
    critical_path_no_anti_ns: int
    anti_dependency_slack: float
    engines: dict[str, EngineUse]
    critical_path: list[str]
    whole_ns: int
    events: list[Event] | None = None
    explanation: Explanation | None = None


class EngineComparison(msgspec.Struct):
    """Busy time of one engine, measured and estimated."""

    measured_busy_ns: int | None
    predicted_busy_ns: int


class MeasuredComparison(msgspec.Struct):
    """The estimate beside what hardware did."""

    measured_ns: int
    predicted_ns: int
    error_pct: float
    engines: dict[str, EngineComparison]


class PerfSimReport(msgspec.Struct, omit_defaults=True):
    """The whole result. ``provenance`` gives the share of the critical paths that rests on each kind of number."""

    schema: str
    program: str
    arch: str
    arch_version: int
    oracle: str | None
    timing: str
    blocks: list[BlockReport]
    whole_program_ns: int
    metrics: dict[str, int]
    provenance: dict[str, float]
    not_costed: dict[str, int]
    notes: list[str]
    measured: MeasuredComparison | None = None
