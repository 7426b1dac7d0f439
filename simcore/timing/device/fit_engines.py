"""Engines: fixed parts of operations, control, waiting instructions, semaphores, table loads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from simcore.program.measured import WAITING_OPCODE, MeasuredInstruction
from simcore.timing.device.constants import Constant, assumed, measured
from simcore.timing.device.fit_pe import LOAD_WEIGHTS, MULTIPLY, QUEUED_NS
from simcore.timing.device.lowering import Kind
from simcore.timing.device.observe import TRIGGER, Observed
from simcore.timing.device.platform import ENGINES, EngineTiming, OperationClass

_QUEUED_NS = 30
"""A start this long after its semaphore was set was not bound by it: twice the spread of the prompt ones."""

_PROMPT_NS = (5, 60)
"""A start this soon after its semaphore was set waited for nothing else."""

_SET_NS = 40
"""A semaphore that an instruction raises changes within this of its end."""

Key = tuple[str, str, str, str, bool]


def fit_operations(profiles: Sequence[Observed]) -> tuple[OperationClass, ...]:
    """Interval from pairs in which the second was not held up by a wait; latency from every duration."""
    intervals: dict[Key, list[tuple[float, Observed, MeasuredInstruction]]] = defaultdict(list)
    latencies: dict[Key, list[tuple[float, Observed, MeasuredInstruction]]] = defaultdict(list)
    for profile in profiles:
        for rows in profile.by_engine.values():
            for row in rows:
                if profile.is_compute(row):
                    latencies[profile.op_of[row.program_name].operation].append((row.duration_ns, profile, row))
            for row, following in pairwise(rows):
                if not (profile.is_compute(row) and profile.is_compute(following)):
                    continue
                waited = profile.waited_until_ns(following)
                if waited is None or following.start_ns - waited > _QUEUED_NS:
                    key = profile.op_of[row.program_name].operation
                    intervals[key].append((following.start_ns - row.start_ns, profile, row))
    return tuple(_class(key, intervals[key], latencies[key]) for key in sorted(latencies))


def _class(
    key: Key,
    intervals: list[tuple[float, Observed, MeasuredInstruction]],
    latencies: list[tuple[float, Observed, MeasuredInstruction]],
) -> OperationClass:
    speedup = 1
    while speedup < 4 and intervals and median(_beyond(intervals, speedup)) < 0:
        speedup *= 2
    latency = measured(_beyond(latencies, speedup), "durations in profiles, less the documented cycles")
    assert latency is not None
    return OperationClass(
        engine=key[0],
        opcode=key[1],
        space=key[2],
        dtype=key[3],
        pointer=key[4],
        speedup=speedup,
        interval_ns=measured(
            _beyond(intervals, speedup), "starts of two in a row in profiles, less the documented cycles"
        ),
        latency_ns=latency,
    )


def _beyond(rows: list[tuple[float, Observed, MeasuredInstruction]], speedup: int) -> list[float]:
    return [ns - profile.documented_ns(profile.op_of[row.program_name], speedup) for ns, profile, row in rows]


def fit_engine_timing(profiles: Sequence[Observed]) -> tuple[EngineTiming, ...]:
    """One record for each lane; what no profile shows of an engine is assumed to be as on the others."""
    found: dict[str, dict[str, list[float]]] = {engine: defaultdict(list) for engine in ENGINES}
    for profile in profiles:
        for engine, rows in profile.by_engine.items():
            _observe_engine(profile, rows, found[engine])
    everywhere: dict[str, list[float]] = defaultdict(list)
    for samples in found.values():
        for what, values in samples.items():
            everywhere[what] += values
    return tuple(
        EngineTiming(
            engine=engine,
            start_ns=_constant(
                samples["start"], [], "first start of an engine whose first instruction waits for nothing"
            ),
            control_ns=_constant(samples["control"], everywhere["control"], "start of an operation to that of a wait"),
            event_ns=_constant(samples["event"], everywhere["event"], "durations of waiting instructions"),
            event_gap_ns=_constant(
                samples["gap"], everywhere["gap"], "start of a waiting instruction to the next start"
            ),
            end_to_set_ns=_constant(
                samples["set"], everywhere["set"], "end of an instruction to its semaphore's change"
            ),
            set_to_start_ns=_constant(samples["wake"], everywhere["wake"], "semaphore's change to the waiting start"),
        )
        for engine, samples in found.items()
    )


def _observe_engine(profile: Observed, rows: list[MeasuredInstruction], found: dict[str, list[float]]) -> None:
    if not rows[0].waits:
        found["start"].append(rows[0].start_ns - profile.measured.window_start_ns)
    for before, row in pairwise([None, *rows]):
        assert row is not None
        waited = profile.waited_until_ns(row)
        delay = None if waited is None else row.start_ns - waited
        if delay is not None and _PROMPT_NS[0] < delay < _PROMPT_NS[1]:
            found["wake"].append(delay)
        if (after := profile.set_after_ns(row, _SET_NS)) is not None:
            found["set"].append(after)
        if row.opcode == WAITING_OPCODE:
            found["event"].append(row.duration_ns)
        if before is None:
            continue
        held_up = delay is not None and delay <= _PROMPT_NS[1]
        software = row.opcode == TRIGGER and row.engine == "Pool"
        if before.opcode == WAITING_OPCODE and not held_up and not software:
            found["gap"].append(row.start_ns - before.start_ns)
        queued = row.opcode == WAITING_OPCODE and profile.is_compute(before) and not held_up
        if queued or (before.opcode == MULTIPLY and row.opcode == LOAD_WEIGHTS and _soon(before, row)):
            found["control"].append(row.start_ns - before.start_ns)


def _soon(before: MeasuredInstruction, row: MeasuredInstruction) -> bool:
    return row.start_ns - before.start_ns < QUEUED_NS


def fit_table_load(profiles: Sequence[Observed]) -> Constant:
    """How long an activation table loads."""
    durations = [
        row.duration_ns
        for profile in profiles
        for row in profile.measured.instructions
        if profile.op_of[row.program_name].kind is Kind.table_load
    ]
    found = measured(durations, "durations of ACT_TABLE_LOAD")
    return found or assumed(0.0, "no profile holds a table load")


def _constant(own: list[float], others: list[float], what: str) -> Constant:
    if (found := measured(own, what)) is not None:
        return found
    if others:
        return assumed(median(others), f"no profile shows it of this engine; as on the others ({what})")
    return assumed(0.0, f"no profile shows it ({what})")
