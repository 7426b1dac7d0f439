"""Placing one instruction at a time gives the block's schedule; looking and rolling back leave no trace."""

from __future__ import annotations

import random

import pytest

from simcore.errors import InputError
from simcore.perfsim.options import PerfSimOptions
from simcore.perfsim.simulator import Simulator
from simcore.program.engines import Lane
from simcore.program.instruction import Instruction
from tests.reference.random_programs import FEATURES, random_program
from tests.simcore.perfsim.blocks import loaded, rows, scheduled


def one(name: str, opcode: str, engine: str, cost: int, **fields: object) -> Instruction:
    return Instruction(name=name, opcode=opcode, engine=engine, cost=cost, **fields)  # type: ignore[arg-type]


def placed_rows(simulator: Simulator) -> list[tuple[str, int, int, int, int]]:
    return [(e.name, int(e.lane), e.start, e.duration, e.next_dispatch) for e in simulator.events]


def test_placing_in_program_order_equals_the_estimate_of_the_block() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        document = random_program(rng, instructions=25, features=FEATURES - {"loops", "arch_version"})
        program = loaded(document)
        for _, block in program.blocks:
            simulator = Simulator(program.arch)
            probe = Simulator(program.arch)
            for instruction in block.instructions:
                checkpoint = simulator.checkpoint()
                start = simulator.start_of(instruction)
                assert simulator.ready_time(instruction) <= start
                assert simulator.checkpoint() == checkpoint
                assert simulator.place(instruction)[0].start == start
                probe.place(instruction)
            assert placed_rows(simulator) == rows(block, scheduled(program, block))
            assert placed_rows(simulator) == placed_rows(probe)
            assert simulator.end_ns() == scheduled(program, block).critical_path


def test_rolling_back_and_placing_again_gives_the_same_times() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        program = loaded(random_program(rng, instructions=20, features=FEATURES - {"loops", "arch_version"}))
        block = program.blocks[0][1]
        simulator = Simulator(program.arch)
        middle = rng.randint(0, len(block.instructions))
        for instruction in block.instructions[:middle]:
            simulator.place(instruction)
        checkpoint = simulator.checkpoint()
        for instruction in block.instructions[middle:]:
            simulator.place(instruction)
        simulator.rollback(checkpoint)
        assert simulator.checkpoint() == checkpoint
        for instruction in block.instructions[middle:]:
            simulator.place(instruction)
        assert placed_rows(simulator) == rows(block, scheduled(program, block))


def test_a_floor_delays_and_a_lane_override_moves_but_keeps_the_own_window() -> None:
    simulator = Simulator("gen3")
    (copy,) = simulator.place(one("cp", "TensorCopy", "DVE", 300), floor_ns=50, lane=Lane.DMA)
    assert (copy.lane, copy.start, copy.next_dispatch) == (Lane.DMA, 50, 250)
    (load,) = simulator.place(one("ld", "Load", "DMA", 2000))
    assert (load.start, load.next_dispatch) == (250, 950)
    assert simulator.next_dispatch_ns(Lane.DVE) == 0
    assert simulator.end_ns() == 2250


def test_a_ring_is_ready_while_it_has_room_or_its_oldest_transfer_moved_on() -> None:
    simulator = Simulator("gen3", options=PerfSimOptions(ring_depths={12: 1}))
    assert simulator.is_ring_ready(12, 0)
    simulator.place(one("t", "DMATrigger", "SP", 0, queue=12, transfer=one("x", "DMACopy", "DMA", 2500)))
    assert not simulator.is_ring_ready(12, 1199)
    assert simulator.is_ring_ready(12, 1200)
    assert simulator.is_ring_ready(3, 0)


def test_what_cannot_be_placed_is_refused_and_leaves_nothing() -> None:
    simulator = Simulator("gen3")
    simulator.place(one("a", "Matmult", "PE", 300))
    before = simulator.checkpoint()
    with pytest.raises(InputError, match='the name "a" is already placed'):
        simulator.place(one("a", "Matmult", "PE", 300))
    with pytest.raises(InputError, match="a loop cannot be placed"):
        simulator.place(Instruction(name="l", opcode="Loop", engine="Unassigned", body=[]))
    with pytest.raises(InputError, match="negative"):
        simulator.place(one("b", "Matmult", "PE", -1))
    with pytest.raises(InputError, match="collective stream 2"):
        simulator.place(one("c", "CollectiveCompute", "Pool", 5, stream_id=2))
    with pytest.raises(ValueError, match="collective_reflow"):
        Simulator("gen3", options=PerfSimOptions(collective_reflow="overlap"))
    assert simulator.checkpoint() == before
