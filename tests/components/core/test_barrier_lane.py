"""A barrier waits for the last instruction on each datapath lane, and for no other barrier."""

from __future__ import annotations

from simcore.program.engines import Lane
from tests.components.core.story import act, barrier, dma, dve, lines, pe, pool, sp, tell


def test_a_barrier_starts_at_the_latest_next_dispatch_of_the_five_lanes_before_it():
    told = tell(
        act("a", 150),
        dve("d", 250),
        pe("p", 500),
        pool("g", 350),
        sp("s", 80),
        dma("l", 9000),
        barrier("b", 50),
        pe("after", 10, dependencies=["b"]),
    )
    assert told.rows == lines("""
        0 Pool start g
        0 Activation start a
        0 PE start p
        0 DMA start l
        0 DVE start d
        0 SP start s
        50 Activation next-dispatch a
        80 SP next-dispatch s
        80 SP end s
        150 DVE next-dispatch d
        150 Activation end a
        250 Pool next-dispatch g
        250 DVE end d
        350 Pool end g
        400 PE next-dispatch p
        400 ALL start b
        450 ALL next-dispatch b
        450 ALL end b
        450 PE start after
        460 PE next-dispatch after
        460 PE end after
        500 PE end p
        7700 DMA next-dispatch l
        9000 DMA end l
    """)
    assert told.bounds["b"] == "barrier on p"


def test_barriers_do_not_wait_for_each_other_and_nobody_waits_for_them_but_by_an_edge():
    told = tell(sp("s", 300), barrier("long", 500), barrier("short", 10), sp("t", 20), barrier("last", 10))
    assert told.rows == lines("""
        0 SP start s
        200 SP next-dispatch s
        200 SP start t
        200 ALL start long
        200 ALL start short
        210 ALL next-dispatch short
        210 ALL end short
        220 SP next-dispatch t
        220 SP end t
        220 ALL start last
        230 ALL next-dispatch last
        230 ALL end last
        300 SP end s
        600 ALL next-dispatch long
        700 ALL end long
    """)


def test_an_edge_to_a_barrier_is_named_before_a_lane_that_ends_at_the_same_time():
    told = tell(act("a", 50), dma("l", 50), barrier("b", 10, dependencies=["l"]))
    assert told.bounds["b"] == "dependency on l"


def test_of_lanes_that_end_together_the_first_in_the_order_of_the_source_is_named():
    told = tell(pool("g", 50), pe("p", 50), dve("d", 50), barrier("b", 10))
    assert told.bounds["b"] == "barrier on d"


def test_a_free_barrier_among_free_instructions_happens_at_their_instant():
    told = tell(pe("a", 0), barrier("b", 0, dependencies=["a"]), barrier("c", 0, dependencies=["b"]), barrier("d", 0))
    assert told.rows == lines("""
        0 PE start a
        0 PE next-dispatch a
        0 PE end a
        0 ALL start d
        0 ALL start b
        0 ALL next-dispatch d
        0 ALL next-dispatch b
        0 ALL end d
        0 ALL end b
        0 ALL start c
        0 ALL next-dispatch c
        0 ALL end c
    """)
    assert set(told.bounds.values()) == {"none"}


def test_a_core_may_have_its_barriers_wait_for_other_lanes():
    told = tell(pe("p", 500), dma("l", 700), barrier("b", 10), barrier_lanes=(Lane.DMA,))
    assert told.starts["b"] == 700
    assert tell(pe("p", 500), barrier("b", 10), barrier_lanes=()).starts["b"] == 0


def test_barriers_wait_for_each_other_if_their_lane_is_among_those_they_wait_for():
    told = tell(barrier("a", 80), barrier("b", 80), barrier("c", 10), barrier_lanes=(Lane.ALL,))
    assert told.starts == {"a": 0, "b": 80, "c": 160}
