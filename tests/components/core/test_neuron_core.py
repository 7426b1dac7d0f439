"""A core runs a block on its parts: edges, coupled lanes, accounts, and what it refuses."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pytest

from components.core.neuron_core import NeuronCore, NeuronCoreParameters
from components.core.simulate import simulate_block
from components.core.wiring import works_of
from components.core.work import FAMILY_SHIFT, Work
from components.parameters import check_parameters
from simcore.errors import InputError
from simcore.kernel import Environment, PartError, undrained
from simcore.program.engines import Lane
from tests.components.core.story import act, barrier, dma, dve, lines, pe, pool, sp, tell, trigger
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of, loaded

GEN3 = NeuronCoreParameters.of_generation("gen3", 30)


# --- edges -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("anti", "of_anti"), [(True, 300), (False, 0)])
def test_an_edge_waits_for_the_end_and_an_ordered_one_for_the_next_dispatch(anti, of_anti):
    consumers = (dve("flow", 1), act("output", 1), pool("anti", 1), sp("invalid", 1), dma("ordered", 1))
    kinds = ("Flow", "Output", "Anti", "Invalid", "Ordered")
    told = tell(
        pe("a", 300),
        *({**c, "dependencies": [["a", kind]]} for c, kind in zip(consumers, kinds, strict=True)),
        anti=anti,
    )
    assert told.starts == {"a": 0, "flow": 300, "output": 300, "anti": of_anti, "invalid": 300, "ordered": 200}


def test_an_edge_to_a_trigger_waits_for_its_start_and_an_ordered_one_for_its_next_dispatch():
    told = tell(
        sp("s", 60),
        trigger("t", 400, 2000, queue=11),
        pe("flow", 1, dependencies=["t"]),
        dve("ordered", 1, dependencies=[["t", "Ordered"]]),
        act("transfer", 1, dependencies=["t.x"]),
    )
    assert told.starts == {"s": 0, "t": 60, "t.x": 60, "flow": 60, "ordered": 460, "transfer": 2060}


def test_a_trigger_on_the_dma_lane_overlaps_like_a_transfer():
    told = tell(trigger("t", 1500, 100, queue=11, engine="DMA"))
    assert told.rows == lines("""
        0 DMA start t
        200 DMA next-dispatch t
        200 DMA start t.x
        300 DMA next-dispatch t.x
        300 DMA end t.x
        1500 DMA end t
    """)


def test_edges_from_another_region_count_for_nothing_and_a_loops_body_runs_once():
    loop = {
        "name": "lp",
        "opcode": "Loop",
        "engine": "Unassigned",
        "trip_count": 10,
        "body": [dma("l0", 1600), pe("l1", 300, dependencies=["l0"])],
    }
    told = tell(pe("a", 900), dve("b", 200, dependencies=["a"], region=1), loop, dve("c", 200, dependencies=["l1"]))
    assert told.starts == {"a": 0, "b": 0, "l0": 0, "l1": 1600, "c": 1900}


# --- coupled lanes -----------------------------------------------------------------------------------------------

COUPLED = (dve("d", 300), pool("p", 250), dve("e", 10), act("a", 20))


def test_pool_and_dve_share_an_issue_port_up_to_arch_version_29():
    told = tell(*COUPLED, arch="sunda")
    assert told.rows == lines("""
        0 Activation start a
        0 DVE start d
        20 Activation next-dispatch a
        20 Activation end a
        200 DVE next-dispatch d
        200 Pool start p
        300 DVE end d
        350 Pool next-dispatch p
        350 DVE start e
        360 DVE next-dispatch e
        360 DVE end e
        450 Pool end p
    """)
    assert (told.bounds["p"], told.bounds["e"]) == ("band_coupling on d", "band_coupling on p")


def test_later_generations_do_not_couple_them():
    assert tell(*COUPLED, arch="gen3").starts == {"d": 0, "p": 0, "e": 200, "a": 0}


def test_activation_waits_for_the_end_of_the_last_psum_write_on_dve_and_on_pool():
    told = tell(
        dve("d", 300, psum_writes=[0]),
        pool("free", 0, psum_writes=[5]),
        pool("p", 250, psum_writes=[1]),
        dve("e", 900),
        act("a", 20),
        arch="sunda",
    )
    # d ends at 300; p starts at d's next-dispatch, 200, and ends at 450; free costs nothing, e writes no PSUM.
    assert (told.starts["a"], told.bounds["a"]) == (450, "band_coupling on p")


def test_a_psum_write_that_costs_nothing_does_not_hold_activation_back():
    program = (pool("p", 250, psum_writes=[1]), pool("free", 0, psum_writes=[5]), act("a", 20))
    told = tell(*program, arch="sunda")
    assert told.starts == {"p": 0, "free": 150, "a": 250}
    assert told.bounds["a"] == "band_coupling on p"


def test_of_psum_writes_that_end_together_the_one_on_dve_is_named():
    told = tell(pool("p", 300, psum_writes=[0]), dve("d", 100, psum_writes=[1]), act("a", 20), arch="sunda")
    assert told.starts == {"p": 0, "d": 200, "a": 300}
    assert told.bounds["a"] == "band_coupling on d"


# --- accounts ----------------------------------------------------------------------------------------------------


def parts_of(core: NeuronCore):
    return [core, *core.lanes, *core.rings.values(), *core.banks, core.semaphores]


@pytest.mark.parametrize("seed", range(12))
def test_after_a_run_every_account_balances_and_nothing_is_left(seed):
    rng = random.Random(seed)
    program = loaded(random_program(rng, instructions=90))
    for _, block in program.blocks:
        n = len(block.columns)
        parameters = NeuronCoreParameters.of_generation(program.arch, program.arch_version)
        parameters = parameters.model_copy(
            update={"semaphore_latency_ns": seed % 3, "ring_depths": {1: 1, 9: 2, 10: 4}}
        )
        core = NeuronCore(Environment(), "core", parameters, {})
        works = works_of(core, block.columns, block.columns.cost_ns)
        core.run(works)
        assert undrained(core.env) == ()
        for part in parts_of(core):
            assert part.accepted == part.completed, part.name
        assert (core.accepted, sum(lane.accepted for lane in core.lanes)) == (n, n)
        assert all(work.waits == 0 and not (work.on_start or work.on_dispatch or work.on_end) for work in works)
        makespan = core.env.now
        assert makespan == max((work.start_at + work.end_ticks for work in works), default=0)
        for lane in core.engines.values():
            assert lane.busy_ticks == sum(work.dispatch_ticks for work in works if work.lane is lane) <= makespan
        for ring in core.rings.values():
            assert 0 <= ring.occupied_ticks <= ring.parameters.depth * makespan


def test_a_second_program_runs_like_the_first_but_later():
    program = loaded(
        block_of(
            pe("w", 300, psum_writes=[0]),
            dve("v", 200, psum_writes=[0]),
            trigger("t0", 10, 2000, queue=12),
            trigger("t1", 10, 2000, queue=12),
            barrier("b", 50),
        )
    )
    ((_, block),) = program.blocks
    env = Environment()
    core = NeuronCore(env, "core", GEN3, {})
    first = works_of(core, block.columns, block.columns.cost_ns)
    core.run(first)
    env.run(env.timeout(777))
    begin = env.now
    second = works_of(core, block.columns, block.columns.cost_ns)
    core.run(second)
    assert [work.start_at - begin for work in second] == [work.start_at for work in first]
    assert [_bound(work) for work in second] == [_bound(work) for work in first]
    assert (core.accepted, core.completed) == (14, 14)


def _bound(work: Work) -> tuple[int, str | None]:
    return work.bound_rank >> FAMILY_SHIFT, work.bound_on.name if work.bound_on is not None else None


def test_a_program_is_refused_while_another_runs():
    core = NeuronCore(Environment(), "core", GEN3, {})
    core.start([Work(0, "a", core.lane(Lane.PE), 10, 10)])
    with pytest.raises(PartError, match=r"^core at 0 ps: a program is started while 1 instructions of the one before"):
        core.start([])


def test_an_empty_block_takes_no_time():
    told = tell()
    assert (told.rows, told.schedule.makespan, len(told.schedule)) == ([], 0, 0)


def test_a_core_lets_its_program_go_when_it_has_ended():
    told = tell(pe("a", 300), dve("b", 10, dependencies=["a"], psum_writes=[0]), barrier("c", 10), logged=False)
    core, alive = told.core, [weakref.ref(work) for work in told.works]
    gc.disable()
    try:
        del told
        assert [work() for work in alive] == [None, None, None]
    finally:
        gc.enable()
    assert core.completed == 3


# --- log and schedule --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_the_log_changes_nothing_and_tells_of_every_instruction(seed):
    program = loaded(random_program(random.Random(seed), instructions=60))
    for _, block in program.blocks:
        columns = block.columns
        core = NeuronCoreParameters.of_generation(program.arch, program.arch_version)
        log: list = []
        logged = simulate_block(columns, columns.cost_ns, core, log=log)
        unlogged = simulate_block(columns, columns.cost_ns, core)
        for field in ("lane", "start", "duration", "next_dispatch", "cause", "on", "ready_at", "ready_on"):
            assert np.array_equal(getattr(logged, field), getattr(unlogged, field)), field
        names = columns.name_list()
        assert [at for at, *_ in log] == sorted(at for at, *_ in log)
        told = {(what, name): at for at, _, what, name, *_ in log if what in ("start", "next-dispatch", "end")}
        assert told == {
            **{("start", name): at for name, at in zip(names, logged.start.tolist(), strict=True)},
            **{("next-dispatch", name): at for name, at in zip(names, logged.next_dispatch.tolist(), strict=True)},
            **{("end", name): at for name, at in zip(names, logged.end.tolist(), strict=True)},
        }


# --- what is refused ---------------------------------------------------------------------------------------------


def test_a_block_that_lasts_longer_than_a_schedule_can_hold_is_refused():
    ((_, block),) = loaded(block_of(*(pe(f"i{k}", 10**12) for k in range(10)))).blocks
    with pytest.raises(InputError) as caught:
        simulate_block(block.columns, block.columns.cost_ns * 1000, GEN3, file="p.json")
    assert str(caught.value) == "p.json: a block takes 9999999999999100 ns (allowed: 9223372036854775.807 ns)"


@pytest.mark.parametrize(
    ("change", "key", "message"),
    [
        ({"impls": {"engin": "x"}}, "impls.engin.[key]", "input should be 'engine'"),
        (
            {"collective_shares": ((5, 4),)},
            "collective_shares.0",
            "a share of the bandwidth is at most the whole, not 5/4",
        ),
        ({"collective_shares": ((1, 1),) * 5}, "collective_shares", "tuple should have at most 4 items"),
        ({"collective_shares": ((1, 1001),)}, "collective_shares.0.1", "input should be less than or equal to 1000"),
        ({"ring_depths": {13: 1}}, "ring_depths.13.[key]", "input should be less than or equal to 12"),
        ({"psum_banks": 9}, "psum_banks", "input should be less than or equal to 8"),
    ],
)
def test_parameters_of_no_core_are_refused(change, key, message):
    faults = check_parameters(NeuronCoreParameters, {**GEN3.model_dump(), **change})
    assert isinstance(faults, list)
    (fault,) = faults
    assert fault.key == key
    assert fault.message.startswith(message)


def test_an_impl_that_nobody_has_registered_is_refused():
    with pytest.raises(InputError, match=r'unknown impl "in_ordr" of engine \(allowed: in_order; did you mean'):
        NeuronCore(Environment(), "core", GEN3.model_copy(update={"impls": {"engine": "in_ordr"}}), {})
