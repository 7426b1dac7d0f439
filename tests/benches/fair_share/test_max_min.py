"""Progressive filling: closed forms, the given cases, a second implementation in fractions, and properties."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benches.fair_share.fluid import FluidFlow, Network
from benches.fair_share.max_min import max_min
from tests.benches.fair_share.networks import CASES, given_case, network_of, networks
from tests.benches.fair_share.plain import ends

INF = float("inf")


def ends_ns(network: Network, **how: bool) -> list[float]:
    return [end.end_ns for end in max_min(network, **how).ends]


def near(values: list) -> object:
    return pytest.approx([float(value) for value in values], rel=1e-9, abs=1e-12)


def test_there_is_no_case_that_is_not_tried(shared: Path):
    files = (shared / "cases/contention").glob("*.expected.json")
    assert {file.name.removesuffix(".expected.json") for file in files} == set(CASES)


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("name", CASES)
def test_given_cases_end_when_they_must(shared: Path, name: str, compiled: bool):
    traffic, expected = given_case(shared, name)
    found = ends_ns(network_of(traffic), compiled=compiled)
    names = [flow["name"] for flow in traffic["flows"]]
    assert dict(zip(names, found, strict=True)) == pytest.approx(expected["fair_end_ns"], rel=1e-9)


def test_equal_flows_share_a_link_evenly_and_end_together():
    assert ends_ns(Network((100.0,), (FluidFlow((0,), 1000),) * 4)) == [40.0] * 4


def test_a_slower_flow_leaves_its_rest_to_the_others():
    # 10 + 45 + 45 of 100.
    network = Network((100.0, 10.0), (FluidFlow((0, 1), 100), FluidFlow((0,), 450), FluidFlow((0,), 450)))
    assert ends_ns(network) == pytest.approx([10, 10, 10], rel=1e-12)


def test_who_comes_later_shares_what_is_left():
    # 1000 bytes at 100 until 5 (500 left), both at 50 until 15, then nothing is left of either.
    assert ends_ns(Network((100.0,), (FluidFlow((0,), 1000), FluidFlow((0,), 500, 5.0)))) == [15.0, 15.0]


def test_latencies_shift_a_flow_and_do_not_weight_its_share():
    flows = (FluidFlow((0,), 1000, head_ns=3.0, tail_ns=7.0), FluidFlow((0,), 1000, 3.0, tail_ns=700.0))
    assert ends_ns(Network((100.0,), flows)) == [30.0, 723.0]


def test_nothing_to_move_or_nothing_in_the_way_takes_the_latencies_alone():
    flows = (
        FluidFlow((0,), 0, 1.0, 2.0, 3.0),
        FluidFlow((), 4096, 1.0),
        FluidFlow((1,), 4096, 1.0, 0.5, 0.25),
        FluidFlow((0,), 100, after=(0, 1)),
    )
    assert ends_ns(Network((100.0, INF), flows)) == [6.0, 1.0, 1.75, 7.0]


def test_flows_after_others_start_when_the_last_of_them_has_ended():
    flows = (
        FluidFlow((0,), 1000),
        FluidFlow((1,), 500),
        FluidFlow((0,), 1000, 2.0, after=(0, 1)),
        FluidFlow((0,), 10, 50.0, after=(2,)),
    )
    result = max_min(Network((100.0, 100.0), flows)).ends
    assert [end.start_ns for end in result] == [0, 0, 10, 50]
    assert [end.end_ns for end in result] == pytest.approx([10, 5, 20, 50.1], rel=1e-12)


def test_flows_that_wait_for_each_other_are_refused():
    flows = (FluidFlow((0,), 1, after=(1,)), FluidFlow((0,), 1, after=(0,)), FluidFlow((0,), 1))
    with pytest.raises(ValueError, match=r"in a circle: \[0, 1\]"):
        max_min(Network((100.0,), flows))


@pytest.mark.parametrize(
    "network",
    [
        lambda: Network((0.0,), ()),
        lambda: Network((1.0,), (FluidFlow((1,), 1),)),
        lambda: Network((1.0,), (FluidFlow((0,), 1, after=(1,)),)),
        lambda: FluidFlow((0, 0), 1),
        lambda: FluidFlow((0,), -1),
        lambda: FluidFlow((0,), 1, start_ns=INF),
    ],
)
def test_what_makes_no_sense_is_refused(network):
    with pytest.raises(ValueError, match=r"\w"):
        network()


def test_a_flow_names_the_link_that_held_it_up_and_what_it_lost_there():
    # On link 0 three at 100/3 until 30; then the third is over, and the second is held up by link 1.
    flows = (FluidFlow((0,), 3000), FluidFlow((0, 1), 3000), FluidFlow((0,), 1000))
    first, second, third = max_min(Network((100.0, 60.0), flows)).ends
    assert [first.bottleneck, second.bottleneck, third.bottleneck] == [0, 0, 0]
    assert sum(first.lost_ns.values()) == pytest.approx(first.end_ns - 30.0)
    assert sum(second.lost_ns.values()) == pytest.approx(second.end_ns - 50.0)
    assert third.lost_ns == pytest.approx({0: 20.0})


def test_of_two_full_links_the_one_with_more_flows_is_the_bottleneck():
    flows = (FluidFlow((0, 1), 1000), FluidFlow((1,), 1000))
    assert [end.bottleneck for end in max_min(Network((50.0, 100.0), flows)).ends] == [1, 1]


@settings(max_examples=150)
@given(networks())
def test_a_second_implementation_in_fractions_says_the_same(network: Network):
    exact = ends(network)
    assert ends_ns(network, compiled=False) == near(exact)
    assert ends_ns(network, compiled=True) == ends_ns(network, compiled=False)


@settings(max_examples=60)
@given(networks())
def test_losses_add_up_to_the_whole_delay(network: Network):
    for flow, end in zip(network.flows, max_min(network).ends, strict=True):
        alone = flow.nbytes / network.alone_gbs(flow)
        delay = end.end_ns - end.start_ns - flow.head_ns - flow.tail_ns - alone
        assert sum(end.lost_ns.values()) == pytest.approx(delay, rel=1e-9, abs=1e-6)
        if end.bottleneck is not None:
            assert end.bottleneck in flow.links


@settings(max_examples=60)
@given(networks())
def test_at_every_moment_each_flow_has_a_full_link_on_which_nobody_is_faster(network: Network):
    rates = max_min(network, with_rates=True).rates
    moments = sorted({at for steps in rates for at, _ in steps})
    for before, after in pairwise(moments):
        middle = (before + after) / 2
        now = [next((r for at, r in reversed(steps) if at <= middle), 0.0) for steps in rates]
        load = [
            sum(r for r, f in zip(now, network.flows, strict=True) if link in f.links)
            for link in range(len(network.capacities_gbs))
        ]
        for link, used in enumerate(load):
            assert used <= network.capacities_gbs[link] * (1 + 1e-9)
        for n, flow in enumerate(network.flows):
            if not now[n]:
                continue
            full = [link for link in flow.links if load[link] >= network.capacities_gbs[link] * (1 - 1e-9)]
            fastest = [max(r for r, f in zip(now, network.flows, strict=True) if link in f.links) for link in full]
            assert any(now[n] >= r * (1 - 1e-9) for r in fastest)


@settings(max_examples=60)
@given(networks(apart=False), st.sampled_from([2.0, 7.0, 0.1]))
def test_bandwidths_times_k_make_times_a_kth(network: Network, k: float):
    faster = replace(network, capacities_gbs=tuple(c * k for c in network.capacities_gbs))
    assert [end * k for end in ends_ns(faster)] == near(ends_ns(network))


@settings(max_examples=60)
@given(networks(), networks())
def test_traffic_on_other_links_changes_no_bit(network: Network, other: Network):
    links, flows = len(other.capacities_gbs), len(other.flows)
    moved = tuple(
        replace(f, links=tuple(n + links for n in f.links), after=tuple(n + flows for n in f.after))
        for f in network.flows
    )
    both = max_min(Network((*other.capacities_gbs, *network.capacities_gbs), (*other.flows, *moved)), with_rates=True)
    alone = max_min(network, with_rates=True)
    assert [end.end_ns for end in both.ends[flows:]] == [end.end_ns for end in alone.ends]
    assert list(both.rates[flows:]) == list(alone.rates)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 9999), st.sampled_from([0.0, 5.0, 33.0])), min_size=1, max_size=6),
    st.integers(1, 9999),
)
def test_one_more_flow_on_a_link_makes_nobody_faster(drawn: list[tuple[int, float]], nbytes: int):
    flows = tuple(FluidFlow((0,), size, start) for size, start in drawn)
    few, more = ends_ns(Network((64.0,), flows)), ends_ns(Network((64.0,), (*flows, FluidFlow((0,), nbytes, 5.0))))
    assert all(b >= a * (1 - 1e-12) for a, b in zip(few, more, strict=False))


@settings(max_examples=60)
@given(networks(apart=False), st.randoms(use_true_random=False))
def test_the_order_of_flows_is_of_no_consequence(network: Network, rng):
    order = list(range(len(network.flows)))
    rng.shuffle(order)
    shuffled = ends_ns(replace(network, flows=tuple(network.flows[n] for n in order)))
    there = ends_ns(network)
    assert shuffled == near([there[n] for n in order])


def test_a_large_problem_is_compiled_and_comes_to_the_same():
    flows = tuple(FluidFlow((n % 7, 7 + n % 5), 1000 + 37 * n, float(n)) for n in range(200))
    network = Network((25.0,) * 7 + (40.0,) * 5, flows)
    assert max_min(network) == max_min(network, compiled=False)
