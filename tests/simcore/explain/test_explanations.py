"""Explanations add up: the path is gap-free, lanes' accounts close, bounds hold, and stretching shows who counts."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from simcore.explain.bounds import bounds
from simcore.explain.critical_path import critical_path
from simcore.explain.lanes import lane_uses
from simcore.perfsim.block_walk import run_walk
from simcore.perfsim.estimate import prepare, run
from simcore.perfsim.lower import lower
from simcore.perfsim.options import PerfSimOptions
from simcore.program.program import Block, Program
from simcore.schedule import Cause, Schedule
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of, loaded, scheduled


def random_blocks(count: int, size: int) -> list[tuple[Program, Block]]:
    found = []
    for seed in range(count):
        rng = random.Random(10_000 + seed)
        program = loaded(random_program(rng, instructions=rng.randint(1, size)))
        found += [(program, block) for _, block in program.blocks]
    return found


def test_the_path_has_no_gap_and_its_pieces_sum_to_the_makespan() -> None:
    for program, block in random_blocks(250, 80):
        for anti in (True, False):
            schedule = scheduled(program, block, include_anti_deps=anti)
            path = critical_path(schedule)
            assert sum(step.length for step in path) == schedule.makespan
            assert all(step.length >= 0 for step in path)
            assert [step.until for step in path[:-1]] == [step.start for step in path[1:]]
            if path:
                assert path[0].start == 0
                assert path[-1].until == schedule.makespan


def test_each_lanes_time_is_busy_idle_or_after_and_sums_to_the_makespan() -> None:
    for program, block in random_blocks(250, 80):
        schedule = scheduled(program, block)
        for use in lane_uses(schedule):
            assert use.busy + sum(gap.length for gap in use.idle) + use.after == schedule.makespan
            own = schedule.lane == use.lane
            assert use.busy + use.overlapped == int(schedule.duration[own].sum())
            assert all(gap.length > 0 and gap.cause != Cause.none for gap in use.idle)


def test_idle_time_names_the_producer_that_was_waited_for() -> None:
    program = loaded(
        block_of(
            {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 2000},
            {"name": "mm", "opcode": "Matmult", "engine": "PE", "cost": 300, "dependencies": ["ld"]},
        )
    )
    uses = lane_uses(scheduled(program, program.blocks[0][1]))
    (gap,) = uses[0].idle
    assert (uses[0].lane.name, gap.start, gap.length, gap.cause, gap.on) == ("PE", 0, 2000, Cause.dependency, 0)
    assert uses[1].after == 300


def test_an_ordered_collective_that_becomes_ready_early_hands_the_path_to_its_own_producer() -> None:
    program = loaded(
        block_of(
            {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 1000},
            {"name": "busy", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 3000, "stream_id": 0},
            {
                "name": "c0",
                "opcode": "CollectiveCompute",
                "engine": "Pool",
                "cost": 3000,
                "stream_id": 0,
                "dependencies": ["ld"],
            },
            {
                "name": "c1",
                "opcode": "CollectiveCompute",
                "engine": "Pool",
                "cost": 9000,
                "stream_id": 1,
                "dependencies": [["c0", "Ordered"]],
            },
            arch="core_v4",
        )
    )
    schedule = scheduled(program, program.blocks[0][1])
    assert schedule.start.tolist() == [0, 0, 6000, 1000]
    path = critical_path(schedule)
    assert [(step.event, step.start, step.until) for step in path] == [(0, 0, 1000), (3, 1000, 37000)]


def collectives_after_a_load(cost: int, follower: dict) -> list[str]:
    """The path of a load, a collective that starts when it is ready after it, and who follows that one in order."""
    program = loaded(
        block_of(
            {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 1000},
            {"name": "c0", "opcode": "CollectiveCompute", "engine": "Pool", "cost": cost, "dependencies": ["ld"]},
            {"name": "next", "cost": 5000, "dependencies": [["c0", "Ordered"]], **follower},
        )
    )
    block = program.blocks[0][1]
    path = critical_path(scheduled(program, block), block.columns)
    assert [(step.start, step.until) for step in path] == sorted((step.start, step.until) for step in path)
    return [block.columns.name_list()[step.event] for step in path]


def test_a_collective_that_only_let_others_go_by_its_readiness_is_not_on_the_path() -> None:
    stream = {"opcode": "CollectiveCompute", "engine": "Pool", "stream_id": 1}
    assert collectives_after_a_load(300, stream) == ["ld", "next"]
    assert collectives_after_a_load(300, {"opcode": "TensorCopy", "engine": "Pool"}) == ["ld", "next"]


def test_a_collective_that_let_others_go_by_its_end_is_on_the_path_however_short() -> None:
    assert collectives_after_a_load(300, {"opcode": "Matmult", "engine": "PE"}) == ["ld", "c0", "next"]
    assert collectives_after_a_load(0, {"opcode": "Matmult", "engine": "PE"}) == ["ld", "c0", "next"]


def stretched(program: Program, block: Block, event: int, by_ns: int) -> Schedule:
    """The schedule when one event takes ``by_ns`` longer (its duration, after collective shares)."""
    options = PerfSimOptions()
    inputs = lower(block.columns, block.columns.cost_ns, program.arch, options)
    duration = inputs.duration.copy()
    duration[event] += by_ns
    again = lower(block.columns, duration, program.arch, options)
    return run_walk(replace(again, duration=duration), options, program.arch_version, include_anti_deps=True)


def test_stretching_the_event_that_the_path_runs_to_moves_the_makespan_as_much() -> None:
    moved = 0
    for program, block in random_blocks(40, 30):
        schedule = scheduled(program, block)
        path = critical_path(schedule)
        if not path or schedule.duration[path[-1].event] < 2000:
            continue
        last = path[-1].event
        assert stretched(program, block, last, 50).makespan == schedule.makespan + 50
        moved += 1
    assert moved > 5


def test_bounds_stay_below_the_estimate() -> None:
    program = loaded(
        block_of(
            {"name": "a", "opcode": "Matmult", "engine": "PE", "cost": 500},
            {"name": "b", "opcode": "Matmult", "engine": "PE", "cost": 500},
            {"name": "c", "opcode": "TensorCopy", "engine": "DVE", "cost": 700, "dependencies": ["a"]},
            {"name": "d", "opcode": "Matmult", "engine": "PE", "cost": 500, "dependencies": [["c", "Anti"]]},
        )
    )
    base = run(prepare(program))
    (bound,) = bounds(base, run(prepare(program), include_anti_deps=False))
    assert base.makespan_ns == 1700
    assert (bound.busiest_lane.name, bound.busiest_lane_ns) == ("PE", 1300)  # type: ignore[union-attr]
    assert bound.dependences_ns == 1700
    assert bound.no_anti_ns == 1300


def test_bounds_of_random_programs_hold() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        base = run(prepare(loaded(random_program(rng, instructions=40))))
        without = run(base.prepared, include_anti_deps=False)
        for block, bound in zip(base.blocks, bounds(base, without), strict=True):
            assert bound.busiest_lane_ns <= block.makespan_ns
            assert bound.dependences_ns <= block.makespan_ns
            assert np.all(block.start >= 0)
