"""The stretch test: every event of three real kernels and of random programs moves the makespan as its slack says."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import simcore.explain.stretch as stretch_module
from simcore.errors import ModelBug
from simcore.explain.critical_path import critical_path
from simcore.explain.of_perfsim import block_relations
from simcore.explain.slack import Slack, slack_of
from simcore.explain.stretch import Reason, Stretch, stretch, stretches
from simcore.perfsim.estimate import Estimate, prepare, run
from simcore.program.engines import Lane
from simcore.program.opcodes import Opcode
from simcore.program.read import load_program
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of, loaded

KERNELS = ("fused_fp32_s512", "fused_bf16_s512", "baseline_fp32_s512")


def assert_moves_as_its_slack_says(estimate: Estimate, block: int, by_ns: int) -> list[Stretch]:
    base = estimate.blocks[block]
    on_path = {step.event for step in critical_path(base.schedule, base.columns)}
    found = stretches(estimate, range(len(base.columns)), by_ns, block=block)
    for s in found:
        assert s.grown >= by_ns
        if s.reason is None:
            if s.event in on_path:
                assert s.moved == s.grown
            elif s.slack >= s.grown:
                assert s.moved == 0
            assert s.moved == max(s.grown - s.slack, 0)
        elif s.reason is Reason.released_early:
            assert base.columns.opcode[s.event] == Opcode.DMATrigger
            assert s.moved == s.expected < s.grown - s.slack
        elif s.reason is Reason.overlap_window:
            before = int(base.duration[s.event])
            assert any(before < limit <= before + s.grown for limit in (101, 1300))
            assert base.columns.opcode[s.event] != Opcode.DMATrigger or base.schedule.lane[s.event] == Lane.DMA
            assert s.moved <= s.expected
        else:
            assert base.duration[s.event] == 0
    return found


def kernel_estimate(shared: Path, kernel: str) -> Estimate:
    estimate = run(prepare(load_program(shared / "data" / "trn2-profiles" / f"{kernel}.json.gz")))
    assert len(estimate.blocks) == 1
    return estimate


@pytest.mark.parametrize("by_ns", [1, 60, 150, 5000])
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_instruction_of_a_real_kernel_moves_the_makespan_as_its_slack_says(
    shared: Path, kernel: str, by_ns: int
) -> None:
    found = assert_moves_as_its_slack_says(kernel_estimate(shared, kernel), 0, by_ns)
    by_slack = [s for s in found if s.reason is None]
    assert len(found) > 75
    assert len(by_slack) > 0.75 * len(found)
    assert sum(s.moved == s.grown for s in by_slack) >= 20
    assert by_ns > 1 or sum(s.moved == 0 for s in by_slack) >= 20


@pytest.mark.parametrize("kernel", KERNELS)
def test_an_instruction_of_a_real_kernel_may_grow_by_its_slack_and_by_no_more(shared: Path, kernel: str) -> None:
    estimate = kernel_estimate(shared, kernel)
    base = estimate.blocks[0]
    slack = slack_of(base.schedule, block_relations(estimate, base)).slack.tolist()
    exact = 0
    for event, own in enumerate(slack):
        inside, beyond = stretch(estimate, event, max(own, 1)), stretch(estimate, event, own + 1)
        if inside.reason is None and beyond.reason is None:
            assert (inside.moved, beyond.moved) == (0 if own else 1, 1)
            exact += 1
    assert exact > 0.75 * len(slack)


@pytest.mark.parametrize("by_ns", [1, 130, 2500])
def test_every_instruction_of_random_programs_moves_the_makespan_as_its_slack_says(by_ns: int) -> None:
    reasons = []
    for seed in range(60):
        rng = random.Random(50_000 + seed)
        estimate = run(prepare(loaded(random_program(rng, instructions=rng.randint(1, 40)))))
        for block in range(len(estimate.blocks)):
            reasons += [s.reason for s in assert_moves_as_its_slack_says(estimate, block, by_ns)]
    assert reasons.count(None) > 0.8 * len(reasons)
    if by_ns > 1:
        assert set(reasons) == {None, *Reason}


def estimate_of(*instructions: dict, **head: object) -> Estimate:
    return run(prepare(loaded(block_of(*instructions, **head))))


def test_an_instruction_that_becomes_long_enough_to_overlap_lets_the_next_start_earlier() -> None:
    estimate = estimate_of(
        {"name": "a", "opcode": "Matmult", "engine": "PE", "cost": 90},
        {"name": "b", "opcode": "Matmult", "engine": "PE", "cost": 500},
    )
    found = stretch(estimate, 0, 20)
    assert (found.slack, found.grown, found.expected, found.moved) == (0, 20, 20, -80)
    assert found.reason is Reason.overlap_window


def test_a_trigger_that_lasts_longer_does_not_delay_its_transfer() -> None:
    transfer = {"name": "t.ld", "opcode": "Load", "engine": "DMA", "cost": 1000}
    estimate = estimate_of({"name": "t", "opcode": "DMATrigger", "engine": "SP", "cost": 60, "transfer": transfer})
    assert stretch(estimate, 0, 900) == Stretch(0, 0, 900, 0, 0, Reason.released_early)
    assert stretch(estimate, 0, 1000) == Stretch(0, 0, 1000, 60, 60, Reason.released_early)
    assert stretch(estimate, 1, 500) == Stretch(1, 0, 500, 500, 500, None)


def test_an_instruction_that_no_longer_is_free_hands_over_its_bank() -> None:
    estimate = estimate_of(
        {"name": "free", "opcode": "TensorCopy", "engine": "DVE", "cost": 0, "psum_reads": [0]},
        {"name": "mm", "opcode": "Matmult", "engine": "PE", "cost": 500, "psum_writes": [0]},
    )
    assert stretch(estimate, 0, 50) == Stretch(0, 500, 50, 0, 50, Reason.first_cost)


def test_a_collective_grows_by_its_share_of_the_bandwidth() -> None:
    estimate = estimate_of(
        {"name": "cc", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 3000, "stream_id": 1}, arch="core_v4"
    )
    assert stretch(estimate, 0, 10) == Stretch(0, 0, 40, 40, 40, None)


def test_stretching_by_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="a stretch of 0 ns"):
        stretch(estimate_of({"name": "a", "opcode": "Matmult", "engine": "PE", "cost": 90}), 0, 0)


def test_a_wrong_slack_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    estimate = estimate_of(
        {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 1000},
        {"name": "mm", "opcode": "Matmult", "engine": "PE", "cost": 300, "dependencies": ["ld"]},
    )

    def too_much(schedule: object, relations: object) -> Slack:
        right = slack_of(estimate.blocks[0].schedule, block_relations(estimate, estimate.blocks[0]))
        return Slack(right.slack + 10, right.stretch + 10)

    monkeypatch.setattr(stretch_module, "slack_of", too_much)
    with pytest.raises(ModelBug, match=r"event 0 lasts 50 ns longer: makespan \+50 ns, by its slack \+40 ns"):
        stretch(estimate, 0, 50)


def test_both_runs_can_be_stretched() -> None:
    estimate = estimate_of(
        {"name": "a", "opcode": "Matmult", "engine": "PE", "cost": 500},
        {"name": "b", "opcode": "TensorCopy", "engine": "DVE", "cost": 700, "dependencies": [["a", "Anti"]]},
    )
    without = run(estimate.prepared, include_anti_deps=False)
    assert [s.moved for s in stretches(estimate, (0, 1), 50)] == [50, 50]
    assert [s.moved for s in stretches(without, (0, 1), 50)] == [0, 50]
    assert np.array_equal(without.blocks[0].start, [0, 0])
