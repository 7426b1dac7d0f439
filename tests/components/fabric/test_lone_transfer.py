"""What a transfer costs that meets no other: wire + overheads + bytes / slowest link + a flit on each other link."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.components.fabric.bench_of_fabric import built, outcome
from tests.components.fabric.plain import PlainFlow, PlainHop, PlainLink, PlainNetwork

FLIT = 64
RATES = st.sampled_from([Fraction(r) for r in ("1", "7", "32", "48", "64", "100", "204.8", "0.3")])


@st.composite
def chains(draw) -> PlainNetwork:
    rates = draw(st.lists(RATES, min_size=1, max_size=6))
    hops = tuple(PlainHop(draw(st.integers(0, 9999))) for _ in range(len(rates) + 1))
    links = tuple(PlainLink(i, i + 1, rate, draw(st.integers(0, 9999))) for i, rate in enumerate(rates))
    nbytes = draw(st.one_of(st.integers(0, 200), st.integers(0, 20_000)))
    return PlainNetwork(FLIT, hops, links, (PlainFlow(nbytes, tuple(range(len(rates)))),))


def fixed_ticks(network: PlainNetwork) -> int:
    """Wire and overheads."""
    return sum(hop.overhead for hop in network.hops) + sum(link.latency for link in network.links)


def closed_form(network: PlainNetwork) -> Fraction:
    """Ticks: the last flit, which may be short, follows the others over link q; the slowest link before it paces them.

    With whole flits only it is the sum of one flit on each link, and the other flits on the slowest.
    """
    nbytes = network.flows[0].nbytes
    per_byte = [1000 / link.bw_gbs for link in network.links]
    flits = max(1, -(-nbytes // FLIT))
    last = nbytes - (flits - 1) * FLIT
    if flits == 1:
        return fixed_ticks(network) + last * sum(per_byte)
    ends = [
        FLIT * sum(per_byte[: q + 1]) + (flits - 2) * FLIT * max(per_byte[: q + 1]) + last * sum(per_byte[q:])
        for q in range(len(per_byte))
    ]
    return fixed_ticks(network) + max(ends)


@given(chains(), st.booleans())
def test_it_is_the_closed_form_without_any_rounding(network: PlainNetwork, coalesce: bool):
    assert outcome(network, coalesce=coalesce).ended[0] == closed_form(network)


@given(chains(), st.integers(1, 300))
def test_whole_flits_cost_wire_overheads_the_slowest_link_and_one_flit_on_each_other(network: PlainNetwork, flits: int):
    whole = PlainNetwork(FLIT, network.hops, network.links, (PlainFlow(flits * FLIT, network.flows[0].path),))
    per_byte = [1000 / link.bw_gbs for link in network.links]
    slowest = max(per_byte)
    others = FLIT * (sum(per_byte) - slowest)
    assert outcome(whole).ended[0] == fixed_ticks(network) + flits * FLIT * slowest + others


@given(chains())
def test_a_window_as_deep_as_the_pipeline_costs_nothing_and_a_smaller_one_does(network: PlainNetwork):
    flow = network.flows[0]
    machine = built(network)
    depth = machine.fabric.route(machine.path(flow.path)).pipeline_depth()

    def ended(window: int) -> Fraction:
        windowed = PlainFlow(50 * FLIT, flow.path, window=window)
        return outcome(PlainNetwork(FLIT, network.hops, network.links, (windowed,))).ended[0]

    free = ended(50)
    assert ended(depth) == free
    if 1 < depth <= 25:
        assert ended(depth - 1) > free


def test_an_empty_transfer_costs_wire_and_overheads():
    hops = (PlainHop(100), PlainHop(20), PlainHop(3))
    links = (PlainLink(0, 1, Fraction(1), 5000), PlainLink(1, 2, Fraction(1), 70_000))
    assert outcome(PlainNetwork(FLIT, hops, links, (PlainFlow(0, (0, 1)),))).ended == {0: 75_123}


def test_a_transfer_to_oneself_ends_at_once():
    network = PlainNetwork(FLIT, (PlainHop(100), PlainHop()), (PlainLink(0, 1, Fraction(1), 0),), (PlainFlow(99, ()),))
    assert outcome(network).ended == {0: 0}


def test_a_part_that_reassembles_pays_the_bulk_again_and_its_overhead_once():
    hops = (PlainHop(1), PlainHop(20, reassembles=True), PlainHop(300))
    links = (PlainLink(0, 1, Fraction(64), 4000), PlainLink(1, 2, Fraction(32), 50_000))
    network = PlainNetwork(FLIT, hops, links, (PlainFlow(10 * FLIT, (0, 1)),))
    assert outcome(network).ended == {0: 321 + 54_000 + 10 * 1000 + 10 * 2000}


def test_a_source_or_destination_that_reassembles_costs_no_more_than_another():
    hops = (PlainHop(reassembles=True), PlainHop(reassembles=True))
    network = PlainNetwork(FLIT, hops, (PlainLink(0, 1, Fraction(64), 0),), (PlainFlow(10 * FLIT, (0,)),))
    assert outcome(network).ended == {0: 10_000}


def test_a_link_without_delay_delivers_at_once():
    network = PlainNetwork(FLIT, (PlainHop(), PlainHop()), (PlainLink(0, 1, Fraction(0), 7),), (PlainFlow(999, (0,)),))
    assert outcome(network).ended == {0: 7}


@pytest.mark.parametrize("rate", [Fraction(3), Fraction(7), Fraction("204.8")])
def test_many_flits_over_many_odd_links_do_not_drift(rate: Fraction):
    links = tuple(PlainLink(i, i + 1, rate, 0) for i in range(20))
    network = PlainNetwork(FLIT, (PlainHop(),) * 21, links, (PlainFlow(10_000 * FLIT, tuple(range(20))),))
    assert outcome(network).ended == {0: (10_000 + 19) * FLIT * 1000 / rate}
