"""Errors of a prediction: windows, bands, engines, classes, transfers; the numbers follow from two timelines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benches.validate_report import metrics
from benches.validate_report.model import ClassError, EngineError, TransferError
from benches.validate_report.observed import observe
from benches.validate_report.timeline import Timeline, mean_of, typical
from simcore.program.columns import Columns
from tests.benches.validate.conftest import Profiled
from tests.benches.validate.small_kernel import kernel


@pytest.fixture
def sides(profiled: Profiled) -> tuple[Columns, Timeline]:
    """The small kernel's block and what was measured of it."""
    program = profiled(kernel())
    assert program.measured is not None
    return program.blocks[0][1].columns, observe(program.blocks[0][1].columns, program.measured)


def _late(measured: Timeline, by: list[float], longer: list[float]) -> Timeline:
    start = measured.start + np.array(by)
    return replace(measured, start=start, end=start + measured.duration + np.array(longer))


def test_start_errors_count_from_each_sides_first_instruction(sides: tuple[Columns, Timeline]) -> None:
    columns, measured = sides
    predicted = _late(measured, [500, 500, 490, 520, 500], [0] * 5)
    assert metrics.start_errors(columns, predicted, measured).tolist() == [0, 0, -10, 20, 0]


def test_classes_are_by_opcode_engine_and_what_is_read_first(sides: tuple[Columns, Timeline]) -> None:
    columns, measured = sides
    predicted = _late(measured, [0, 0, -10, 20, -50], [0, 0, 5, 8, -2])
    assert metrics.class_errors(columns, predicted, measured) == [
        ClassError("DMATrigger", "Pool", "-", 1, 0, 0, 30, 0, 0),
        ClassError("Matmult", "PE", "float32", 1, -10, 10, 130, 5, 5),
        ClassError("TensorCopy", "DVE", "float32", 2, -15, 35, 100, 3, 5),
    ]


def test_transfers_are_judged_by_start_span_and_end(sides: tuple[Columns, Timeline]) -> None:
    columns, measured = sides
    predicted = _late(measured, [0, -40, 0, 0, 0], [0, 100, 0, 0, 0])
    assert metrics.transfer_errors(columns, predicted, measured) == TransferError(1, 40, -40, 510, 100, 100, 60)


def test_a_block_without_transfers_has_no_transfer_errors(profiled: Profiled) -> None:
    from tests.simcore.program.profile.small import profile, row

    program = profiled(profile(row(1, "a", 0)))
    assert program.measured is not None
    columns = program.blocks[0][1].columns
    measured = observe(columns, program.measured)
    assert metrics.transfer_errors(columns, measured, measured) is None


def test_engines_that_neither_side_uses_are_left_out(sides: tuple[Columns, Timeline]) -> None:
    _, measured = sides
    predicted = replace(measured, busy={**measured.busy, "PE": 143.0, "SP": 7.0})
    errors = metrics.engine_errors(predicted, measured)
    assert list(errors) == ["Pool", "PE", "DMA", "DVE", "SP"]
    assert errors["PE"] == EngineError(130, 143, 10.0)
    assert errors["SP"] == EngineError(0, 7, None)


def test_the_mean_and_the_band_are_over_runs(sides: tuple[Columns, Timeline]) -> None:
    _, measured = sides
    runs = [replace(measured, window_ns=float(w), start=measured.start + w) for w in (1000, 1100, 1500)]
    assert mean_of(runs).window_ns == 1200
    assert mean_of(runs).start.tolist() == (measured.start + 1200).tolist()
    assert typical(runs) is runs[1]
    assert metrics.band(runs) == (1010.0, 1460.0)


def test_errors_are_signed_and_relative_to_the_measurement() -> None:
    assert metrics.percent(90, 100) == -10.0
    assert metrics.percent(23119 * 1.01, 23119) == 1.0
