"""Slack is exact: with the relations held, a delay of the slack moves nothing and one tick more moves the makespan."""

from __future__ import annotations

import numpy as np
import pytest

from simcore.explain.critical_path import critical_path
from simcore.explain.slack import slack_of
from tests.simcore.explain.both_models import Run, machine_run, perfsim_run, random_blocks, replayed
from tests.simcore.perfsim.blocks import block_of, loaded


def makespan(run: Run, *, late: dict[int, int] | None = None, longer: dict[int, int] | None = None) -> int:
    """The latest end when an event comes later, or lasts longer, than the relations say."""
    longer = longer or {}
    start = replayed(run, late=late, longer=longer)[0]
    duration = run.schedule.duration.tolist()
    return max((start[k] + duration[k] + longer.get(k, 0) for k in range(len(start))), default=0)


def assert_exact(run: Run, unit: int) -> None:
    slack = slack_of(run.schedule, run.relations)
    whole = run.schedule.makespan
    for event in range(len(run.schedule)):
        own, stretch = int(slack.slack[event]), int(slack.stretch[event])
        assert 0 <= own <= stretch
        assert makespan(run, late={event: own}) == whole
        assert makespan(run, late={event: own + unit}) == whole + unit
        assert makespan(run, longer={event: stretch}) == whole
        assert makespan(run, longer={event: stretch + unit}) == whole + unit


def test_slack_is_exact_in_perfsim() -> None:
    for program, block in random_blocks(70, 40, first_seed=30_000):
        assert_exact(perfsim_run(program, block), 1)


def test_slack_is_exact_in_the_machine() -> None:
    for program, block in random_blocks(25, 30, first_seed=31_000):
        assert_exact(machine_run(program, block), 1)
        assert_exact(machine_run(program, block, semaphore_latency_ns=60), 7)


@pytest.mark.parametrize("run_block", [perfsim_run, machine_run])
def test_members_of_the_path_have_no_slack(run_block) -> None:  # type: ignore[no-untyped-def]
    for program, block in random_blocks(200, 80, first_seed=32_000):
        for anti in (True, False):
            run = run_block(program, block, anti=anti)
            path = critical_path(run.schedule, run.columns)
            slack = slack_of(run.schedule, run.relations).slack
            assert [int(slack[step.event]) for step in path] == [0] * len(path)
            assert sum(step.length for step in path) == run.schedule.makespan


def test_both_models_give_the_same_slack() -> None:
    for program, block in random_blocks(60, 60, first_seed=33_000):
        perfsim, machine = perfsim_run(program, block), machine_run(program, block)
        ns, ticks = slack_of(perfsim.schedule, perfsim.relations), slack_of(machine.schedule, machine.relations)
        assert np.array_equal(ns.slack * 1000, ticks.slack)
        assert np.array_equal(ns.stretch * 1000, ticks.stretch)


def test_slack_by_hand() -> None:
    program = loaded(
        block_of(
            {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 1000},
            {"name": "early", "opcode": "Matmult", "engine": "PE", "cost": 90},
            {"name": "mm", "opcode": "Matmult", "engine": "PE", "cost": 300, "dependencies": ["ld"]},
            {"name": "aside", "opcode": "TensorCopy", "engine": "DVE", "cost": 80, "dependencies": ["early"]},
            {"name": "st", "opcode": "Save", "engine": "DMA", "cost": 700, "dependencies": ["mm", "aside"]},
        )
    )
    run = perfsim_run(program, program.blocks[0][1])
    slack = slack_of(run.schedule, run.relations)
    assert run.schedule.start.tolist() == [0, 0, 1000, 90, 1300]
    assert slack.slack.tolist() == [0, 910, 0, 1130, 0]
    assert slack.stretch.tolist() == [0, 910, 0, 1130, 0]


def test_a_trigger_may_last_longer_though_it_may_not_come_later() -> None:
    transfer = {"name": "t.ld", "opcode": "Load", "engine": "DMA", "cost": 1000}
    program = loaded(block_of({"name": "t", "opcode": "DMATrigger", "engine": "SP", "cost": 60, "transfer": transfer}))
    run = perfsim_run(program, program.blocks[0][1])
    slack = slack_of(run.schedule, run.relations)
    assert (slack.slack.tolist(), slack.stretch.tolist()) == ([0, 0], [940, 0])


def test_an_empty_block_has_no_slack() -> None:
    program = loaded(block_of())
    run = perfsim_run(program, program.blocks[0][1])
    assert len(slack_of(run.schedule, run.relations).slack) == 0


def test_blocks_of_several_chunks_give_the_same_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    for program, block in random_blocks(20, 90, first_seed=34_000):
        run = perfsim_run(program, block)
        whole = slack_of(run.schedule, run.relations)
        with monkeypatch.context() as patch:
            patch.setattr("simcore.explain.slack._CHUNK", 7)
            cut = slack_of(run.schedule, run.relations)
        assert np.array_equal(whole.slack, cut.slack)
        assert np.array_equal(whole.stretch, cut.stretch)
