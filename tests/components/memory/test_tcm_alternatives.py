"""What ADR-0040 turned down, and what it would have cost: the same stories on all three."""

from __future__ import annotations

import pytest

from tests.components.memory.bench_of_tcm import Access, tcm_bench, times

SLOW = {"read_bw_gbs": 2, "write_bw_gbs": 1}
FETCH_AND_STORE = [Access(0, "read", 10, "r"), Access(0, "write", 10, "w")]
TWO_FETCHES = [Access(0, "read", 10, "a"), Access(0, "read", 10, "b"), Access(0, "read", 10, "c")]


@pytest.mark.parametrize(
    ("impl", "channels"),
    [
        ("dual_channel", [("tcm.read", 1), ("tcm.write", 1)]),
        ("shared_channel", [("tcm.shared", 1)]),
        ("two_banks", [("tcm.read", 2), ("tcm.write", 2)]),
    ],
)
def test_they_differ_in_their_channels_only(impl, channels):
    assert [(channel.name, channel.capacity) for channel in tcm_bench(impl=impl).env.channels] == channels


@pytest.mark.parametrize(
    ("impl", "done"),
    [
        ("dual_channel", [(5000, "r"), (10000, "w")]),
        ("shared_channel", [(5000, "r"), (15000, "w")]),
        ("two_banks", [(5000, "r"), (10000, "w")]),
    ],
)
def test_a_shared_channel_makes_a_store_wait_for_a_fetch(impl, done):
    assert times(FETCH_AND_STORE, SLOW, impl) == done


@pytest.mark.parametrize(
    ("impl", "done"),
    [
        ("dual_channel", [(5000, "a"), (10000, "b"), (15000, "c")]),
        ("shared_channel", [(5000, "a"), (10000, "b"), (15000, "c")]),
        ("two_banks", [(5000, "a"), (5000, "b"), (10000, "c")]),
    ],
)
def test_two_banks_move_more_than_the_bandwidth_of_the_direction(impl, done):
    assert times(TWO_FETCHES, SLOW, impl) == done


def test_a_shared_channel_serves_both_directions_in_the_order_of_arrival():
    story = [
        Access(0, "write", 4, "w"),
        Access(1, "read", 4, "r"),
        Access(2, "write", 0, "empty"),
        Access(3, "read", 2, "x"),
    ]
    assert times(story, SLOW, "shared_channel") == [(4000, "w"), (6000, "r"), (6000, "empty"), (7000, "x")]


def test_a_shared_channel_still_accounts_for_each_direction():
    bench = tcm_bench(SLOW, "shared_channel")
    bench.env.run(bench.play(FETCH_AND_STORE))
    assert (bench.tcm.ways["read"].moved_bytes, bench.tcm.ways["write"].moved_bytes) == (10, 10)
    assert bench.tcm.ways["read"].channel.busy_ticks == 15000
