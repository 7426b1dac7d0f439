"""An engine issues in program order, frees its port at next-dispatch, and lets instructions end on their own."""

from __future__ import annotations

import numpy as np
import pytest

from components.core.engine import Engine
from components.core.lane import LaneParameters
from components.core.work import Work
from components.parameters import Fault, check_parameters
from simcore.kernel import Environment, PartError, Port
from simcore.program.engines import Lane
from tests.components.actor import Actor
from tests.components.core.story import act, dma, dve, lines, pe, sp, tell


def engine_of(env: Environment, *, overlap_ns: int = 100, overlaps_from_ns: int = 101) -> Engine:
    port = Port(env, "retired", Work)
    port.attach("in", Actor("core"))
    return Engine(
        env, "pe", LaneParameters(overlap_ns=overlap_ns, overlaps_from_ns=overlaps_from_ns), {"retired": port}
    )


def test_a_long_instruction_frees_the_port_100_ns_before_its_end_and_a_short_one_at_its_end():
    told = tell(pe("long", 300), pe("at_100", 100), pe("at_101", 101), pe("short", 50))
    assert told.rows == lines("""
        0 PE start long
        200 PE next-dispatch long
        200 PE start at_100
        300 PE end long
        300 PE next-dispatch at_100
        300 PE end at_100
        300 PE start at_101
        301 PE next-dispatch at_101
        301 PE start short
        351 PE next-dispatch short
        351 PE end short
        401 PE end at_101
    """)
    assert told.bounds == {
        "long": "none",
        "at_100": "engine on long",
        "at_101": "engine on at_100",
        "short": "engine on at_101",
    }


def test_the_dma_lane_overlaps_by_1300_ns_if_an_instruction_lasts_that_long():
    told = tell(dma("at_1299", 1299), dma("at_1300", 1300), dma("long", 3000), dma("next", 100))
    assert told.rows == lines("""
        0 DMA start at_1299
        1299 DMA next-dispatch at_1299
        1299 DMA end at_1299
        1299 DMA start at_1300
        1299 DMA next-dispatch at_1300
        1299 DMA start long
        2599 DMA end at_1300
        2999 DMA next-dispatch long
        2999 DMA start next
        3099 DMA next-dispatch next
        3099 DMA end next
        4299 DMA end long
    """)


def test_an_instruction_that_waits_keeps_those_behind_it_waiting():
    told = tell(act("a", 250), pe("b", 10, dependencies=["a"]), pe("c", 10), sp("d", 10, dependencies=["c"]))
    assert told.rows == lines("""
        0 Activation start a
        150 Activation next-dispatch a
        250 Activation end a
        250 PE start b
        260 PE next-dispatch b
        260 PE end b
        260 PE start c
        270 PE next-dispatch c
        270 PE end c
        270 SP start d
        280 SP next-dispatch d
        280 SP end d
    """)


def test_free_instructions_of_a_chain_over_three_engines_happen_at_one_instant_in_their_order():
    told = tell(
        pe("a", 0),
        dve("b", 0, dependencies=["a"]),
        act("c", 0, dependencies=["b"]),
        pe("d", 0, dependencies=["c"]),
        pe("e", 7),
    )
    assert told.rows == lines("""
        0 PE start a
        0 PE next-dispatch a
        0 PE end a
        0 DVE start b
        0 DVE next-dispatch b
        0 DVE end b
        0 Activation start c
        0 Activation next-dispatch c
        0 Activation end c
        0 PE start d
        0 PE next-dispatch d
        0 PE end d
        0 PE start e
        7 PE next-dispatch e
        7 PE end e
    """)
    assert set(told.bounds.values()) == {"none"}


def test_of_waits_that_end_together_the_edge_is_named_before_the_engine_and_the_first_edge_before_the_second():
    told = tell(
        pe("a", 50), act("b", 50), dve("c", 50), pe("after_a", 10, dependencies=["c", "b"]), pe("free", 10), sp("z", 60)
    )
    assert told.starts == {"a": 0, "b": 0, "c": 0, "after_a": 50, "free": 60, "z": 0}
    assert told.bounds["after_a"] == "dependency on c"
    assert told.bounds["free"] == "engine on after_a"


def test_its_busy_time_is_the_time_for_which_its_port_is_taken():
    told = tell(pe("a", 300), pe("b", 0), pe("c", 50), act("z", 1000))
    assert told.core.engines[Lane.PE].busy_ticks == (200 + 0 + 50) * 1000
    assert told.core.engines[Lane.Activation].busy_ticks == 900 * 1000
    assert told.core.engines[Lane.DVE].busy_ticks == 0


def test_durations_follow_the_window_of_the_lane():
    engine = engine_of(Environment(), overlap_ns=64, overlaps_from_ns=70)
    cost = np.array([0, 69, 70, 1000, 1000])
    dispatch, end = engine.durations(cost, np.array([True, True, True, True, False]))
    assert dispatch.tolist() == [0, 69_000, 6_000, 936_000, 1_000_000]
    assert end.tolist() == [0, 69_000, 70_000, 1_000_000, 1_000_000]


def test_a_window_that_reaches_before_the_start_is_refused():
    assert check_parameters(LaneParameters, {"overlap_ns": 100, "overlaps_from_ns": 99}) == [
        Fault("overlaps_from_ns", "must be at least overlap_ns (100): nothing is issued before what it follows")
    ]


def test_a_program_is_refused_while_another_runs_and_taken_when_that_has_ended():
    env = Environment()
    engine = engine_of(env)
    engine.load([Work(0, "a", engine, 50, 50)], [])
    with pytest.raises(PartError) as caught:
        engine.load([Work(0, "b", engine, 50, 50)], [])
    assert str(caught.value) == "pe at 0 ps: a program is loaded while 1 instructions of the one before still run"
    engine.ports["retired"].hand_to(lambda work: ended.append((env.now, work.name)))
    ended: list[tuple[int, str]] = []
    env.run(env.timeout(1000))
    engine.load([Work(0, "b", engine, 50, 50)], [])
    env.run(env.timeout(1000))
    assert ended == [(50, "a"), (1050, "b")]
    assert (engine.accepted, engine.completed, engine.busy_ticks) == (2, 2, 100)
