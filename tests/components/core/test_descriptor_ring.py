"""A full ring holds a trigger back until the oldest transfer in it has reached its next-dispatch."""

from __future__ import annotations

import pytest

from components.core.descriptor_ring import DescriptorRing, DescriptorRingParameters
from components.core.work import Work
from simcore.kernel import Environment, PartError
from tests.components.contract.hand_lane import HandLane
from tests.components.core.story import act, dma, lines, pe, sp, tell, trigger


def test_a_ring_of_depth_one_starts_a_trigger_at_the_next_dispatch_of_the_transfer_before():
    told = tell(trigger("t0", 10, 2000, queue=12), trigger("t1", 10, 1500, queue=12), trigger("t2", 10, 40, queue=12))
    assert told.rows == lines("""
        0 ring12.slots grant t0.x DMA
        0 SP start t0
        0 DMA start t0.x
        10 SP next-dispatch t0
        10 SP end t0
        700 DMA next-dispatch t0.x
        700 ring12.slots release t0.x DMA
        700 ring12.slots grant t1.x DMA
        700 SP start t1
        700 DMA start t1.x
        710 SP next-dispatch t1
        710 SP end t1
        900 DMA next-dispatch t1.x
        900 ring12.slots release t1.x DMA
        900 ring12.slots grant t2.x DMA
        900 SP start t2
        900 DMA start t2.x
        910 SP next-dispatch t2
        910 SP end t2
        940 DMA next-dispatch t2.x
        940 ring12.slots release t2.x DMA
        940 DMA end t2.x
        2000 DMA end t0.x
        2200 DMA end t1.x
    """)
    assert told.bounds == {
        "t0": "none",
        "t0.x": "none",
        "t1": "ring on t0.x",
        "t1.x": "engine on t0.x",
        "t2": "ring on t1.x",
        "t2.x": "engine on t1.x",
    }


def test_a_ring_of_depth_four_makes_the_fifth_trigger_wait_for_the_first_transfer():
    told = tell(*(trigger(f"t{k}", 1, 2000, queue=10) for k in range(6)))
    starts = told.starts
    assert [starts[f"t{k}"] for k in range(6)] == [0, 1, 2, 3, 700, 1400]
    assert [starts[f"t{k}.x"] for k in range(6)] == [0, 700, 1400, 2100, 2800, 3500]
    assert (told.bounds["t3"], told.bounds["t4"], told.bounds["t5"]) == ("engine on t2", "ring on t0.x", "ring on t1.x")


def test_triggers_of_several_engines_take_their_slots_in_program_order_though_they_arrive_in_another():
    # t1 on Activation is held back by a; t2 on PE could go at 0, but the second of two slots is t1's.
    told = tell(
        act("a", 600),
        trigger("t0", 10, 2000, queue=3, engine="SP"),
        trigger("t1", 10, 1500, queue=3, engine="Activation"),
        trigger("t2", 10, 1400, queue=3, engine="PE"),
        pe("behind", 10),
        ring_depths={3: 2},
    )
    assert told.rows == lines("""
        0 ring3.slots grant t0.x DMA
        0 ring3.slots grant t1.x DMA
        0 Activation start a
        0 SP start t0
        0 DMA start t0.x
        10 SP next-dispatch t0
        10 SP end t0
        500 Activation next-dispatch a
        500 Activation start t1
        510 Activation next-dispatch t1
        510 Activation end t1
        600 Activation end a
        700 DMA next-dispatch t0.x
        700 ring3.slots release t0.x DMA
        700 ring3.slots grant t2.x DMA
        700 DMA start t1.x
        700 PE start t2
        710 PE next-dispatch t2
        710 PE end t2
        710 PE start behind
        720 PE next-dispatch behind
        720 PE end behind
        900 DMA next-dispatch t1.x
        900 ring3.slots release t1.x DMA
        900 DMA start t2.x
        1000 DMA next-dispatch t2.x
        1000 ring3.slots release t2.x DMA
        2000 DMA end t0.x
        2200 DMA end t1.x
        2300 DMA end t2.x
    """)


def test_a_transfer_that_the_dma_lane_delays_keeps_its_slot_until_its_own_next_dispatch():
    told = tell(dma("l", 5000), trigger("t0", 0, 100, queue=12), trigger("t1", 0, 100, queue=12), sp("s", 10))
    assert told.starts == {"l": 0, "t0": 0, "t0.x": 3700, "t1": 3800, "t1.x": 3800, "s": 3800}
    assert told.bounds["t1"] == "ring on t0.x"


def test_free_triggers_and_transfers_pass_through_a_ring_at_one_instant():
    told = tell(*(trigger(f"t{k}", 0, 0, queue=12) for k in range(3)))
    assert {at for at, *_ in told.log} == {0}
    assert [row for row in told.rows if "start" in row or "grant" in row] == lines("""
        0 ring12.slots grant t0.x DMA
        0 SP start t0
        0 DMA start t0.x
        0 ring12.slots grant t1.x DMA
        0 SP start t1
        0 DMA start t1.x
        0 ring12.slots grant t2.x DMA
        0 SP start t2
        0 DMA start t2.x
    """)


def test_a_ring_without_a_depth_never_fills():
    told = tell(*(trigger(f"t{k}", 1, 2000, queue=11) for k in range(3)))
    assert [told.starts[f"t{k}"] for k in range(3)] == [0, 1, 2]
    assert sorted(told.core.rings) == [10, 12]


def test_other_depths_may_be_given():
    told = tell(*(trigger(f"t{k}", 1, 2000, queue=7) for k in range(3)), ring_depths={7: 2})
    assert [told.starts[f"t{k}"] for k in range(3)] == [0, 1, 700]


def test_it_tells_for_how_long_descriptors_were_in_it():
    told = tell(trigger("t0", 10, 2000, queue=10), sp("s", 90), trigger("t1", 10, 1500, queue=10))
    # t0.x: 0 to 700; t1 starts at 100, its transfer waits for the lane and reaches its next-dispatch at 900.
    assert told.core.rings[10].occupied_ticks == (700 + 800) * 1000
    assert told.core.rings[12].occupied_ticks == 0


def ring_of(env: Environment, depth: int) -> tuple[DescriptorRing, list[Work], list[Work], list[tuple[int, str]]]:
    """A ring, three triggers of 0 ticks and their transfers on lanes without order, and (time, name) of each end."""
    ring = DescriptorRing(env, "ring", DescriptorRingParameters(depth=depth), {})
    ended: list[tuple[int, str]] = []
    lane = HandLane(env, "lane", lambda work: ended.append((env.now, work.name)))
    triggers = [lane.work(2 * k, f"t{k}", 0, 0) for k in range(3)]
    transfers = [lane.work(2 * k + 1, f"x{k}", ticks, ticks, waits=1) for k, ticks in enumerate((90, 20, 5))]
    for trigger_, transfer in zip(triggers, transfers, strict=True):
        trigger_.tell_start((transfer, 0))
        ring.enrol(trigger_, transfer)
    lane.begin(triggers)
    return ring, triggers, transfers, ended


def test_a_transfer_that_overtakes_an_older_one_leaves_only_after_it():
    env = Environment()
    ring, triggers, _, ended = ring_of(env, 2)
    env.run(env.timeout(200))
    assert ended == [(0, "t0"), (0, "t1"), (20, "x1"), (90, "x0"), (90, "t2"), (95, "x2")]
    assert triggers[2].bound_on is not None
    assert triggers[2].bound_on.name == "x0"
    assert (ring.accepted, ring.completed, ring.occupied_ticks) == (3, 3, 90 + 90 + 5)


def test_a_transfer_that_leaves_twice_is_an_error():
    env = Environment()
    _, _, transfers, _ = ring_of(env, 3)
    ((place, rank),) = transfers[1].on_dispatch or []
    env.run(env.timeout(30))
    with pytest.raises(PartError, match=r"^ring at 30 ps: x1 leaves a second time$"):
        place.wait_over(env.now, rank, transfers[1])
