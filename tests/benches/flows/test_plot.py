"""The picture of a run: throughput in time and busy links, the same bytes every time."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benches.flows.plot import MOST_LINES, plot_of
from benches.flows.report import report_of
from benches.flows.throughput import throughput
from benches.flows.traffic import FlowSpec, Traffic
from tests.benches.flows.small import document, flow, link, traffic_of
from topology.loader import load_system

SVG = "{http://www.w3.org/2000/svg}"


def lines(svg: str, css: str) -> list[str]:
    """The points of the lines of that class."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}polyline")
    return [line.attrib["points"] for line in found if css in line.attrib["class"].split()]


def test_two_flows_and_their_links(tmp_path: Path):
    links = [link("a", "x"), link("b", "x"), link("x", "y"), link("y", "x")]
    flows = [flow("f", ["a", "x", "y"], 64_000), flow("g", ["b", "x", "y"], 64_000), flow("h", ["x"], 5)]
    traffic = traffic_of(tmp_path, document(links, flows))
    picture = plot_of(traffic, report_of(traffic))
    assert picture == plot_of(traffic, report_of(traffic))
    assert len(lines(picture, "measured")) == 2 * 3  # each flow's line, and its sample in the key
    assert len(lines(picture, "h9")) == 1 + 1  # x -> y is busy all the time; and the scale
    assert len(lines(picture, "h4")) == 2 + 1  # both ways in are busy for a little less than half of the time
    assert len(lines(picture, "link")) == 1  # y -> x has no traffic
    assert "100%" in picture


def test_the_analysis_beside_the_run_is_that_of_its_arbitration_where_there_is_one(tmp_path: Path):
    links = [link("a", "x"), link("b", "x"), link("x", "y")]
    flows = [flow(f"a{n}", ["a", "x", "y"], 64_000) for n in range(2)] + [flow("b", ["b", "x", "y"], 64_000)]
    for options, words, drawn in (
        ({}, "max-min fair", 2),
        ({"arbitration": "port_round_robin"}, "by turns of router inputs", 3),
    ):
        traffic = traffic_of(tmp_path, document(links, flows, **options))
        picture = plot_of(traffic, report_of(traffic))
        assert f"dashed: {words}" in picture
        corners = [len(line.split()) for line in lines(picture, "said")]
        assert len(corners) == 3 and max(corners) == 2 * drawn + 1
    apart = document([*links, link("x", "z")], [*flows, flow("c", ["b", "x", "z"], 64)], arbitration="port_round_robin")
    traffic = traffic_of(tmp_path, apart)
    assert "dashed: max-min fair" in plot_of(traffic, report_of(traffic))


def test_what_is_delivered_in_time_adds_up_to_the_bytes(tmp_path: Path):
    traffic = traffic_of(
        tmp_path, document([link("a", "b")], [flow("f", ["a", "b"], 64_000), flow("g", ["a", "b"], 640)])
    )
    bounds, rows = throughput(traffic, [0, 1], 10)
    assert (bounds[0], bounds[-1]) == (0, 1010)
    assert rows @ np.diff(bounds) == pytest.approx([64_000, 640])
    assert rows.sum(axis=0).max() <= 64 * 1.05


def test_of_many_flows_the_dearest_are_drawn(tmp_path: Path):
    flows = [flow(f"f{n}", ["a", "b"], 25_600) for n in range(MOST_LINES + 3)]
    traffic = traffic_of(tmp_path, document([link("a", "b")], flows))
    picture = plot_of(traffic, report_of(traffic))
    assert f"the {MOST_LINES} flows that others cost most" in picture
    assert len(lines(picture, "measured")) == 2 * MOST_LINES


def test_a_hierarchy_is_drawn_where_its_parts_lie():
    system = load_system("kernbench_2x4x4")
    dma, far = "sip0.cube0.pe0.pe_dma", "sip1.cube5.hbm_ctrl.pe3"
    traffic = Traffic(
        "two", system, (FlowSpec("f", dma, far, 8192), FlowSpec("g", dma, "sip0.cube0.hbm_ctrl.pe1", 8192))
    )
    report = report_of(traffic)
    picture = plot_of(traffic, report)
    titles = {title.text for title in ElementTree.fromstring(picture).iter(f"{SVG}title")}
    assert {dma, far, "fabric.switch0"} <= titles
    assert len(lines(picture, "heat")) == len(report.links) + 10
