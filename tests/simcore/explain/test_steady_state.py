"""Loops seen on their bottleneck: fill, steady interval, drain."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from simcore.explain.steady_state import LoopProfile, loop_profile
from simcore.program.unroll import unroll
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of, loaded, scheduled


def op(name: str, opcode: str, engine: str, cost: int, *dependencies: Any) -> dict[str, Any]:
    return {"name": name, "opcode": opcode, "engine": engine, "cost": cost, "dependencies": list(dependencies)}


def profile_of(trips: int, *body: dict[str, Any], before: tuple[dict[str, Any], ...] = ()) -> LoopProfile:
    loop = {"name": "l", "opcode": "Loop", "engine": "Unassigned", "trip_count": trips, "body": list(body)}
    unrolled = unroll(loaded(block_of(*before, loop)))
    ((former,),) = unrolled.loops
    profile = loop_profile(scheduled(unrolled.program, unrolled.program.blocks[0][1]), former)
    assert profile is not None
    return profile


def test_a_loop_on_its_slowest_lane_has_that_lanes_interval() -> None:
    # Loads overlap by 1300: one every 700 ns. Matmuls every 900 ns are slower, so they are the bottleneck.
    profile = profile_of(10, op("ld", "Load", "DMA", 2000), op("mm", "Matmult", "PE", 1000, "ld"))
    assert (profile.bottleneck.name, profile.interval, profile.period, profile.steady_from) == ("PE", 900, 1, 0)
    assert (profile.prologue, profile.steady, profile.epilogue) == (2000, 9 * 900, 1000)
    assert profile.span == 11100


def test_a_dependent_chain_is_as_long_as_its_engines_let_it_be() -> None:
    # The copy of one iteration and the matmul of the next overlap; DVE is the slower of the two.
    profile = profile_of(6, op("mm", "Matmult", "PE", 300), op("cp", "TensorCopy", "DVE", 600, "mm"))
    assert (profile.bottleneck.name, profile.interval) == ("DVE", 500)
    assert (profile.prologue, profile.steady, profile.epilogue) == (300, 2500, 600)


def test_a_shared_bank_makes_the_interval_the_round_trip() -> None:
    # A matmul waits until the copy before it reaches next-dispatch: 300 and then 450 - 100.
    profile = profile_of(
        12,
        {**op("mm", "Matmult", "PE", 300), "psum_writes": [0]},
        {**op("cp", "TensorCopy", "DVE", 450, "mm"), "psum_reads": [0]},
    )
    assert (profile.bottleneck.name, profile.interval) == ("DVE", 650)
    assert (profile.prologue, profile.steady, profile.epilogue) == (300, 11 * 650, 450)


def test_one_iteration_has_no_steady_state() -> None:
    profile = profile_of(1, op("mm", "Matmult", "PE", 300))
    assert (profile.interval, profile.period, profile.prologue, profile.steady, profile.epilogue) == (
        None,
        0,
        0,
        0,
        300,
    )


def test_the_warm_up_is_left_out_of_the_steady_state() -> None:
    before = (op("busy", "Matmult", "PE", 5000),)
    profile = profile_of(20, op("ld", "Load", "DMA", 1000), op("mm", "Matmult", "PE", 400, "ld"), before=before)
    # Loads run ahead while PE is busy; matmuls then follow at 300 until the loads, one a 1000, are the limit.
    assert profile.bottleneck.name == "DMA"
    assert profile.interval == Fraction(1000)


def test_the_parts_sum_to_the_span_on_random_programs() -> None:
    seen = 0
    for seed in range(120):
        rng = random.Random(seed)
        unrolled = unroll(loaded(random_program(rng, instructions=40)))
        for (_, block), loops in zip(unrolled.program.blocks, unrolled.loops, strict=True):
            schedule = scheduled(unrolled.program, block)
            for loop in loops:
                profile = loop_profile(schedule, loop)
                if profile is None:
                    continue
                inside = slice(loop.begin, loop.begin + loop.events * loop.trip_count)
                span = int(schedule.end[inside].max() - schedule.start[inside].min())
                assert profile.span == span
                assert profile.prologue >= 0
                assert profile.epilogue >= 0
                seen += profile.interval is not None
    assert seen > 20
