"""The measured timeline of a kernel: starts, ends, and what each start had waited for."""

from __future__ import annotations

from benches.validate_report.observed import observe
from simcore.program.program import Program
from tests.benches.validate.conftest import Profiled
from tests.benches.validate.small_kernel import kernel


def test_times_count_from_the_window_and_a_matmul_starts_with_its_weights(profiled: Profiled) -> None:
    program = profiled(kernel())
    columns, measured = program.blocks[0][1].columns, program.measured
    assert measured is not None
    seen = observe(columns, measured)
    assert columns.name_list() == ["ld", "ld.transfer", "mm", "cp", "cp2"]
    assert seen.start.tolist() == [0, 1300, 1820, 2000, 2080]
    assert seen.end.tolist() == [30, 1810, 1950, 2100, 2180]
    assert seen.window_ns == 2180
    assert seen.busy == {"Pool": 30, "Activation": 0, "PE": 130, "DMA": 510, "DVE": 180, "SP": 0}


def test_a_start_is_bound_by_what_was_done_last(profiled: Profiled) -> None:
    program = profiled(kernel())
    assert program.measured is not None
    seen = observe(program.blocks[0][1].columns, program.measured)
    # cp2 starts while cp still runs: its engine let it go at that moment, before its producer had ended
    assert seen.cause == ("none", "dependency", "dependency", "dependency", "engine")
    assert seen.on.tolist() == [-1, 0, 1, 2, 3]


def test_every_real_start_but_the_engines_first_has_a_cause_that_came_before(programs: dict[str, Program]) -> None:
    for program in programs.values():
        columns, measured = program.blocks[0][1].columns, program.measured
        assert measured is not None
        seen = observe(columns, measured)
        bound = [k for k, on in enumerate(seen.on.tolist()) if on >= 0]
        assert len(columns) - len(bound) <= 6
        assert all(seen.start[seen.on[k]] <= seen.start[k] for k in bound)
