"""How far one prediction is off: window, busy times, classes of instructions, transfers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benches.band import DIGITS, band_of
from benches.validate_report.model import ClassError, EngineError, TransferError
from benches.validate_report.timeline import Timeline, transfers
from simcore.program.columns import Array, Columns, OperandFlag
from simcore.program.dtypes import DType
from simcore.program.engines import Engine
from simcore.program.opcodes import Opcode


def percent(predicted: float, measured: float) -> float:
    """Signed error in per cent of the measurement, to a hundredth."""
    return round(100 * (predicted - measured) / measured, 2)


def band(runs: Sequence[Timeline]) -> tuple[float, float]:
    """That of the windows over phases."""
    return band_of([t.window_ns for t in runs])


def engine_errors(predicted: Timeline, measured: Timeline) -> dict[str, EngineError]:
    """By lane that was busy in either."""
    return {
        lane: EngineError(
            measured_busy_ns=seen,
            predicted_busy_ns=round(predicted.busy[lane], DIGITS),
            error_pct=percent(predicted.busy[lane], seen) if seen else None,
        )
        for lane, seen in measured.busy.items()
        if seen or predicted.busy[lane]
    }


def start_errors(columns: Columns, predicted: Timeline, measured: Timeline) -> Array:
    """float64[n]: predicted minus measured start, each from its first instruction's."""
    instructions = ~transfers(columns)
    return (predicted.start - first_start(predicted, instructions)) - (
        measured.start - first_start(measured, instructions)
    )


def first_start(timeline: Timeline, instructions: Array) -> float:
    """When the block's first instruction starts, ns."""
    return float(timeline.start[instructions].min())


def median_abs(errors: Array) -> float:
    """Median of the errors' sizes."""
    return round(float(np.median(np.abs(errors))), DIGITS)


def class_errors(columns: Columns, predicted: Timeline, measured: Timeline) -> list[ClassError]:
    """Errors by opcode, engine and dtype of the first input (of the first output if there is none)."""
    starts = start_errors(columns, predicted, measured)
    durations = predicted.duration - measured.duration
    groups: dict[tuple[str, str, str], list[int]] = {}
    dtypes = first_dtypes(columns)
    for event in np.flatnonzero(~transfers(columns)).tolist():
        opcode, engine = Opcode(int(columns.opcode[event])).name, Engine(int(columns.engine[event])).name
        groups.setdefault((opcode, engine, dtypes[event]), []).append(event)
    return [
        ClassError(
            *key,
            count=len(events),
            mean_start_error_ns=_mean(starts[events]),
            median_abs_start_error_ns=median_abs(starts[events]),
            measured_mean_duration_ns=_mean(measured.duration[events]),
            mean_duration_error_ns=_mean(durations[events]),
            mean_abs_duration_error_ns=_mean(np.abs(durations[events])),
        )
        for key, events in sorted(groups.items())
    ]


def transfer_errors(columns: Columns, predicted: Timeline, measured: Timeline) -> TransferError | None:
    """Errors of the DMA transfers; None if there are none."""
    moved = np.flatnonzero(transfers(columns))
    if not len(moved):
        return None
    starts = start_errors(columns, predicted, measured)[moved]
    spans = (predicted.duration - measured.duration)[moved]
    return TransferError(
        count=len(moved),
        median_abs_start_error_ns=median_abs(starts),
        mean_start_error_ns=_mean(starts),
        measured_mean_span_ns=_mean(measured.duration[moved]),
        mean_span_error_ns=_mean(spans),
        mean_abs_span_error_ns=_mean(np.abs(spans)),
        median_abs_end_error_ns=median_abs(starts + spans),
    )


def first_dtypes(columns: Columns) -> list[str]:
    """n words: what each event reads first, else what it writes first, ``-`` without operands."""
    first = np.cumsum(columns.op_count, dtype=np.int64) - columns.op_count
    found = []
    for begin, count in zip(first.tolist(), columns.op_count.tolist(), strict=True):
        own = range(begin, begin + count)
        reads = [k for k in own if not columns.op_flags[k] & OperandFlag.OUTPUT]
        operand = (reads or list(own))[:1]
        found.append(DType(int(columns.op_dtype[operand[0]])).name if operand else "-")
    return found


def _mean(values: Array) -> float:
    return round(float(np.mean(values)), DIGITS)
