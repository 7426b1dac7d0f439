"""The relations are the whole reason for a schedule: replayed alone, they give every start, cause and bound again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.explain.of_perfsim import rules_of
from simcore.explain.relations import Moment, Relation
from simcore.perfsim.options import PerfSimOptions
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause
from tests.reference.random_programs import programs
from tests.simcore.explain.both_models import Run, machine_run, perfsim_run, random_blocks, replayed
from tests.simcore.perfsim.blocks import block_of, loaded


def assert_replays(run: Run) -> None:
    start, causes, on, ready = replayed(run)
    assert start == run.schedule.start.tolist()
    assert causes == [Cause(c) for c in run.schedule.cause.tolist()]
    assert on == run.schedule.on.tolist()
    collectives = np.flatnonzero(run.columns.opcode == Opcode.CollectiveCompute).tolist()
    assert [ready[c] for c in collectives] == [int(run.schedule.ready_at[c]) for c in collectives]


@pytest.mark.parametrize("anti", [True, False])
def test_replaying_the_relations_gives_perfsims_schedule(anti: bool) -> None:
    for program, block in random_blocks(250, 90):
        assert_replays(perfsim_run(program, block, anti=anti))


@pytest.mark.parametrize("anti", [True, False])
def test_replaying_the_relations_gives_the_machines_schedule(anti: bool) -> None:
    for program, block in random_blocks(120, 90):
        assert_replays(machine_run(program, block, anti=anti))


def test_replaying_the_relations_gives_the_schedule_of_a_machine_whose_semaphores_take_time() -> None:
    for program, block in random_blocks(60, 60):
        for early in (True, False):
            assert_replays(
                machine_run(program, block, semaphore_latency_ns=70, early_ordered=early, ring_depths={0: 1, 1: 2})
            )


@given(
    programs(),
    st.fixed_dictionaries({}, optional={ring: st.integers(1, 4) for ring in range(13)}),
    st.integers(0, 300),
    st.integers(0, 2000),
    st.sampled_from([None, True, False]),
    st.tuples(*[st.booleans()] * 3),
)
@settings(max_examples=150)
def test_the_relations_follow_every_option_of_perfsim(
    document: dict, depths: dict[int, int], compute: int, dma: int, coupling: bool | None, on: tuple[bool, bool, bool]
) -> None:
    options = PerfSimOptions(
        ring_depths=depths,
        compute_overlap_ns=compute,
        dma_overlap_ns=dma,
        pool_dve_coupling=coupling,
        engine_order=on[0],
        barriers=on[1],
        psum_banks=on[2],
    )
    program = loaded(document)
    for _, block in program.blocks:
        assert_replays(perfsim_run(program, block, options=options))


def test_each_relation_names_who_waits_for_which_moment_of_whom_and_why() -> None:
    program = loaded(
        block_of(
            {"name": "mm", "opcode": "Matmult", "engine": "PE", "cost": 300, "psum_writes": [0]},
            {
                "name": "rd",
                "opcode": "TensorCopy",
                "engine": "DVE",
                "cost": 50,
                "psum_reads": [0],
                "dependencies": ["mm"],
            },
            {"name": "mm2", "opcode": "Matmult", "engine": "PE", "cost": 300, "psum_writes": [0]},
            {"name": "all", "opcode": "NoOp", "engine": "ALL", "cost": 0, "dependencies": [["mm2", "Ordered"]]},
        )
    )
    run = perfsim_run(program, program.blocks[0][1])
    assert list(run.relations) == [
        Relation(0, 1, Moment.end, Cause.dependency, 0),
        Relation(0, 2, Moment.next_dispatch, Cause.engine, 0),
        Relation(1, 2, Moment.next_dispatch, Cause.psum_bank, 0),
        Relation(2, 3, Moment.next_dispatch, Cause.dependency, 0),
        Relation(1, 3, Moment.next_dispatch, Cause.barrier, 0),
        Relation(2, 3, Moment.next_dispatch, Cause.barrier, 0),
    ]
    assert run.relations.times(run.schedule).tolist() == [300, 200, 350, 550, 350, 550]


def test_a_collective_that_is_ready_from_the_start_holds_back_nobody() -> None:
    def collective(name: str, stream: int, *dependencies: list[str]) -> dict:
        fields = {"opcode": "CollectiveCompute", "engine": "Pool", "cost": 300, "stream_id": stream}
        return {"name": name, **fields, "dependencies": list(dependencies)}

    program = loaded(
        block_of(
            collective("c0", 0),
            collective("c1", 1, ["c0", "Ordered"]),
            collective("c2", 2, ["c1", "Ordered"]),
            arch="core_v4",
        )
    )
    run = machine_run(program, program.blocks[0][1], semaphore_latency_ns=70)
    assert run.schedule.start.tolist() == [0, 0, 0]
    assert len(run.relations) == 0


def test_an_empty_block_has_no_relations() -> None:
    program = loaded(block_of())
    assert len(perfsim_run(program, program.blocks[0][1]).relations) == 0


def test_the_collective_reflow_has_no_relations() -> None:
    with pytest.raises(ValueError, match="collective_reflow"):
        rules_of(PerfSimOptions(collective_reflow="overlap"), 30, include_anti_deps=True)
