"""Traffic files: what they may say, and every fault at its place, all at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from benches.flows.read import read_traffic
from benches.flows.report import report_of
from benches.flows.run import run_traffic
from benches.flows.traffic import FlowOptions
from simcore.errors import InputError
from tests.benches.flows.small import document, flow, link, problems_of, traffic_of
from topology.loader import load_system

HEAD = "schema: kernbench.traffic/1\n"
LINK = "bw_gbs: 100, length_mm: 0, overhead_ns: 0"
GRAPH = f"graph: {{nodes: [alpha, beta], links: [{{src: alpha, dst: beta, {LINK}}}]}}\n"
FINE = HEAD + GRAPH + "flows:\n- {name: f0, src: alpha, dst: beta, bytes: 1000}\n"


def test_the_file_of_the_format_in_yaml_and_its_defaults(tmp_path: Path):
    traffic = traffic_of(tmp_path, FINE)
    (spec,) = traffic.flows
    assert (spec.name, spec.src, spec.dst, spec.nbytes, spec.start_ns, spec.path, spec.after) == (
        "f0", "alpha", "beta", 1000, 0, None, (),
    )  # fmt: skip
    assert traffic.in_force == FlowOptions(256, "flow_round_robin", 16, None)
    assert (traffic.name, traffic.system.ns_per_mm) == ("t", Fraction(1, 100))


def test_options_stand_in_for_those_of_the_system_and_null_is_unbounded(tmp_path: Path):
    more = "options: {window_flits: null, buffer_bytes: 512, arbitration: fifo}\n"
    assert traffic_of(tmp_path, FINE + more).in_force == FlowOptions(256, "fifo", None, 512)
    named = HEAD + "topology: mesh_4x4_small\nflows: [{name: f, src: mesh.r0c0, dst: mesh.r3c3, bytes: 512}]\n"
    shipped = load_system("mesh_4x4_small")
    assert traffic_of(tmp_path, named).in_force == FlowOptions.of(shipped)
    own = traffic_of(tmp_path, named + "options: {flit_bytes: 64}\n").in_force
    assert own == FlowOptions(64, shipped.arbitration, shipped.window_flits, shipped.buffer_bytes)


def test_a_topology_file_is_sought_beside_the_traffic_file(tmp_path: Path):
    from tests.topology.small import GRAPH as TOPOLOGY

    (tmp_path / "own.yaml").write_text(TOPOLOGY)
    traffic = traffic_of(tmp_path, HEAD + "topology: own.yaml\nflows: [{name: f, src: a, dst: c, bytes: 100}]\n")
    assert (traffic.system.name, traffic.in_force.arbitration) == ("small", "fifo")
    assert run_traffic(traffic).routes[0].nodes == ("a", "b", "c")


def test_a_fault_of_the_topology_file_is_told_at_its_place(tmp_path: Path):
    (tmp_path / "own.yaml").write_text("schema: kernbench.topology/1\nname: x\nsystm: {}\n")
    with pytest.raises(InputError) as refused:
        traffic_of(tmp_path, HEAD + "topology: own.yaml\nflows: [{name: f, src: a, dst: c, bytes: 100}]\n")
    assert any(
        str(problem).startswith(f"{tmp_path / 'own.yaml'}:3:1: unknown key") for problem in refused.value.problems
    )


def one(entry: str) -> str:
    """A file with that flow at line 4."""
    return HEAD + GRAPH + f"flows:\n- {{{entry}}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FINE, []),
        (HEAD + GRAPH, ['1:1: missing key "flows"']),
        (HEAD + GRAPH + "flows: []\n", ["3:8: flows: there is none"]),
        (HEAD + "flows: [{name: f, src: a, dst: b, bytes: 1}]\n",
         ['1:1: expected either the key "topology" or the key "graph"']),
        (FINE + "topology: trn2\n",
         ['1:1: expected either the key "topology" or the key "graph" (both are there: leave one out)']),
        (HEAD + "topology: trn22\nflows: [{name: f, src: a, dst: b, bytes: 1}]\n",
         ['2:11: topology: "trn22": no such file, and no system of that name (allowed: kernbench_2x4x4, '
          'mesh_4x4_small, trn1, trn2, trn3; did you mean "trn2"?)']),
        (FINE.replace("traffic/1", "trafic/1"),
         ['1:9: schema: unknown word "kernbench.trafic/1" (allowed: kernbench.traffic/1; did you mean '
          '"kernbench.traffic/1"?)']),
        (FINE + "option: {}\n",
         ['5:1: unknown key "option" (allowed: schema, name, about, topology, graph, flows, options; did you mean '
          '"options"?)']),
        (one("name: f, src: alpa, dst: beta, bytes: 1"),
         ['4:18: src: no part is called "alpa" (allowed: alpha, beta; did you mean "alpha"?)']),
        (one("name: f, src: beta, dst: alpha, bytes: 1"),
         ["4:3: no way from beta to alpha over the links of DATA"]),
        (one("name: f, src: alpha, dst: beta, bytes: -1"), ["4:43: bytes: must be 0 or more bytes, not -1"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1.5"),
         ["4:43: bytes: expected a whole number of bytes, got 1.5"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1000000000000000000000000000000"),
         ["4:43: bytes: must be at most 1099511627776 bytes, not 1000000000000000000000000000000"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1e400"),
         ['4:43: "1e400" is not a readable number (allowed: 0, or from 1e-100 to 1e100 in size)']),
        (one("name: f, src: alpha, dst: beta, bytes: 1, after: 1.5"),
         ["4:53: after: expected a list, got the number 1.5"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1e3"), []),
        (one("name: f, src: alpha, dst: beta, bytes: 1073741824") + "options: {flit_bytes: 1}\n",
         ["3:1: flows: 1073741824 flits to serve over all links would take hours (allowed: 1000000000; larger flits or "
          "smaller transfers make fewer)"]),
        (one("name: f, src: alpha, dst: beta, bytes: much"),
         ['4:43: bytes: expected a whole number of bytes, got the text "much"']),
        (one("name: f, src: alpha, dst: beta"),
         ['4:3: flow: "bytes" is missing (nothing has a silent default: write it, or name a template that has it)']),
        (one("src: alpha, dst: beta, bytes: 1"), ['4:3: missing key "name"']),
        (one('name: "", src: alpha, dst: beta, bytes: 1'),
         ['4:10: name: "" is no name (allowed: characters that can be printed on one line)']),
        (one('name: "a\\e[31m", src: alpha, dst: beta, bytes: 1'),
         ['4:10: name: "a\\x1b[31m" is no name (allowed: characters that can be printed on one line)']),
        ('name: "a\\nb"\n' + FINE,
         ['1:7: name: "a\\nb" is no name (allowed: characters that can be printed on one line)']),
        (one("name: f, src: alpha, dst: beta, bytes: 1, start_ns: -5"),
         ["4:56: start_ns: must be from 0 to 1000000000000 ns, not -5"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1, start_ns: 1e15"),
         ["4:56: start_ns: must be from 0 to 1000000000000 ns, not 1000000000000000"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1, start_ns: .nan"),
         ["4:56: start_ns: expected a number of ns, got NaN"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1, start: 5"),
         ['4:46: unknown key "start" (allowed: name, src, dst, path, after, bytes, start_ns; did you mean "start_ns"?)'
          ": start_ns is in ns"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1, path: [beta]"),
         ["4:52: path: does not lead from alpha to beta"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1, path: []"),
         ["4:52: path: does not lead from alpha to beta"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1, path: [alpha, gamma, beta]"),
         ['4:52: path: no part "gamma" (allowed: alpha, beta)']),
        (one("name: f, src: alpha, dst: alpha, bytes: 1, path: [alpha, beta, alpha]"),
         ["4:53: path: no link leads from beta to alpha"]),
        (one("name: f, src: alpha, dst: beta, bytes: 1, after: [g]"),
         ['4:54: after: no flow is called "g" (allowed: f)']),
        (one("name: f, src: alpha, dst: beta, bytes: 1, after: [f]"),
         ["4:46: after: flows wait for each other in a circle: f -> f"]),
        (FINE + "- {name: f0, src: alpha, dst: beta, bytes: 1}\n",
         ['5:10: a second flow called "f0" (the first is at line 4)']),
        (FINE + "options: {arbitration: round_robin}\n",
         ['5:24: arbitration: unknown word "round_robin" (allowed: flow_round_robin, port_round_robin, fifo; did you '
          'mean "port_round_robin"?)']),
        (FINE + "options: {window_flits: 0}\n", ["5:25: window_flits: must be above 0 flits, not 0"]),
        (FINE + "options: {buffer_bytes: 100}\n",
         ["5:25: buffer_bytes: 100 bytes can never hold a flit of 256 bytes (allowed: 256 or more)"]),
        (FINE + "options: {window: 4}\n",
         ['5:11: unknown key "window" (allowed: flit_bytes, arbitration, window_flits, buffer_bytes, '
          'ns_per_mm; did you mean "window_flits"?): window_flits is in flits']),
        (FINE + "options: 4\n", ["5:10: options: expected a mapping, got the number 4"]),
        (FINE.replace("}]}", f"}}, {{src: alpha, dst: beta, {LINK}}}]}}"),
         ['2:107: a second link from "alpha" to "beta" (the first is at line 2)']),
        (FINE.replace("dst: beta, bw", "dst: betta, bw"),
         ['2:57: dst: no part is called "betta" (did you mean "beta"?)']),
        (HEAD + GRAPH + "flows: 5\n", ["3:8: flows: expected a list, got the number 5"]),
        (HEAD + GRAPH + "flows: [7]\n", ["3:9: flows: expected a mapping, got the number 7"]),
        ("[1]", ["1:1: expected traffic, got a list"]),
    ],
)  # fmt: skip
def test_every_fault_is_told_with_its_place(tmp_path: Path, text: str, expected: list[str]):
    assert problems_of(tmp_path, text) == expected


def test_all_faults_of_a_file_come_at_once(tmp_path: Path):
    text = HEAD + GRAPH + (
        "flows:\n"
        "- {name: f, src: alpa, dst: beta, bytes: -1}\n"
        "- {name: g, src: alpha, dst: bet, bytes: 1, after: [h]}\n"
        "- {name: g, src: alpha, dst: beta, bytes: 1, path: [alpha]}\n"
        "options: {flit_bytes: 0}\n"
    )  # fmt: skip
    places = [problem.split(": ")[0] for problem in problems_of(tmp_path, text)]
    assert places == ["4:18", "4:42", "5:30", "5:53", "6:10", "6:52", "7:23"]


@pytest.mark.parametrize("fault", ["bytes: -1", "bytes: 1, start_ns: soon", "bytes: 1, path: 7", "bytes: 1, size: 2"])
def test_a_flow_with_a_fault_is_still_there_for_those_that_come_after_it(tmp_path: Path, fault: str):
    flows = f"flows:\n- {{name: f, src: alpha, dst: beta, {fault}}}\n"
    later = "- {name: g, src: alpha, dst: beta, bytes: 1, after: [f]}\n- {name: f, src: alpha, dst: beta, bytes: 1}\n"
    first, second = problems_of(tmp_path, HEAD + GRAPH + flows + later)
    assert first.startswith("4:")
    assert second == '6:10: a second flow called "f" (the first is at line 4)'


def test_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        read_traffic(tmp_path / "none.yaml")


def test_flows_in_a_circle_are_named(tmp_path: Path):
    flows = [flow(name, ["a", "b"], 1, after=[other]) for name, other in (("f", "g"), ("g", "h"), ("h", "f"))]
    (problem,) = problems_of(tmp_path, document([link("a", "b")], flows))
    assert problem.endswith("after: flows wait for each other in a circle: f -> g -> h -> f")


def test_a_link_twice_on_a_path_is_refused(tmp_path: Path):
    links = [link("a", "b"), link("b", "a"), link("b", "c")]
    (problem,) = problems_of(tmp_path, document(links, [flow("f", ["a", "b", "a", "b", "c"], 1)]))
    assert problem.endswith("path: the link from a to b stands twice on it")


def test_a_flow_to_itself_and_one_of_no_bytes_have_plain_answers(tmp_path: Path):
    flows = [
        {"name": "self", "src": "a", "dst": "a", "bytes": 4096, "start_ns": 5},
        flow("stay", ["a"], 4096, 6),
        flow("empty", ["a", "b"], 0, 7),
        flow("next", ["a", "b"], 640, after=["empty", "self"]),
    ]
    report = report_of(traffic_of(tmp_path, document([link("a", "b", 64, overhead_ns=3)], flows)))
    told = {
        f.name: (f.start_ns, f.end_ns, f.fair_end_ns, f.alone_end_ns, f.mean_gbs, f.bottleneck) for f in report.flows
    }
    assert told == {
        "self": (5, 5, 5, 5, None, None),
        "stay": (6, 6, 6, 6, None, None),
        "empty": (7, 10, 10, 10, 0, None),
        "next": (10, 23, 23, 23, pytest.approx(640 / 13), ("a", "b")),
    }
    assert [(k.src, k.dst, k.bytes, k.flows) for k in report.links] == [("a", "b", 640, 2)]
    assert [f.fair_error_pct for f in report.flows] == [0, 0, 0, 0]


def test_a_flow_may_come_after_one_that_stands_further_down(tmp_path: Path):
    flows = [
        flow("last", ["a"], 1, after=["middle"]),
        flow("middle", ["a"], 1, after=["f"]),
        flow("f", ["a", "b"], 640),
    ]
    report = report_of(traffic_of(tmp_path, document([link("a", "b")], flows)))
    assert [(f.start_ns, f.end_ns, f.fair_end_ns) for f in report.flows] == [(10, 10, 10), (10, 10, 10), (0, 10, 10)]
    own = 2 * 256 / 64 + 10  # two flits, and all of it as its window is larger
    assert [f.granularity_ns for f in report.flows] == [own] * 3


def test_a_link_takes_the_time_of_its_length(tmp_path: Path):
    content = document([link("a", "b", 64, length_mm=100)], [flow("f", ["a", "b"], 640)])
    report = report_of(traffic_of(tmp_path, content))
    assert report.flows[0].end_ns == report.flows[0].fair_end_ns == 11
    assert report.notes == ["links take 0.01 ns per mm (options: ns_per_mm)"]
    report = report_of(traffic_of(tmp_path, {**content, "options": {"ns_per_mm": 0.5}}))
    assert (report.flows[0].end_ns, report.notes) == (60, [])
