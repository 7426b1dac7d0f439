"""The given packet cases that are about links: round robin, pipelines, credits, ports in turn."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from simcore.units import ns_to_ticks
from tests.components.fabric.bench_of_fabric import outcome
from tests.components.fabric.plain import PlainFlow, PlainHop, PlainLink, PlainNetwork
from tests.components.fabric.traffic import read


@pytest.fixture(scope="module")
def case(shared: Path):
    def load(name: str) -> dict[str, Any]:
        (file,) = (shared / "cases/packets").glob(f"{name}-*.json")
        return read(file)

    return load


@pytest.fixture(params=[True, False], ids=["coalesced", "flit by flit"])
def coalesce(request: pytest.FixtureRequest) -> bool:
    return request.param


def chain(
    rates: list[Fraction | int],
    flit_bytes: int,
    nbytes: int,
    *,
    latency_ns: Fraction | int = 0,
    router_ns: Fraction | int = 0,
    reassembles: bool = False,
) -> PlainNetwork:
    """One transfer over links of the given rates, with a router between any two."""
    router = PlainHop(ns_to_ticks(router_ns), reassembles)
    hops = (PlainHop(), *[router] * (len(rates) - 1), PlainHop())
    links = tuple(PlainLink(i, i + 1, Fraction(rate), ns_to_ticks(latency_ns)) for i, rate in enumerate(rates))
    return PlainNetwork(flit_bytes, hops, links, (PlainFlow(nbytes, tuple(range(len(rates)))),))


def end_ns(network: PlainNetwork, coalesce: bool) -> Fraction:
    return outcome(network, coalesce=coalesce).ended[0] / 1000


def near(given_ns: Fraction) -> Any:
    """A number that the file gives with so many digits; ours has no error."""
    return pytest.approx(float(given_ns), rel=1e-15)


def test_b01_four_flows_take_turns_at_a_link_chunk_by_chunk(case, coalesce: bool):
    b01 = case("B01")
    model = b01["model"]
    links = (PlainLink(0, 1, Fraction(model["link_bandwidth_GBps"]), 0),)
    flows = tuple(PlainFlow(flow["bytes"], (0,), ns_to_ticks(flow["start_ns"])) for flow in model["flows"])
    network = PlainNetwork(model["chunk_bytes"], (PlainHop(), PlainHop()), links, flows)
    ended = outcome(network, coalesce=coalesce).ended
    exact = [Fraction(text) for text in b01["expected"]["finish_ns_exact"].values()]
    assert [ended[i] / 1000 for i in range(len(flows))] == exact


def test_b10_a_packet_through_routers_that_store_and_forward_or_cut_through(case, coalesce: bool):
    b10 = case("B10")
    model = b10["model"]
    for point in b10["expected"]["points"]:
        rates = [model["link_bandwidth_GBps"]] * point["hops"]
        times = {"latency_ns": model["propagation_ns_per_link"], "router_ns": model["router_delay_ns"]}
        through = chain(rates, model["header_flit_bytes"], model["packet_bytes"], **times)
        stored = chain(rates, model["header_flit_bytes"], model["packet_bytes"], **times, reassembles=True)
        assert end_ns(through, coalesce) == point["cut_through_ns"]
        assert end_ns(stored, coalesce) == point["store_and_forward_ns"]


def test_b11_the_last_of_larger_flits_comes_later(case, coalesce: bool):
    b11 = case("B11")
    model = b11["model"]
    for point in b11["expected"]["points"]:
        rates = [model["link_bandwidth_GBps"]] * model["links"]
        assert end_ns(chain(rates, point["chunk_bytes"], model["bytes"]), coalesce) == point["finish_ns"]


def test_b12_the_slowest_of_unequal_links_sets_the_pace(case, coalesce: bool):
    b12 = case("B12")
    model = b12["model"]
    network = chain(model["link_bandwidth_GBps"], model["chunk_bytes"], model["chunks"] * model["chunk_bytes"])
    assert float(end_ns(network, coalesce)) == near(b12["expected"]["finish_ns"])
    one = chain(model["link_bandwidth_GBps"], model["chunk_bytes"], model["chunk_bytes"])
    assert float(end_ns(one, coalesce)) == near(b12["expected"]["first_chunk_ns"])


def test_b12_buffers_of_two_chunks_change_nothing(case, coalesce: bool):
    model = case("B12")["model"]
    network = chain(model["link_bandwidth_GBps"], model["chunk_bytes"], model["chunks"] * model["chunk_bytes"])
    links = tuple(
        PlainLink(link.source, link.destination, link.bw_gbs, 0, buffer_bytes=2 * model["chunk_bytes"])
        for link in network.links
    )
    buffered = PlainNetwork(network.flit_bytes, network.hops, links, network.flows)
    assert end_ns(buffered, coalesce) == end_ns(network, coalesce)


def test_b13_a_link_is_as_fast_as_its_credits_come_back(case, coalesce: bool):
    b13 = case("B13")
    model = b13["model"]
    returns = ns_to_ticks(model["receiver_hold_ns"] + model["credit_return_ns"])
    for point in b13["expected"]["points"]:
        link = PlainLink(
            0,
            1,
            Fraction(model["link_bandwidth_GBps"]),
            ns_to_ticks(model["propagation_ns"]),
            buffer_bytes=point["buffers"] * model["flit_bytes"],
            credit_return=returns,
        )
        flow = PlainFlow(model["flits"] * model["flit_bytes"], (0,))
        network = PlainNetwork(model["flit_bytes"], (PlainHop(), PlainHop()), (link,), (flow,))
        assert end_ns(network, coalesce) == point["finish_last_flit_ns"]


def parking_lot(nodes: int, flits: list[int], buffer_flits: int) -> PlainNetwork:
    """Nodes in a chain, each sending to node 0; node 0 sends to itself, through its router and its ejection link."""
    sink, buffer = nodes, buffer_flits * 64
    links = [PlainLink(0, sink, Fraction(64), 0, "port_round_robin", buffer)]
    links += [PlainLink(k, k - 1, Fraction(64), 0, "port_round_robin", buffer) for k in range(1, nodes)]
    flows = tuple(PlainFlow(count * 64, tuple(range(k, -1, -1))) for k, count in enumerate(flits))
    return PlainNetwork(64, tuple(PlainHop() for _ in range(nodes + 1)), tuple(links), flows)


@pytest.mark.parametrize("buffer_flits", [2, 4])
def test_b60_ports_in_turn_halve_the_share_at_every_node(case, buffer_flits: int):
    # Each node sends its share of so many flits. Shares that are exact in the long run let all end together, up to a
    # number of flits that does not grow with the run.
    for point in case("B60")["expected"]["points"]:
        shares = [Fraction(share) for share in point["share"]]
        for total in (1024, 4096):
            ended = outcome(parking_lot(point["nodes"], [int(s * total) for s in shares], buffer_flits)).ended
            assert max(ended.values()) == total * 1000
            assert min(ended.values()) >= (total - 2 ** (point["nodes"] - 1) - point["nodes"]) * 1000
