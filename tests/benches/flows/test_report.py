"""What the report says beyond the numbers: fairness, windows, buffers, standstills."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches.flows.fair import FairResult, fair_by_ports
from benches.flows.report import report_of
from benches.flows.run import run_traffic
from benches.flows.traffic import PORTS, FlowOptions
from benches.flows.words import fairness_of
from simcore.errors import InputError
from tests.benches.flows.small import document, flow, link, traffic_of


def merge(**options: object) -> dict:
    """Two flows from different parts into one link, and one on its own."""
    links = [link("a", "x"), link("b", "x"), link("x", "y"), link("p", "q")]
    flows = [flow("f", ["a", "x", "y"], 64_000), flow("g", ["b", "x", "y"], 64_000), flow("h", ["p", "q"], 64_000)]
    return document(links, flows, **options)


def test_the_cost_of_the_others_by_flow_and_by_link(tmp_path: Path):
    report = report_of(traffic_of(tmp_path, merge()))
    f, g, h = report.flows
    assert (f.alone_end_ns, g.alone_end_ns, h.alone_end_ns) == (1004, 1004, 1000)
    assert (f.cost_ns, g.cost_ns, h.cost_ns) == (996, 1000, 0)
    assert [(part.src, part.dst, part.cost_ns) for part in g.cost_by_link] == [("x", "y", 1000)]
    assert {(k.src, k.dst): k.cost_ns for k in report.links} == {
        ("a", "x"): 0,
        ("b", "x"): 0,
        ("x", "y"): 1996,
        ("p", "q"): 0,
    }
    assert (report.makespan_ns, [k.utilisation for k in report.links][3]) == (2004, pytest.approx(1000 / 2004))
    assert (f.bottleneck, h.bottleneck, h.slowdown) == (("x", "y"), ("p", "q"), 1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (FlowOptions(), ["max-min fair share", "at most 16 flits under way"]),
        (FlowOptions(window_flits=None), ["Nothing holds a source back", "in nobody's way"]),
        (FlowOptions(buffer_bytes=1024), ["share the 1024 bytes of buffer", "holds up those behind it"]),
        (FlowOptions(arbitration=PORTS), ["inputs take turns", "4096 bytes of buffer", "16 flits held at each link"]),
        (FlowOptions(arbitration=PORTS, buffer_bytes=512), ["held back by the 512 bytes of buffer behind each link."]),
        (FlowOptions(arbitration=PORTS, window_flits=None), ["inputs take turns", "short ones wait behind long ones"]),
        (FlowOptions(arbitration="fifo"), ["as they come", "not its max-min fair share", "at most 16 flits"]),
    ],
)  # fmt: skip
def test_each_arbitration_says_what_it_means(options: FlowOptions, words: list[str]):
    said = fairness_of(options)
    assert all(word in said for word in words)


def test_a_window_below_what_the_way_holds_is_noted_and_costs_the_flow_even_alone(tmp_path: Path):
    links = [link(f"n{k}", f"n{k + 1}", overhead_ns=20) for k in range(4)]
    flows = [flow("far", [f"n{k}" for k in range(5)], 65_536), flow("near", ["n0", "n1"], 65_536)]
    far, near = report_of(traffic_of(tmp_path, document(links, flows, window_flits=8))).flows
    assert far.note is not None
    assert far.note.startswith("a window of 8 flits over 4 links holds it back: alone it takes ")
    assert far.note.endswith(" longer than without, and 24 flits would keep its slowest link busy")
    assert near.note is None
    far, _ = report_of(traffic_of(tmp_path, document(links, flows, window_flits=24))).flows
    assert far.note is None


def test_buffers_that_do_not_cover_a_links_way_there_and_back_are_noted(tmp_path: Path):
    flows = [flow("f", ["a", "b"], 65_536)]
    content = document([link("a", "b", overhead_ns=50)], flows, buffer_bytes=512)
    (told,) = report_of(traffic_of(tmp_path, content)).flows
    assert told.note is not None
    assert told.note.startswith("the buffers of 512 bytes behind its links hold it back")


def test_the_analysis_by_ports_stands_beside_and_says_why_it_does_not_apply(tmp_path: Path):
    report = report_of(traffic_of(tmp_path, merge(arbitration=PORTS)))
    assert report.by_ports == "does not apply: flows end at 2 different parts: y, q"
    assert [f.by_ports_end_ns for f in report.flows] == [None] * 3
    assert report_of(traffic_of(tmp_path, merge())).by_ports is None
    content = merge(arbitration=PORTS)
    del content["flows"][2]
    report = report_of(traffic_of(tmp_path, content))
    assert report.by_ports == "applies"
    assert [f.by_ports_end_ns for f in report.flows] == [2000, 2000]
    assert max(abs(f.by_ports_error_pct) for f in report.flows) < 0.5


def test_flows_that_start_at_one_part_share_its_turns(tmp_path: Path):
    links = [link("a", "x"), link("x", "y")]
    flows = [flow("f", ["a", "x", "y"], 256_000), flow("g", ["a", "x", "y"], 256_000), flow("h", ["x", "y"], 256_000)]
    traffic = traffic_of(tmp_path, document(links, flows, arbitration=PORTS))
    by_ports = fair_by_ports(traffic)
    assert isinstance(by_ports, FairResult)
    assert [f.end_ns for f in by_ports.flows] == [12_000, 12_000, 8000]
    for times, said in zip(run_traffic(traffic).flows, by_ports.flows, strict=True):
        assert float(times.end_ticks) / 1000 == pytest.approx(said.end_ns, rel=0.02)


def test_a_part_that_takes_transfers_in_as_a_whole_parts_a_flow_in_two(tmp_path: Path):
    links = [link("a", "pcie", 64, 1), link("pcie", "b", 32)]
    content = document(links, [flow("f", ["a", "pcie", "b"], 64_000)])
    content["graph"]["nodes"] = ["a", {"name": "pcie", "kind": "pcie_endpoint", "parameters": {"overhead_ns": 5}}, "b"]
    (told,) = report_of(traffic_of(tmp_path, content)).flows
    assert told.fair_end_ns == told.end_ns == told.alone_end_ns == 1000 + 1 + 5 + 2000
    content["options"] = {"arbitration": PORTS}
    assert "takes transfers in as a whole" in str(report_of(traffic_of(tmp_path, content)).by_ports)


def test_flows_that_stop_each_other_for_good_are_told_with_the_circle(tmp_path: Path):
    names = ["a", "b", "c", "d"]
    links = [link(names[k], names[(k + 1) % 4]) for k in range(4)]
    flows = [flow(f"f{k}", [names[(k + j) % 4] for j in range(4)], 65_536) for k in range(4)]
    content = document(links, flows, buffer_bytes=512)
    traffic = traffic_of(tmp_path, content)
    with pytest.raises(InputError, match="links wait for each other in a circle, a -> b -> c -> d -> a"):
        run_traffic(traffic)
    del content["options"]
    assert run_traffic(traffic_of(tmp_path, content)).makespan_ns > 0
