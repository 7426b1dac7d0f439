"""Turns by router input on trees into one sink: closed forms, the given alternatives, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benches.fair_share.fluid import FluidFlow, Network, Solution
from benches.fair_share.ports import NoTree, by_ports, even
from tests.benches.fair_share.networks import given_case, network_of


def solved(network: Network, sinks: list[str] | None = None, *, with_rates: bool = False) -> Solution:
    names = [f"l{n}" for n in range(len(network.capacities_gbs))]
    return by_ports(network, sinks or ["sink"] * len(network.flows), names, with_rates=with_rates)


def parking_lot(nodes: int) -> Network:
    """Link k leads from node k to node k - 1, link 0 from node 0 to the sink; every node sends to the sink."""
    return Network((1.0,) * nodes, tuple(FluidFlow(tuple(range(k, -1, -1)), 1024) for k in range(nodes)))


@pytest.mark.parametrize("name", ["A09-parking-merge", "A31-hotspot-hbm-limited"])
def test_the_given_alternatives(shared: Path, name: str):
    traffic, expected = given_case(shared, name)
    alternative = expected["port_round_robin"]
    solution = solved(network_of(traffic), [flow["dst"] for flow in traffic["flows"]], with_rates=True)
    for flow, end, rates in zip(traffic["flows"], solution.ends, solution.rates, strict=True):
        entry = alternative["flows"][flow["name"]]
        assert end.end_ns == pytest.approx(float(Fraction(entry["finish_exact"])), rel=1e-9)
        assert rates[0] == (0, pytest.approx(entry["initial_rate_GBps"], rel=1e-9))
    assert max(end.end_ns for end in solution.ends) == pytest.approx(alternative["makespan_ns"], rel=1e-9)


def test_a_chain_halves_the_share_at_every_node(shared: Path):
    (file,) = (shared / "cases/packets").glob("B60-*.json")
    for point in json.loads(file.read_text())["expected"]["points"]:
        rates = solved(parking_lot(point["nodes"]), with_rates=True).rates
        assert [steps[0][1] for steps in rates] == point["share"]


def test_the_hot_spot_of_a_mesh_gives_a_5th_to_a_neighbour_and_a_120th_to_the_farthest():
    # 4 x 4 routers, x first, all to (1, 1), whose own core sends too; the limit is the way out of that router.
    links: dict[tuple, int] = {}
    flows = []
    for x in range(4):
        for y in range(4):
            path: list[tuple] = [("core", x, y)]
            at = (x, y)
            while at != (1, 1):
                x_next = at[0] + (at[0] < 1) - (at[0] > 1)
                step = (x_next, at[1] if x_next != at[0] else at[1] + (at[1] < 1) - (at[1] > 1))
                path.append((at, step))
                at = step
            path.append(("out",))
            flows.append(FluidFlow(tuple(links.setdefault(hop, len(links)) for hop in path), 4096))
    solution = solved(Network((1.0,) * len(links), tuple(flows)), with_rates=True)
    found = [Fraction(steps[0][1]).limit_denominator(1000) for steps in solution.rates]
    parts = [15, 5, 20, 60, 15, 5, 20, 60, 30, 10, 40, 120, 30, 10, 40, 120]  # down the columns, from x = 0 on
    assert found == [Fraction(1, part) for part in parts]


def test_what_an_input_does_not_bring_goes_to_the_others():
    # Link 0 takes 100: the slow link 1 brings 10, the local flow has the rest.
    network = Network((100.0, 10.0), (FluidFlow((1, 0), 100), FluidFlow((0,), 900)))
    assert [end.end_ns for end in solved(network).ends] == [10.0, 10.0]


def test_flows_of_one_input_share_its_turns():
    # Two flows by link 1, one local: a quarter, a quarter, a half.
    flows = (FluidFlow((1, 0), 250), FluidFlow((1, 0), 250), FluidFlow((0,), 500))
    assert [end.end_ns for end in solved(Network((100.0, 100.0), flows)).ends] == [10.0, 10.0, 10.0]


def test_starts_latencies_and_order_count_as_they_do_for_fair_shares():
    flows = (
        FluidFlow((1, 0), 100, 5.0, 1.0, 2.0),
        FluidFlow((0,), 0, after=(0,), tail_ns=1.0),
        FluidFlow((), 100),
        FluidFlow((0,), 1000, after=(1,)),
    )
    assert [end.end_ns for end in solved(Network((100.0, 10.0), flows)).ends] == [18.0, 19.0, 0.0, 29.0]


@pytest.mark.parametrize(
    ("paths", "sinks", "reason"),
    [
        ([(0, 1), (0, 2)], ["s", "s"], "flows part behind the link l0"),
        ([(0, 1), (0,)], ["s", "s"], "flows part behind the link l0"),
        ([(0, 1), (2,)], ["s", "t"], "flows end at 2 different parts: s, t"),
        ([(0, 1, 2), (2, 0, 1)], ["s", "s"], "flows part behind"),
    ],
)
def test_other_traffic_is_refused_with_the_reason(paths: list, sinks: list[str], reason: str):
    network = Network((1.0,) * 3, tuple(FluidFlow(path, 1) for path in paths))
    with pytest.raises(NoTree, match=reason):
        solved(network, sinks)


@given(st.floats(0, 1000), st.lists(st.one_of(st.floats(0, 100), st.just(float("inf"))), min_size=1, max_size=6))
def test_what_is_dealt_out_evenly_is_all_that_is_wanted_or_all_there_is(amount: float, wants: list[float]):
    dealt = even(amount, wants)
    assert all(got <= want for got, want in zip(dealt, wants, strict=True))
    assert sum(dealt) == pytest.approx(min(amount, sum(wants)), rel=1e-9, abs=1e-9)
    highest = max(dealt)
    assert all(
        got == want or got == pytest.approx(highest, rel=1e-9, abs=1e-9) for got, want in zip(dealt, wants, strict=True)
    )
