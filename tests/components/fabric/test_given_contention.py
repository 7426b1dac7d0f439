"""The given traffic cases: every flow ends when max-min fairness says, and with ports in turn where that says."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from tests.components.fabric.bench_of_fabric import built, outcome
from tests.components.fabric.traffic import network_of, read

CASES = [
    "A01-incast-02",
    "A05-incast-12-mixed",
    "A08-parking-cross",
    "A09-parking-merge",
    "A13-disjoint",
    "A15-duplex",
    "A19-overlap-2",
    "A22-hol",
    "A23-late",
    "A31-hotspot-hbm-limited",
    "A37-ring-ag-row4",
]


@pytest.fixture
def case(shared: Path):
    def load(name: str):
        folder = shared / "cases" / "contention"
        return read(folder / f"{name}.json"), read(folder / f"{name}.expected.json")

    return load


def errors_pct(traffic: dict, ended: dict, expected_ns: dict) -> list[float]:
    """How far each flow's end is off, in per cent."""
    names = [flow["name"] for flow in traffic["flows"]]
    return [float(abs(ended[i] / 1000 / expected_ns[name] - 1) * 100) for i, name in enumerate(names)]


def test_there_is_no_case_that_is_not_tried(shared: Path):
    given = {file.name.removesuffix(".expected.json") for file in (shared / "cases/contention").glob("*.expected.json")}
    assert given == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_flows_in_turn_come_to_max_min_fairness_and_every_link_moves_their_bytes(case, name: str):
    traffic, expected = case(name)
    network = network_of(traffic)
    machine = built(network)
    result = outcome(network, machine=machine)
    errors = errors_pct(traffic, result.ended, expected["fair_end_ns"])
    assert median(errors) <= 0.05
    assert max(errors) <= 0.2
    assert max(result.ended.values()) / 1000 >= expected["busiest_link_ns"]
    drawn = traffic["graph"]["links"]
    moved = {f"{a['src']}>{a['dst']}": link.moved_bytes for a, link in zip(drawn, machine.links, strict=True)}
    assert {link: nbytes for link, nbytes in moved.items() if nbytes} == expected["link_bytes"]


@pytest.mark.parametrize("name", ["A09-parking-merge", "A31-hotspot-hbm-limited"])
@pytest.mark.parametrize("window", [16, None])
def test_ports_in_turn_with_buffers_favour_those_who_are_near(case, name: str, window: int | None):
    traffic, expected = case(name)
    result = outcome(network_of(traffic, "port_round_robin", window=window, buffer_bytes=1024))
    finish_ns = {flow: entry["finish_ns"] for flow, entry in expected["port_round_robin"]["flows"].items()}
    assert max(errors_pct(traffic, result.ended, finish_ns)) <= 0.1
