"""Whose flit goes next, by hand: every flit takes 1 ns, times in ns."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.components.fabric.bench_of_fabric import outcome
from tests.components.fabric.plain import PlainFlow, PlainHop, PlainLink, PlainNetwork

FLIT = 64


def merge(arbitration: str, *flows: PlainFlow, inputs: int = 2) -> PlainNetwork:
    """Links 1 .. ``inputs`` lead to a hub, from which link 0 goes on; all serve a flit in 1 ns."""
    hub, sink = inputs, inputs + 1
    links = [PlainLink(hub, sink, Fraction(64), 0, arbitration)]
    links += [PlainLink(i, hub, Fraction(64), 0, arbitration) for i in range(inputs)]
    return PlainNetwork(FLIT, (PlainHop(),) * (inputs + 2), tuple(links), flows)


def flits(count: int, *path: int, start_ns: int = 0, window: int | None = None) -> PlainFlow:
    return PlainFlow(count * FLIT, path, start_ns * 1000, window)


def ends_ns(network: PlainNetwork) -> list[Fraction]:
    ended = outcome(network).ended
    return [ended[i] / 1000 for i in range(len(ended))]


@pytest.fixture(params=["flow_round_robin", "port_round_robin", "fifo"])
def any_arbitration(request: pytest.FixtureRequest) -> str:
    return request.param


def test_flows_take_turns_whatever_port_they_come_by():
    # Two flows come by link 1 and one by link 2: a third of the way out for each.
    network = merge("flow_round_robin", flits(2, 1, 0), flits(2, 1, 0), flits(4, 2, 0))
    # Way in 1: a b a b, at the hub at 1 2 3 4; way in 2: c c c c. Way out, from 1 on: a c b a c b c c.
    assert ends_ns(network) == [5, 7, 9]


def test_ports_take_turns_whatever_flows_they_bring():
    network = merge("port_round_robin", flits(2, 1, 0), flits(2, 1, 0), flits(4, 2, 0))
    # Way in 1: a a b b, since both start at the one local port. Way out, from 1 on: a c a c b c b c.
    assert ends_ns(network) == [4, 8, 9]


def test_in_a_fifo_they_go_as_they_came():
    network = merge("fifo", flits(2, 1, 0), flits(2, 1, 0, start_ns=2), flits(4, 2, 0))
    # Arrivals at the hub: 1: a c, 2: a c, 3: b c, 4: b c.
    assert ends_ns(network) == [4, 8, 9]


def test_what_starts_at_a_router_is_a_port_and_the_first_of_them():
    network = merge("port_round_robin", flits(3, 1, 0, start_ns=0), flits(3, 0, start_ns=1))
    # At 1 the first flit of link 1 and all local ones arrive: the local port goes first.
    assert ends_ns(network) == [7, 6]


def test_arrivals_of_one_instant_are_queued_before_a_link_decides(any_arbitration: str):
    # Flow 1 is submitted first, flow 0 comes first by its order: it is served first although it spoke last.
    network = merge(any_arbitration, flits(1, 0, start_ns=5), flits(1, 0, start_ns=5))
    assert ends_ns(network) == [6, 7]


def test_a_turn_ends_with_the_flit_so_that_a_newcomer_goes_before_the_next_one(any_arbitration: str):
    network = merge(any_arbitration, flits(4, 0, window=1), flits(1, 1, 0, start_ns=1))
    # The newcomer is at the hub at 2, when the second flit of flow 0 has been served and the third is let go. A fifo
    # and a round of flows or ports all have him served next, except that a fifo takes flow 0 first on a tie.
    newcomer = 4 if any_arbitration == "fifo" else 3
    assert ends_ns(network)[1] == newcomer


def test_an_idle_link_serves_whoever_has_something(any_arbitration: str):
    # 100 flits through the hub in 100 ns, from the first arrival to the last departure, whoever sends them.
    network = merge(any_arbitration, flits(50, 1, 0, window=3), flits(50, 2, 0, window=7))
    assert max(ends_ns(network)) == 101


def test_a_window_of_one_flit_waits_for_each_delivery():
    assert ends_ns(merge("fifo", flits(5, 1, 0, window=1))) == [10]


def test_a_buffer_that_is_full_stops_the_link_before_it_and_others_with_it():
    # a and b share link 0; behind it a goes on by a link four times slower. With room for two flits behind link 0,
    # a's flits fill it and b, whose own way is free, is held up.
    def drawn(buffer_bytes: int | None) -> PlainNetwork:
        links = (
            PlainLink(0, 1, Fraction(64), 0, buffer_bytes=buffer_bytes),
            PlainLink(1, 2, Fraction(16), 0),
            PlainLink(1, 3, Fraction(64), 0),
        )
        return PlainNetwork(FLIT, (PlainHop(),) * 4, links, (flits(8, 0, 1), flits(8, 0, 2)))

    free, held = ends_ns(drawn(None)), ends_ns(drawn(2 * FLIT))
    assert free[1] == 17
    assert held[1] > 2 * free[1] - 10
    assert held[0] == free[0] == 33


def test_disjoint_traffic_changes_nothing():
    crowded = merge("flow_round_robin", flits(9, 1, 0), flits(9, 1, 0, window=2))
    other = PlainLink(0, 1, Fraction(48), 3)
    with_others = replace(
        crowded, links=(*crowded.links, other), flows=(*crowded.flows, flits(77, 3), flits(5, 3, start_ns=4))
    )
    assert ends_ns(with_others)[:2] == ends_ns(crowded)


def test_bandwidths_times_k_make_drain_a_kth():
    network = merge("flow_round_robin", flits(40, 1, 0), flits(30, 1, 0, window=2), flits(20, 2, 0, window=5))
    faster = replace(network, links=tuple(replace(link, bw_gbs=link.bw_gbs * 7) for link in network.links))
    assert [end * 7 for end in ends_ns(faster)] == ends_ns(network)


def test_the_order_of_flows_moves_nothing_by_more_than_a_flit_of_each():
    flows = [flits(40, 1, 0), flits(30, 1, 0, window=2), flits(20, 2, 0, window=5), flits(20, 2, 0)]
    there = ends_ns(merge("flow_round_robin", *flows))
    back = ends_ns(merge("flow_round_robin", *reversed(flows)))
    assert max(abs(a - b) for a, b in zip(there, reversed(back), strict=True)) <= len(flows)
