"""The walk against the second, plain implementation: the same to the nanosecond on random programs of every feature."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simcore.perfsim.block_walk as walk_runner
from simcore.perfsim.options import PerfSimOptions
from tests.reference.plain_perfsim import critical_path, makespan, simulate_block
from tests.reference.random_programs import programs, random_program
from tests.simcore.perfsim.blocks import Row, loaded, rows, scheduled

SEEDS_PER_PART = 500
PARTS = 4


def plain_rows(document: dict, function: int, block: int, **options: object) -> list[Row]:
    events = simulate_block(document, function, block, **options)  # type: ignore[arg-type]
    return [(e.name, e.lane, e.start, e.duration, e.next_dispatch) for e in events]


def assert_equal(document: dict, options: PerfSimOptions | None = None, **plain_options: object) -> None:
    """Both runs of every block of ``document`` are the same in both implementations."""
    program = loaded(document)
    for f, function in enumerate(program.functions):
        for b, block in enumerate(function.blocks):
            for anti in (True, False):
                schedule = scheduled(program, block, include_anti_deps=anti, options=options)
                expected = simulate_block(document, f, b, include_anti=anti, **plain_options)  # type: ignore[arg-type]
                assert rows(block, schedule) == [
                    (e.name, e.lane, e.start, e.duration, e.next_dispatch) for e in expected
                ]
                assert schedule.critical_path == critical_path(expected)
                assert schedule.makespan == makespan(expected)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("execution", ["plain", "compiled"])
def test_random_programs_equal_the_plain_implementation(
    part: int, execution: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2,000 programs in all, half of them through each execution of the walk."""
    monkeypatch.setattr(walk_runner, "SMALL_BLOCK", -1 if execution == "compiled" else 10**9)
    first = (2 * part + (execution == "compiled")) * SEEDS_PER_PART // 2
    for seed in range(first, first + SEEDS_PER_PART // 2):
        rng = random.Random(seed)
        document = random_program(rng, instructions=rng.randint(0, 90))
        assert_equal(document)


@given(programs())
@settings(max_examples=300)
def test_drawn_programs_equal_the_plain_implementation(document: dict) -> None:
    assert_equal(document)


@given(
    programs(arch="core_v4"),
    st.fixed_dictionaries({}, optional={ring: st.integers(1, 6) for ring in range(13)}),
    st.integers(0, 400),
    st.integers(0, 3000),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, (0.0, 0.25), (0.5, 0.3)]),
)
@settings(max_examples=200)
def test_every_option_means_the_same_in_both(
    document: dict,
    depths: dict[int, int],
    compute: int,
    dma: int,
    coupling: bool | None,
    reflow: tuple[float, float] | None,
) -> None:
    options = PerfSimOptions(
        ring_depths=depths,
        compute_overlap_ns=compute,
        dma_overlap_ns=dma,
        pool_dve_coupling=coupling,
        collective_reflow="none" if reflow is None else "overlap",
        **({} if reflow is None else {"reflow_new_weight": reflow[0], "reflow_old_weight": reflow[1]}),
    )
    assert_equal(
        document,
        options,
        ring_depths={10: 4, 12: 1, **depths},
        overlap_windows=(compute, dma),
        pool_dve_coupling=coupling,
        reflow=reflow,
    )


@given(programs(arch="core_v4"))
@settings(max_examples=60)
def test_shares_by_the_highest_stream_mean_the_same_in_both(document: dict) -> None:
    assert_equal(document, PerfSimOptions(collective_share="max_stream"), collective_share="max_stream")
