"""Semaphores delay the edges that cross lanes, and nothing else."""

from __future__ import annotations

import pytest

from tests.components.core.story import act, barrier, collective, dma, dve, lines, pe, pool, sp, tell, trigger

ENGINES = (pe, dve, act, pool, sp)


def test_an_edge_between_lanes_takes_the_latency_and_one_within_a_lane_none():
    told = tell(
        pe("a", 300),
        pe("b", 50, dependencies=["a"]),
        dve("v", 200, dependencies=["a", "b"]),
        pool("p", 10, dependencies=[["a", "Ordered"]]),
        semaphore_latency_ns=70,
    )
    assert told.rows == lines("""
        0 PE start a
        200 PE next-dispatch a
        200 semaphores signal p a
        270 semaphores arrive p a
        270 Pool start p
        280 Pool next-dispatch p
        280 Pool end p
        300 PE end a
        300 semaphores signal v a
        300 PE start b
        350 PE next-dispatch b
        350 PE end b
        350 semaphores signal v b
        370 semaphores arrive v a
        420 semaphores arrive v b
        420 DVE start v
        520 DVE next-dispatch v
        620 DVE end v
    """)
    assert told.bounds["v"] == "dependency on b"
    assert (told.core.semaphores.accepted, told.core.semaphores.completed) == (3, 3)


def test_only_edges_take_the_latency():
    program = (
        pe("w", 300, psum_writes=[0]),
        dve("v", 200, psum_writes=[0]),
        pool("p", 150),
        trigger("t0", 10, 2000, queue=12),
        trigger("t1", 10, 2000, queue=12),
        barrier("b", 10),
    )
    assert tell(*program, arch="sunda", semaphore_latency_ns=10**6).rows == tell(*program, arch="sunda").rows


@pytest.mark.parametrize("latency", [0, 1, 70])
@pytest.mark.parametrize("length", [2, 9])
def test_a_chain_over_lanes_is_longer_by_a_latency_a_link(latency, length):
    costs = [37 * k % 90 + 1 for k in range(length)]
    chain = [
        ENGINES[k % 5](f"i{k}", cost, **({"dependencies": [f"i{k - 1}"]} if k else {})) for k, cost in enumerate(costs)
    ]
    told = tell(*chain, semaphore_latency_ns=latency)
    assert told.starts == {f"i{k}": sum(costs[:k]) + k * latency for k in range(length)}
    assert told.schedule.makespan == (sum(costs) + (length - 1) * latency) * 1000


def test_a_chain_within_a_lane_is_no_longer():
    chain = [pe(f"i{k}", 40, **({"dependencies": [f"i{k - 1}"]} if k else {})) for k in range(5)]
    assert tell(*chain, semaphore_latency_ns=70).schedule.makespan == 5 * 40 * 1000


def test_of_two_edges_the_one_that_arrives_last_counts_though_its_producer_was_first():
    told = tell(act("other", 250), pe("own", 300), pe("c", 10, dependencies=["other", "own"]), semaphore_latency_ns=70)
    assert told.starts["c"] == 320
    assert told.bounds["c"] == "dependency on other"


def test_edges_of_triggers_and_of_ready_collectives_take_it_too():
    told = tell(
        dma("l", 500),
        collective("c0", 3000, 0),
        collective("c1", 300, 0, dependencies=["l"]),
        pool("p", 100, dependencies=[["c1", "Ordered"]]),
        trigger("t", 40, 100, queue=11),
        act("a", 10, dependencies=["t"]),
        semaphore_latency_ns=70,
    )
    # c1 hears of l at 570 and is ready; p hears of that at 640. The trigger starts at 0, a hears of it at 70.
    assert (told.starts["p"], told.starts["a"]) == (640, 70)
    assert told.core.semaphores.completed == told.core.semaphores.accepted == 3


def test_a_collective_that_waits_for_nothing_is_ready_from_the_start_without_any_signal():
    told = tell(
        collective("c0", 3000, 0),
        collective("c1", 300, 1, dependencies=[["c0", "Ordered"]]),
        pool("p", 10, dependencies=[["c1", "Ordered"], ["c0", "Ordered"]]),
        semaphore_latency_ns=70,
    )
    assert told.starts == {"c0": 0, "c1": 0, "p": 0}
    assert told.core.semaphores.accepted == 0
