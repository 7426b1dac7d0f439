"""Collective streams: bandwidth shares, no overlap, and followers that need only the collective's readiness."""

from __future__ import annotations

import pytest

from simcore.errors import InputError
from simcore.program.engines import Lane
from tests.components.core.story import act, collective, dma, lines, pe, pool, tell


@pytest.mark.parametrize(
    ("arch", "costs"),
    [("sunda", [301, 301, 301, 301]), ("gen3", [401, 1204]), ("core_v4", [602, 1204, 1204])],
)
def test_a_collective_costs_what_its_share_of_the_bandwidth_makes_of_it(arch, costs):
    told = tell(*(collective(f"c{s}", 301, s) for s in range(len(costs))), arch=arch)
    assert [ticks // 1000 for ticks in told.schedule.duration.tolist()] == costs  # 301 * 4/3 is 401 1/3


def test_a_stream_runs_its_collectives_one_after_the_other_without_overlap():
    told = tell(collective("a", 300, 0), collective("b", 300, 0), collective("z", 30, 1))
    assert told.rows == lines("""
        0 CCStream0 start a
        0 CCStream1 start z
        120 CCStream1 next-dispatch z
        120 CCStream1 end z
        400 CCStream0 next-dispatch a
        400 CCStream0 end a
        400 CCStream0 start b
        800 CCStream0 next-dispatch b
        800 CCStream0 end b
    """)


def test_only_collective_computes_on_a_stream_have_a_share():
    told = tell(
        {**collective("send", 300, 1), "opcode": "CollectiveSend"},
        {**collective("local", 3000, 1), "is_local": True},
    )
    assert told.rows == lines("""
        0 DMA start local
        0 CCStream1 start send
        300 CCStream1 next-dispatch send
        300 CCStream1 end send
        1700 DMA next-dispatch local
        3000 DMA end local
    """)


@pytest.mark.parametrize(
    ("arch", "stream", "allowed"),
    [
        ("gen3", 2, "allowed: streams 0 to 1"),
        ("core_v4", 3, "allowed: streams 0 to 2"),
        ("inferentia", 0, "collectives are not modelled there"),
    ],
)
def test_a_stream_without_bandwidth_is_an_input_error(arch, stream, allowed):
    with pytest.raises(InputError) as caught:
        tell(collective("c", 300, stream), arch=arch)
    assert str(caught.value) == (
        f"<program>: instruction c: collective stream {stream} has no bandwidth on this core ({allowed})"
    )


ORDERED = (
    dma("l", 500),
    collective("c0", 3000, 0),
    collective("c1", 300, 0, dependencies=["l"]),
    pool("p", 100, dependencies=[["c1", "Ordered"]]),
    collective("c2", 300, 1, dependencies=[["c1", "Ordered"]]),
    act("a", 10, dependencies=[["c1", "Ordered"]]),
)


def test_an_ordered_follower_on_pool_or_a_stream_needs_only_the_collectives_readiness():
    told = tell(*ORDERED)
    # c1 is ready at 500, when l ends, but its stream is busy with c0 until 4000.
    assert told.starts == {"l": 0, "c0": 0, "c1": 4000, "p": 500, "c2": 500, "a": 4400}
    assert (told.bounds["p"], told.bounds["c2"]) == ("dependency on c1", "dependency on c1")
    c1 = told.works[2]
    assert (told.schedule.ready_at[2], told.schedule.ready_on[2]) == (500_000, 0)
    assert c1.lane is told.core.engines[Lane.CCStream0]


def test_a_core_without_that_rule_makes_them_wait_for_the_next_dispatch():
    told = tell(*ORDERED, early_ordered=False)
    assert (told.starts["p"], told.starts["c2"], told.starts["a"]) == (4400, 4400, 4400)


def test_readiness_is_passed_along_a_chain_at_one_instant_however_long():
    length = 3000
    chain = [collective("c0", 10, 0, dependencies=["l"])]
    chain += [collective(f"c{k}", 10, k % 2, dependencies=[[f"c{k - 1}", "Ordered"]]) for k in range(1, length)]
    told = tell(dma("l", 500), *chain, pool("p", 10, dependencies=[[f"c{length - 1}", "Ordered"]]), logged=False)
    assert told.starts["p"] == 500
    assert set(told.schedule.ready_at[1:-1].tolist()) == {500_000}


def test_of_producers_that_end_together_the_first_edge_makes_a_collective_ready():
    told = tell(dma("l", 50), act("a", 50), pool("g", 40), collective("c", 10, 0, dependencies=["g", "a", "l"]))
    assert (told.schedule.ready_at[3], told.schedule.ready_on[3]) == (50_000, 1)


def test_readiness_waits_for_edges_alone_and_for_all_of_them():
    told = tell(
        pe("w", 300, psum_writes=[0]),
        dma("l", 500),
        collective("c", 10, 0, dependencies=["l"], psum_writes=[0]),
        pool("p", 10, dependencies=[["c", "Ordered"]]),
    )
    # The bank is free at 200, before the edge is over.
    assert told.starts["p"] == 500
    assert told.schedule.ready_at[2] == 500_000


def test_a_collective_whose_producers_cost_nothing_is_ready_at_the_start_because_of_nobody():
    told = tell(pe("a", 0), collective("c", 10, 0, dependencies=["a"]))
    assert (told.schedule.ready_at[1], told.schedule.ready_on[1]) == (0, -1)
