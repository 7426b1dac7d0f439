"""What the parts did, recomputed from the schedule, is what the parts themselves counted while they ran."""

from __future__ import annotations

import random
from typing import Any

import pytest

from benches.run_report.execute import MachineBlock, run_machine
from benches.run_report.parts import PartUse, part_uses
from components.core.neuron_core import NeuronCore, NeuronCoreParameters
from components.core.wiring import works_of
from simcore.kernel import Environment
from simcore.perfsim.estimate import estimate
from simcore.program.engines import Lane
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of, loaded


def uses_of(*instructions: dict[str, Any], arch: str = "gen3") -> dict[str, PartUse]:
    (block,) = run_machine(estimate(loaded(block_of(*instructions, arch=arch))))
    return part_uses(block, block.relations())


def pe(name: str, cost: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "opcode": "Matmult", "engine": "PE", "cost": cost, **more}


def dve(name: str, cost: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "opcode": "TensorTensor", "engine": "DVE", "cost": cost, **more}


def dma(name: str, cost: int) -> dict[str, Any]:
    return {"name": name, "opcode": "Load", "engine": "DMA", "cost": cost}


def core_that_ran(block: MachineBlock) -> NeuronCore:
    """A core after a run of ``block``, to read its parts' own counters."""
    env = Environment()
    core = NeuronCore(env, "core", block.core, {})
    core.run(works_of(core, block.columns, block.costs.total_ns, include_anti_deps=block.include_anti_deps))
    return core


@pytest.mark.parametrize("anti", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_every_account_equals_the_live_counters(seed: int, anti: bool) -> None:
    program = loaded(random_program(random.Random(seed), instructions=5 * seed + 1))
    for block in run_machine(estimate(program, include_anti_deps=anti)):
        core, uses = core_that_ran(block), part_uses(block, block.relations())
        assert list(uses) == [
            *(lane.name for lane in Lane if core.lane(lane).accepted),
            *(f"ring{number}" for number, ring in core.rings.items() if ring.accepted),
            *(f"psum{bank.parameters.number}" for bank in core.banks if bank.accepted),
        ]
        for lane, engine in core.engines.items():
            if engine.accepted:
                assert (uses[lane.name].requests, uses[lane.name].busy) == (engine.accepted, engine.busy_ticks)
        for number, ring in core.rings.items():
            if ring.accepted:
                use = uses[f"ring{number}"]
                assert (use.requests, use.busy, use.capacity) == (
                    ring.accepted,
                    ring.occupied_ticks,
                    ring.parameters.depth,
                )
        for bank in core.banks:
            if bank.accepted:
                assert uses[f"psum{bank.parameters.number}"].requests == bank.accepted
        if core.barriers.accepted:
            assert uses["ALL"].requests == core.barriers.accepted
        span = block.schedule.makespan
        assert all(0 <= use.utilisation(span) <= 1 for use in uses.values())


def test_an_engine_is_busy_until_its_next_dispatch_and_waited_for_by_what_could_have_started() -> None:
    uses = uses_of(pe("a", 300), pe("b", 300), dve("d", 100), pe("c", 300, dependencies=["d"]))
    # d ends at 100; c could start then, and waits for the port that b leaves at 400. b itself has no producers, so its
    # life begins when its turn comes.
    assert uses["PE"] == PartUse(requests=3, busy=600_000, wait=300_000)
    assert uses["DVE"] == PartUse(requests=1, busy=100_000, wait=0)
    assert uses["PE"].utilisation(700_000) == 0.8571


def test_a_ring_is_busy_slot_by_slot_and_waited_for_by_its_triggers() -> None:
    transfer = {"opcode": "DMACopy", "engine": "DMA", "cost": 2000}
    trigger = {"opcode": "DMATrigger", "engine": "SP", "queue": 12, "cost": 0}
    uses = uses_of(*({**trigger, "name": f"t{k}", "transfer": {**transfer, "name": f"x{k}"}} for k in range(3)))
    # Depth 1: each trigger waits 700 ns until the transfer before it reaches its next-dispatch.
    assert uses["ring12"] == PartUse(requests=3, busy=2_100_000, wait=1_400_000)


def test_slots_share_the_capacity_of_a_ring() -> None:
    assert PartUse(requests=4, busy=2000, wait=0, capacity=4).utilisation(1000) == 0.5
    assert PartUse(requests=0, busy=0, wait=0).utilisation(0) == 0.0


def test_a_wait_for_a_bank_is_that_of_the_bank_that_was_handed_over_last() -> None:
    uses = uses_of(
        pe("w0", 300, psum_writes=[0]),
        dma("ld", 600),
        {"name": "a", "opcode": "Activation", "engine": "Activation", "cost": 900, "psum_reads": [3]},
        dve("v", 200, psum_writes=[0, 3]),
    )
    # v's turn comes at 0; w0 leaves bank 0 at 200, a leaves bank 3 at 800.
    assert uses["psum0"] == PartUse(requests=2, busy=300_000, wait=200_000)
    assert uses["psum3"] == PartUse(requests=2, busy=900_000, wait=600_000)


def test_readers_hold_a_bank_together() -> None:
    uses = uses_of(pe("a", 300, psum_reads=[1]), dve("b", 500, psum_reads=[1]), dve("c", 100, psum_reads=[1]))
    # a until 200, b until 400, c from 400 to 500.
    assert uses["psum1"] == PartUse(requests=3, busy=500_000, wait=0)


def test_a_writer_of_an_unknown_bank_waits_for_all_and_holds_none() -> None:
    uses = uses_of(pe("a", 300, psum_writes=[6]), dve("b", 100, psum_writer=True))
    assert uses["psum6"] == PartUse(requests=1, busy=200_000, wait=200_000)
    assert [name for name in uses if name.startswith("psum")] == ["psum6"]


def test_the_accounts_of_two_blocks_add_up() -> None:
    assert PartUse(1, 10, 100, 4) + PartUse(2, 20, 200, 4) == PartUse(3, 30, 300, 4)


def test_a_core_with_other_rings_has_other_accounts() -> None:
    transfer = {"opcode": "DMACopy", "engine": "DMA", "cost": 2000, "name": "x"}
    program = loaded(block_of({"name": "t", "opcode": "DMATrigger", "engine": "SP", "queue": 3, "transfer": transfer}))
    (block,) = run_machine(estimate(program))
    assert "ring3" not in part_uses(block, block.relations())
    core = NeuronCoreParameters.of_generation("gen3", 30).model_copy(update={"ring_depths": {3: 2}})
    deeper = MachineBlock(
        block.function, block.block, block.columns, block.costs, core, block.include_anti_deps, block.schedule
    )
    assert part_uses(deeper, deeper.relations())["ring3"] == PartUse(1, 700_000, 0, capacity=2)
