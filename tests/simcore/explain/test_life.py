"""Lives add up to the tick, in both models: waits in time order, then issue, execution, drain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from simcore.errors import ModelBug
from simcore.explain.life import Life, Wait, lives_of
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause
from tests.reference.random_programs import programs
from tests.simcore.explain.both_models import Run, machine_run, perfsim_run, random_blocks
from tests.simcore.perfsim.blocks import block_of, loaded


def lives(run: Run) -> list[Life]:
    found = lives_of(run.columns, run.schedule, run.relations)
    return [found.of(event) for event in range(len(found))]


def assert_adds_up(run: Run) -> None:
    s = run.schedule
    for life in lives(run):
        event = life.event
        waited = sum(wait.length for wait in life.waits)
        assert all(wait.length > 0 for wait in life.waits)
        assert min(life.issue, life.execution, life.drain, life.begin) >= 0
        assert life.begin + waited == s.start[event]
        assert life.issue + life.execution + life.drain == s.duration[event]
        assert life.begin + waited + life.issue + life.execution + life.drain == life.end == s.end[event]
        assert life.issue + life.execution == s.next_dispatch[event] - s.start[event]
        if life.waits:
            last = life.waits[-1]
            assert (last.cause, last.on) == (s.cause[event], s.on[event])


@given(programs())
@settings(max_examples=200)
def test_the_pieces_sum_to_the_life_in_perfsim(document: dict) -> None:
    program = loaded(document)
    for _, block in program.blocks:
        for anti in (True, False):
            assert_adds_up(perfsim_run(program, block, anti=anti))


@given(programs())
@settings(max_examples=80)
def test_the_pieces_sum_to_the_life_in_the_machine(document: dict) -> None:
    program = loaded(document)
    for _, block in program.blocks:
        assert_adds_up(machine_run(program, block))
        assert_adds_up(machine_run(program, block, semaphore_latency_ns=35))


def test_the_pieces_sum_to_the_life_in_longer_programs_of_both_models_which_agree() -> None:
    for program, block in random_blocks(60, 120, first_seed=40_000):
        ns, ticks = perfsim_run(program, block), machine_run(program, block)
        assert_adds_up(ns)
        assert_adds_up(ticks)
        for a, b in zip(lives(ns), lives(ticks), strict=True):
            assert [replace(w, length=1000 * w.length) for w in a.waits] == list(b.waits)
            assert [1000 * x for x in (a.begin, a.issue, a.execution, a.drain)] == [
                b.begin,
                b.issue,
                b.execution,
                b.drain,
            ]


def test_a_wait_ends_with_each_thing_waited_for_in_time_order() -> None:
    program = loaded(
        block_of(
            {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 1000},
            {"name": "cp", "opcode": "TensorCopy", "engine": "DVE", "cost": 400, "psum_writes": [2]},
            {"name": "rd", "opcode": "TensorCopy", "engine": "Activation", "cost": 2150, "psum_reads": [2]},
            {"name": "mm0", "opcode": "Matmult", "engine": "PE", "cost": 250},
            {
                "name": "mm",
                "opcode": "Matmult",
                "engine": "PE",
                "cost": 300,
                "dependencies": ["ld", "cp"],
                "psum_writes": [2],
            },
        )
    )
    run = perfsim_run(program, program.blocks[0][1])
    assert lives(run)[4] == Life(
        event=4,
        begin=150,
        waits=(Wait(Cause.dependency, 1, 250), Wait(Cause.dependency, 0, 600), Wait(Cause.psum_bank, 2, 1050)),
        issue=0,
        execution=200,
        drain=100,
        end=2350,
    )


def test_a_life_begins_with_the_producers_if_they_are_done_before_the_lane_has_its_turn() -> None:
    program = loaded(
        block_of(
            {"name": "cp", "opcode": "TensorCopy", "engine": "DVE", "cost": 90},
            {"name": "mm0", "opcode": "Matmult", "engine": "PE", "cost": 700},
            {"name": "mm1", "opcode": "Matmult", "engine": "PE", "cost": 80, "dependencies": ["cp"]},
            {"name": "mm2", "opcode": "Matmult", "engine": "PE", "cost": 80},
        )
    )
    _, _, mm1, mm2 = lives(perfsim_run(program, program.blocks[0][1]))
    assert (mm1.begin, mm1.waits, mm1.execution, mm1.drain) == (90, (Wait(Cause.engine, 1, 510),), 80, 0)
    assert (mm2.begin, mm2.waits) == (680, ())


def test_a_trigger_issues_and_its_transfer_waits_from_the_triggers_start() -> None:
    first = {"name": "a.t", "opcode": "Load", "engine": "DMA", "cost": 2000}
    second = {"name": "b.t", "opcode": "Load", "engine": "DMA", "cost": 2000}
    program = loaded(
        block_of(
            {"name": "a", "opcode": "DMATrigger", "engine": "SP", "cost": 60, "transfer": first},
            {"name": "b", "opcode": "DMATrigger", "engine": "SP", "cost": 60, "transfer": second},
        )
    )
    a, _, b, transfer = lives(perfsim_run(program, program.blocks[0][1]))
    assert (a.issue, a.execution, a.drain, a.waits) == (60, 0, 0, ())
    assert (b.begin, b.issue, b.end) == (60, 60, 120)
    assert (transfer.begin, transfer.waits) == (60, (Wait(Cause.engine, 1, 640),))
    assert (transfer.issue, transfer.execution, transfer.drain) == (0, 700, 1300)


def test_a_full_ring_is_waited_for_by_the_trigger() -> None:
    def trigger(name: str) -> dict:
        transfer = {"name": f"{name}.t", "opcode": "IndirectLoad", "engine": "DMA", "cost": 1000}
        return {"name": name, "opcode": "DMATrigger", "engine": "SP", "cost": 10, "transfer": transfer}

    program = loaded(block_of(trigger("a"), trigger("b")))
    assert lives(perfsim_run(program, program.blocks[0][1]))[2].waits == (Wait(Cause.ring, 1, 990),)


def test_a_barrier_is_considered_when_the_first_lane_reaches_it() -> None:
    program = loaded(
        block_of(
            {"name": "mm", "opcode": "Matmult", "engine": "PE", "cost": 300},
            {"name": "cp", "opcode": "TensorCopy", "engine": "DVE", "cost": 900},
            {"name": "all", "opcode": "NoOp", "engine": "ALL", "cost": 0},
        )
    )
    barrier = lives(perfsim_run(program, program.blocks[0][1]))[2]
    assert (barrier.begin, barrier.waits, barrier.end) == (200, (Wait(Cause.barrier, 1, 600),), 800)


def test_a_collective_on_a_stream_executes_to_its_end_and_a_local_one_drains_like_a_transfer() -> None:
    program = loaded(
        block_of(
            {"name": "cc", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 3000, "stream_id": 0},
            {"name": "own", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 3000, "is_local": True},
        )
    )
    cc, own = lives(perfsim_run(program, program.blocks[0][1]))
    assert (cc.issue, cc.execution, cc.drain) == (0, 4000, 0)
    assert (own.issue, own.execution, own.drain) == (0, 1700, 1300)


def test_a_schedule_that_other_rules_made_is_refused() -> None:
    program = loaded(
        block_of(
            {"name": "a", "opcode": "Matmult", "engine": "PE", "cost": 300},
            {"name": "b", "opcode": "Matmult", "engine": "PE", "cost": 300},
        )
    )
    run = perfsim_run(program, program.blocks[0][1])
    for wrong in (199, 201):
        other = replace(run.schedule, start=np.array([0, wrong]))
        with pytest.raises(ModelBug, match=rf"event 1 starts at {wrong}, but its waits end at 200 \(1 of 2"):
            lives_of(run.columns, other, run.relations)


def test_an_empty_block_has_no_lives() -> None:
    program = loaded(block_of())
    assert lives(perfsim_run(program, program.blocks[0][1])) == []


def test_only_triggers_issue() -> None:
    for program, block in random_blocks(40, 60, first_seed=41_000):
        run = perfsim_run(program, block)
        found = lives_of(run.columns, run.schedule, run.relations)
        trigger = run.columns.opcode == Opcode.DMATrigger
        assert not found.issue[~trigger].any()
        assert not found.execution[trigger].any()
