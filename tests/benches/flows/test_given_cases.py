"""The given traffic cases through files: the analysis exactly, the machine within what flits and windows explain."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from benches.flows.fair import FairResult, fair, fair_by_ports
from benches.flows.read import read_traffic
from benches.flows.report import report_of
from benches.flows.run import run_traffic
from benches.flows.traffic import FlowOptions, Traffic
from tests.benches.fair_share.networks import CASES
from tests.components.fabric.bench_of_fabric import outcome
from tests.components.fabric.traffic import network_of, read


def case(shared: Path, name: str) -> tuple[Traffic, dict]:
    folder = shared / "cases" / "contention"
    return read_traffic(folder / f"{name}.json"), json.loads((folder / f"{name}.expected.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_every_flow_ends_when_fair_sharing_says_and_every_link_moves_its_bytes(shared: Path, name: str):
    traffic, expected = case(shared, name)
    assert traffic.options == FlowOptions(256, "flow_round_robin", 16, None)
    report = report_of(traffic)
    assert {f.name: f.fair_end_ns for f in report.flows} == pytest.approx(expected["fair_end_ns"], rel=1e-9)
    assert max(abs(flow.fair_error_pct) for flow in report.flows) <= 0.22  # far less than the bound that follows
    for flow in report.flows:
        assert abs(flow.end_ns - flow.fair_end_ns) <= flow.granularity_ns
    assert {f"{link.src}>{link.dst}": link.bytes for link in report.links} == expected["link_bytes"]
    assert report.makespan_ns >= expected["busiest_link_ns"]
    assert max(link.busy_ns for link in report.links) == pytest.approx(expected["busiest_link_ns"], rel=1e-9)


@pytest.mark.parametrize("window", [16, 4])
@pytest.mark.parametrize("buffer_bytes", [None, 512, 1024])
@pytest.mark.parametrize("name", ["A09-parking-merge", "A31-hotspot-hbm-limited"])
def test_ports_in_turn_end_as_the_alternative_says(shared: Path, name: str, buffer_bytes: int | None, window: int):
    traffic, expected = case(shared, name)
    options = FlowOptions(256, "port_round_robin", window, buffer_bytes)
    result = run_traffic(replace(traffic, options=options))
    by_ports = fair_by_ports(replace(traffic, options=options))
    assert isinstance(by_ports, FairResult)
    for spec, times, said in zip(traffic.flows, result.flows, by_ports.flows, strict=True):
        finish_ns = expected["port_round_robin"]["flows"][spec.name]["finish_ns"]
        assert said.end_ns == pytest.approx(finish_ns, rel=1e-9)
        assert float(times.end_ticks) / 1000 == pytest.approx(finish_ns, rel=0.002)


def test_ports_in_turn_without_anything_that_holds_sources_back_are_another_thing(shared: Path):
    traffic, expected = case(shared, "A31-hotspot-hbm-limited")
    result = run_traffic(replace(traffic, options=FlowOptions(256, "port_round_robin", None, None)))
    finish = expected["port_round_robin"]["flows"]
    errors = [
        abs(float(times.end_ticks) / 1000 / finish[spec.name]["finish_ns"] - 1)
        for spec, times in zip(traffic.flows, result.flows, strict=True)
    ]
    assert max(errors) > 0.15


def test_a_window_from_end_to_end_would_take_the_shares_of_ports_away(shared: Path):
    # The reason for ADR-0061 D3: the same fabric, with the window as it is under turns by flow.
    file = shared / "cases/contention/A09-parking-merge.json"
    expected = json.loads(file.with_suffix(".expected.json").read_text())["port_round_robin"]["flows"]
    content = read(file)
    ended = outcome(network_of(content, "port_round_robin", window=16)).ended
    errors = [ended[n] / 1000 / expected[f["name"]]["finish_ns"] - 1 for n, f in enumerate(content["flows"])]
    assert max(map(abs, errors)) > 0.6


def test_flows_in_turn_are_fair_where_ports_in_turn_are_not(shared: Path):
    traffic, _ = case(shared, "A09-parking-merge")
    there, ports = (
        run_traffic(traffic),
        run_traffic(replace(traffic, options=FlowOptions(arbitration="port_round_robin"))),
    )
    spread = [max(t.end_ticks for t in r.flows) / min(t.end_ticks for t in r.flows) for r in (there, ports)]
    assert spread[0] < 1.001
    assert spread[1] > 2.4


def test_b01_through_a_file_is_exact(shared: Path, tmp_path: Path):
    from tests.benches.flows.small import document, flow, link, traffic_of

    (file,) = (shared / "cases/packets").glob("B01-*.json")
    b01 = json.loads(file.read_text())
    model = b01["model"]
    flows = [flow(f["id"], ["a", "b"], f["bytes"], f["start_ns"]) for f in model["flows"]]
    links = [link("a", "b", model["link_bandwidth_GBps"])]
    traffic = traffic_of(tmp_path, document(links, flows, flit_bytes=model["chunk_bytes"]))
    result = run_traffic(traffic)
    assert [t.end_ticks / 1000 for t in result.flows] == list(b01["expected"]["finish_ns"].values())
    assert [f.end_ns for f in fair(traffic).flows] == list(b01["expected"]["fluid_finish_ns"].values())


def test_b60_through_a_file_gives_each_node_its_share(shared: Path, tmp_path: Path):
    from tests.benches.flows.small import document, flow, link, traffic_of

    (file,) = (shared / "cases/packets").glob("B60-*.json")
    for point in json.loads(file.read_text())["expected"]["points"]:
        nodes = point["nodes"]
        names = ["out", *(f"n{k}" for k in range(nodes))]
        links = [link(a, b) for b, a in pairwise(names)]
        flits = 4096
        # Every node has its share to send, so that all end together.
        flows = [
            flow(f"n{k}", list(reversed(names[: k + 2])), int(share * flits) * 256)
            for k, share in enumerate(point["share"])
        ]
        traffic = traffic_of(tmp_path, document(links, flows, arbitration="port_round_robin"))
        ends = [float(times.end_ticks) / 1000 for times in run_traffic(traffic).flows]
        assert flits * 4 <= max(ends) <= (flits + nodes) * 4
        assert min(ends) >= flits * 4 * 0.9
        by_ports = fair_by_ports(traffic)
        assert isinstance(by_ports, FairResult)
        assert [f.end_ns for f in by_ports.flows] == pytest.approx([flits * 4.0] * nodes, rel=1e-9)
