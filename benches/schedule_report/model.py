"""The fields of one block in a report. Times are exact nanoseconds: whole numbers, unless a machine has fractions."""

from __future__ import annotations

import msgspec

from benches.exact_ns import Ns


class BoundBy(msgspec.Struct):
    """What an event's start was bound by; ``on`` names the event waited for."""

    cause: str
    on: str | None


class Ready(msgspec.Struct):
    """When a collective's own producers let it go, and the last of them."""

    at: Ns
    on: str | None


class Event(msgspec.Struct, omit_defaults=True):
    """One placed event; ``lane`` is 0..11. ``ready``: collectives only; behind an Ordered edge others start then.

    ``bound_by`` is what its start was bound by, or, where memory made it last longer than it costs, the largest cause
    of that, with the part in ``on``; its start was then bound by ``started_by``.
    """

    name: str
    lane: int
    start: Ns
    duration: Ns
    next_dispatch: Ns
    bound_by: BoundBy
    ready: Ready | None = None
    started_by: BoundBy | None = None


class EngineUse(msgspec.Struct):
    """One lane: time with at least one event, how much the events overlap, idle time by cause, time after the last."""

    events: int
    busy_ns: Ns
    overlapped_ns: Ns
    idle_ns: dict[str, Ns]
    after_ns: Ns


class PathStep(msgspec.Struct):
    """A link of the critical path: from its start until it released the next one."""

    name: str | None
    opcode: str | None
    lane: str | None
    start_ns: Ns
    until_ns: Ns
    bound_by: BoundBy
    source: str | None


class LowerBounds(msgspec.Struct):
    """What the block could not beat; see :class:`simcore.explain.bounds.Bounds`."""

    busiest_engine: str | None
    busiest_engine_ns: int
    dependences_ns: int
    no_anti_ns: int


class SlackSummary(msgspec.Struct):
    """How many events cannot come later without a later makespan, and how much the closest of the others can."""

    zero: int
    smallest_nonzero_ns: Ns | None


class WaitRecord(msgspec.Struct):
    """A piece of waiting, named after what ended it; ``on`` names the event waited for."""

    cause: str
    on: str
    ns: Ns


class LifeRecord(msgspec.Struct):
    """One event's life from when it could first be considered to its end, see :class:`simcore.explain.life.Life`.

    ``begin_ns`` plus waits, issue, execution and drain is its end. ``slack_ns``: how much later the event may come
    without a later makespan; ``stretch_ns``: how much longer it may last.
    """

    name: str
    begin_ns: Ns
    waits: list[WaitRecord]
    issue_ns: Ns
    execution_ns: Ns
    drain_ns: Ns
    slack_ns: Ns
    stretch_ns: Ns


class Explanation(msgspec.Struct, omit_defaults=True):
    """Why a block takes as long as it does. Both sums over the path equal the makespan.

    ``lives`` are in program order.
    """

    path: list[PathStep]
    path_by_engine_ns: dict[str, Ns]
    path_by_cause_ns: dict[str, Ns]
    lower_bounds: LowerBounds
    slack: SlackSummary | None = None
    lives: list[LifeRecord] | None = None


class BlockReport(msgspec.Struct, omit_defaults=True):
    """One block. ``critical_path_ns`` is the source's figure, ``makespan_ns`` the end of the latest event."""

    function: str
    block: str
    instructions: int
    critical_path_ns: Ns
    makespan_ns: Ns
    critical_path_no_anti_ns: Ns
    anti_dependency_slack: float
    engines: dict[str, EngineUse]
    critical_path: list[str]
    whole_ns: Ns
    events: list[Event] | None = None
    explanation: Explanation | None = None
