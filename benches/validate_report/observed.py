"""What a profile measured, event by event of the program, and what each start had waited for."""

from __future__ import annotations

import numpy as np

from benches.validate_report.timeline import Timeline
from simcore.program.columns import Array, Columns, Flag
from simcore.program.edges import EdgeKind
from simcore.program.measured import Measurement
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause

Wait = tuple[float, Cause, int]
"""When it ended, what kind it was, and the event waited for."""


def observe(columns: Columns, measured: Measurement) -> Timeline:
    """The measured run of a block that joins with it, with times from the window's start.

    A start was bound by whichever of its producers, and of the instruction before it on its engine, was done last; an
    engine that still worked when the next instruction started had let it go at that moment.
    """
    names = columns.name_list()
    spans = _spans(measured)
    begin = measured.window_start_ns
    start = np.array([spans[name][0] - begin for name in names], dtype=np.float64)
    end = np.array([spans[name][1] - begin for name in names], dtype=np.float64)
    cause, on = _bounds(columns, start, end)
    return Timeline(
        start=start,
        end=end,
        cause=tuple([why.name for why in cause]),
        on=np.array(on, dtype=np.int64),
        busy={lane: float(ns) for lane, ns in measured.engine_busy_ns().items()},
        window_ns=float(measured.window_ns),
    )


def _spans(measured: Measurement) -> dict[str, tuple[int, int]]:
    """(first start, last end) by name, of instructions and of transfers."""
    spans = dict(measured.transfer_spans_ns())
    for row in measured.instructions:
        begin, end = spans.get(row.program_name, (row.start_ns, row.end_ns))
        spans[row.program_name] = (min(begin, row.start_ns), max(end, row.end_ns))
    return spans


def _bounds(columns: Columns, start: Array, end: Array) -> tuple[list[Cause], list[int]]:
    cause: list[Cause] = []
    on: list[int] = []
    first = np.cumsum(columns.dep_count, dtype=np.int64) - columns.dep_count
    before: dict[int, int] = {}
    for event in range(len(columns)):
        waits: list[Wait] = []
        if columns.flags[event] & Flag.TRANSFER:
            waits.append((float(start[event - 1]), Cause.dependency, event - 1))
        else:
            engine = int(columns.engine[event])
            if engine in before:
                waits.append((float(end[before[engine]]), Cause.engine, before[engine]))
            before[engine] = event
        for edge in range(int(first[event]), int(first[event] + columns.dep_count[event])):
            producer = int(columns.dep_on[edge])
            starts = columns.dep_kind[edge] == EdgeKind.Ordered or columns.opcode[producer] == Opcode.DMATrigger
            waits.append((float((start if starts else end)[producer]), Cause.dependency, producer))
        _, why, who = _last(waits, float(start[event]))
        cause.append(why)
        on.append(who)
    return cause, on


def _last(waits: list[Wait], start: float) -> Wait:
    """The wait that ended last, none later than ``start``; of several at one instant the first (the engine)."""
    last = (float("-inf"), Cause.none, -1)
    for at, why, who in waits:
        if min(at, start) > last[0]:
            last = (min(at, start), why, who)
    return last
