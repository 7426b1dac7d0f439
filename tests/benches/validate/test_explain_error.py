"""The greatest start error is traced back to the step of the predicted chain at which it arises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benches.validate_report.explain_error import greatest_error
from benches.validate_report.observed import observe
from benches.validate_report.timeline import Timeline
from simcore.errors import ModelBug
from simcore.program.columns import Columns
from tests.benches.validate.conftest import Profiled
from tests.benches.validate.small_kernel import kernel


@pytest.fixture
def sides(profiled: Profiled) -> tuple[Columns, Timeline]:
    """The small kernel's block and what was measured of it."""
    program = profiled(kernel())
    assert program.measured is not None
    return program.blocks[0][1].columns, observe(program.blocks[0][1].columns, program.measured)


def _moved(measured: Timeline, by: list[float]) -> Timeline:
    return replace(measured, start=measured.start + np.array(by), end=measured.end + np.array(by))


def test_the_jump_is_where_the_chain_gains_the_error(sides: tuple[Columns, Timeline]) -> None:
    columns, measured = sides
    # the transfer moves its bytes 200 ns too fast, so all behind it is too early; later steps add little
    predicted = _moved(measured, [0, -20, -220, -230, -240])
    predicted.end[1] = predicted.start[1] + 310
    origin = greatest_error(columns, predicted, measured)
    assert origin is not None
    assert (origin.instruction, origin.error_ns) == ("cp2", -240)
    assert (origin.jump.name, origin.jump.added_ns, origin.jump.error_ns) == ("mm", -200, -220)
    assert (origin.jump.predicted_cause, origin.jump.predicted_on) == ("dependency", "ld.transfer")
    assert origin.behind == (
        "mm starts 320 ns after ld.transfer in the prediction (dependency), 520 ns in the measurement; "
        "ld.transfer takes 310 ns there, 510 ns here"
    )
    assert [(s.name, s.added_ns) for s in origin.predicted_chain] == [
        ("ld", 0),
        ("ld.transfer", -20),
        ("mm", -200),
        ("cp", -10),
        ("cp2", -10),
    ]
    assert origin.measured_chain == ["ld", "ld.transfer", "mm", "cp", "cp2"]
    assert origin.part_at is None


def test_the_first_of_several_jumps_counts_if_it_adds_half_of_the_largest(sides: tuple[Columns, Timeline]) -> None:
    columns, measured = sides
    origin = greatest_error(columns, _moved(measured, [0, 60, 70, 170, 180]), measured)
    assert origin is not None and origin.jump.name == "ld.transfer"
    origin = greatest_error(columns, _moved(measured, [0, 40, 70, 170, 180]), measured)
    assert origin is not None and origin.jump.name == "cp"


def test_where_the_chains_part_is_named_with_what_was_really_waited_for(sides: tuple[Columns, Timeline]) -> None:
    columns, measured = sides
    # in the prediction cp2 waits for nobody but the load
    predicted = replace(_moved(measured, [0, 0, 0, 0, -1000]), on=np.array([-1, 0, 1, 2, 0]))
    origin = greatest_error(columns, predicted, measured)
    assert origin is not None
    assert origin.part_at == "cp2"
    assert [s.name for s in origin.predicted_chain] == ["ld", "cp2"]
    assert origin.behind.endswith("; measured, it waited for cp (engine)")


def test_a_met_timeline_has_no_error_to_explain(sides: tuple[Columns, Timeline]) -> None:
    columns, measured = sides
    assert greatest_error(columns, measured, measured) is None


def test_causes_that_go_round_are_a_fault_of_the_model(sides: tuple[Columns, Timeline]) -> None:
    columns, measured = sides
    predicted = replace(_moved(measured, [0, 0, 0, 0, 9]), on=np.array([-1, 0, 1, 4, 3]))
    with pytest.raises(ModelBug, match="round in a circle"):
        greatest_error(columns, predicted, measured)
