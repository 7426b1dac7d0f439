"""Everything that can be wrong with a free graph is found where it stands, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.errors import InputError
from tests.topology.small import GRAPH, HEAD, LINE, problems_of, written
from topology.check import check_file
from topology.loader import load_system

AB = f"{{src: a, dst: b, both_ways: true, {LINE}}}"


def graph(nodes: str, *links: str, more: str = "") -> str:
    """A file with these nodes, from line 5, and these links, from line 7."""
    rows = "".join(f"  - {link}\n" for link in links)
    return f"{HEAD}graph:\n  nodes: [{nodes}]\n  links:\n{rows}{more}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            graph("a, b, {name: a}", AB),
            ['5:17: missing key "kind" (or "template")', '5:17: a second part called "a" (the first is at line 5)'],
        ),
        (graph("a, b", AB, AB), ['8:5: a second link from "a" to "b" (the first is at line 7)',
                                 '8:5: a second link from "b" to "a" (the first is at line 7)']),
        (
            graph("a, b, beta", AB, f"{{src: b, dst: betta, {LINE}}}", f"{{src: b, dst: beta, one_way: true, {LINE}}}"),
            ['8:19: dst: no part is called "betta" (did you mean "beta"?)'],
        ),
        (
            graph("a, b", f"{{src: a, dst: b, {LINE}}}"),
            ["7:5: one-way link: nothing leads back from b to a (add both_ways: true, or one_way: true "
             "if that is meant)"],
        ),
        (graph("a, b", f"{{src: a, dst: a, {LINE}}}", AB), ['7:5: a link from "a" to itself']),
        (
            graph("a, b, c, d, e", AB, f"{{src: d, dst: e, both_ways: true, {LINE}}}", AB.replace("dst: b", "dst: c")),
            ["5:20: unreachable part: no links lead from d to the rest of the system",
             "5:23: unreachable part: no links lead from e to the rest of the system"],
        ),
        (graph("a, b", AB.replace("bw_gbs: 100", "bw_gbs: 0")), ["7:47: bw_gbs: must be above 0 GB/s, not 0"]),
        (graph("a, b", AB.replace("bw_gbs: 100", "bw_gbs: -2.5")), ["7:47: bw_gbs: must be above 0 GB/s, not -2.5"]),
        (
            graph("a, b", AB.replace("bw_gbs: 100", "bw_gbs: .nan")),
            ["7:47: bw_gbs: expected a number of GB/s, got NaN"],
        ),
        (
            graph("a, b", AB.replace("bw_gbs: 100", "bw_gbs: .inf")),
            ["7:47: bw_gbs: expected a number of GB/s, got infinity"],
        ),
        (
            graph("a, b", AB.replace("bw_gbs: 100", "bw_gbs: 100 GB/s")),
            ['7:47: bw_gbs: expected a number of GB/s, got the text "100 GB/s"'],
        ),
        (
            graph("a, b", AB.replace("bw_gbs: 100", "bw_gbs: true")),
            ["7:47: bw_gbs: expected a number of GB/s, got a boolean"],
        ),
        (graph("a, b", AB.replace("length_mm: 1", "length_mm: -1")), ["7:63: length_mm: must be 0 or more mm, not -1"]),
        (
            graph("a, b", AB.replace("length_mm: 1, ", "")),
            ['7:5: link: "length_mm" is missing, in mm (write it, or give both ends a pos_mm)'],
        ),
        (
            graph("a, b", AB.replace(", overhead_ns: 0", "")),
            ['7:5: link: "overhead_ns" is missing, in ns (nothing has a silent default: write it, or name a template '
             "that has it)"],
        ),
        (
            graph("a, b", AB.replace("overhead_ns: 0", "overhead: 0")),
            ['7:5: link: "overhead_ns" is missing, in ns (nothing has a silent default: write it, or name a template '
             "that has it)",
             '7:66: unknown key "overhead" (allowed: src, dst, for, template, both_ways, one_way, bw_gbs, overhead_ns, '
             'length_mm, routing_weight_mm, impl; did you mean "overhead_ns"?): overhead_ns is in ns'],
        ),
        (
            graph("a, {name: b, kind: router, parameters: {overhead: 3}}", AB),
            ["5:30: router: overhead_ns: is missing (it has no default)",
             '5:61: router: overhead: unknown parameter (allowed: overhead_ns; did you mean "overhead_ns"?)'],
        ),
        (
            graph("a, {name: b, kind: router, parameters: {overhead_ns: .nan}}", AB),
            ["5:64: overhead_ns: expected a number of ns, got NaN"],
        ),
        (
            graph("a, {name: b, kind: router, impl: fast, parameters: {overhead_ns: 1}}", AB),
            ['5:44: unknown impl "fast" of router (allowed: latency)'],
        ),
        (
            graph("a, {name: b, kind: neuron_core, parameters: {generation: trn4}}", AB),
            ["5:68: neuron_core: generation: unknown generation 'trn4' "
             '(allowed: core_v4, gen3, inferentia, sunda, trn1, trn2, trn3; did you mean "trn3"?)'],
        ),
        (
            graph('a, "b c"', AB),
            ['5:14: name: "b c" is no name (allowed: words joined by points: pe0.tcm)',
             '7:19: dst: no part is called "b"'],
        ),
        (
            graph('a, b, {name: "d{i}", for: {j: 2}, kind: node}', AB),
            ["5:24: name: {i} is no counter of the entry (allowed: j)"],
        ),
        (
            graph('a, b, {name: "d{i}", for: {i: 0}, kind: node}', AB),
            ["5:41: for: i must be a whole number above 0, not 0"],
        ),
        (
            graph("a, b", f"{{src: a, dst: b, both_ways: true, one_way: true, {LINE}}}"),
            ["7:39: one_way: the link is both_ways already"],
        ),
        (f"{HEAD}graph: {{}}\n", ["4:8: graph: there is no part in it"]),
        (f"{HEAD}graph: [a]\n", ["4:8: graph: expected a mapping, got a list"]),
        (HEAD, ['1:1: missing key "graph" (or, for a hierarchy: sips, sip, cube, pe)']),
        (
            f"{HEAD}graph: {{nodes: [a]}}\nsip: {{}}\n",
            ['5:1: sip: does not go with "graph" (a free graph has no packages)'],
        ),
        (
            GRAPH.replace("name: small", "name: 3").replace("topology/1", "topology/2"),
            ['1:9: schema: unknown word "kernbench.topology/2" (allowed: kernbench.topology/1; '
             'did you mean "kernbench.topology/1"?)',
             "2:7: name: expected text, got the number 3"],
        ),
        (
            GRAPH.replace("arbitration: fifo", "arbitration: lifo").replace("flit_bytes: 256", "flit_byte: 2"),
            ['3:9: system: "flit_bytes" is missing, in bytes (nothing has a silent default: write it, or name a '
             "template that has it)",
             '3:27: unknown key "flit_byte" (allowed: ns_per_mm, flit_bytes, window_flits, buffer_bytes, '
             'arbitration, ucie_spreading; did you mean "flit_bytes"?): flit_bytes is in bytes',
             '3:54: arbitration: unknown word "lifo" (allowed: flow_round_robin, port_round_robin, fifo; '
             'did you mean "fifo"?)'],
        ),
        (
            graph("a, m.r0c1", AB.replace("dst: b", "dst: m.r0c1"), more="  meshes:\n  - {name: m, w: 2, h: 2, "
                  f"pitch_mm: [1, 1], holes: [r2c0, r0c0, r0c0, x], router: {{kind: node}}, link: {{{LINE}}}}}\n"),
            ['5:14: a second part called "m.r0c1" (the first is at line 9)',
             "9:53: r2c0 is outside the 2 x 2 mesh (allowed: r0c0 to r1c1)",
             "9:65: r0c0 stands twice in the list",
             '9:71: expected a router such as r0c1, got "x"'],
        ),
    ],
)  # fmt: skip
def test_a_fault_is_named_where_it_stands(tmp_path: Path, text: str, expected: list[str]):
    assert problems_of(tmp_path, text) == expected


def test_all_faults_of_a_file_come_at_once_in_file_order(tmp_path: Path):
    text = graph(
        "a, b, a, alone",
        f"{{src: a, dst: b, {LINE}}}".replace("100", ".nan"),
        f"{{src: a, dst: bb, {LINE}}}",
        f"{{src: b, dst: a, {LINE}, bandwith_gbs: 3}}".replace("bw_gbs: 100, ", "bw_gbs: 0, "),
    ).replace("flit_bytes: 256", "flit_bytes: 0")
    assert [line.split(": ", 1)[0] for line in problems_of(tmp_path, text)] == [
        "3:39", "5:17", "5:20", "7:30", "8:19", "9:30", "9:63",
    ]  # fmt: skip


def test_an_unknown_kind_of_part_is_named_with_the_nearest_one(tmp_path: Path):
    (problem,) = problems_of(tmp_path, graph("a, {name: b, kind: roter}", AB))
    assert problem.startswith('5:30: unknown kind of part "roter" (allowed: barrier_lane, descriptor_ring, ')
    assert problem.endswith('; did you mean "router"?)')


def test_a_one_way_link_that_says_so_is_fine(tmp_path: Path):
    assert problems_of(tmp_path, graph("a, b", f"{{src: a, dst: b, one_way: true, {LINE}}}")) == []


def test_loading_refuses_what_cannot_be_built_and_takes_what_only_concerns_its_use(tmp_path: Path):
    one_way = written(tmp_path, graph("a, b", f"{{src: a, dst: b, {LINE}}}"))
    assert load_system(one_way).graph.number_of_edges() == 1
    with pytest.raises(InputError) as caught:
        load_system(written(tmp_path, graph("a, b", AB.replace("100", "0"))))
    assert str(caught.value) == f"{one_way}:7:47: bw_gbs: must be above 0 GB/s, not 0"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gone.yaml", None, "cannot be read: No such file or directory"),
        ("t.yaml", "- a\n", "expected a topology, got a list"),
        ("t.yaml", "a: 1\na: 2\n", 'the key "a" stands twice in one mapping'),
        ("t.yaml", "a: *b\n", "alias *b (not allowed: write the value out)"),
    ],
)
def test_a_file_that_is_no_document_is_refused(tmp_path: Path, name: str, content: str | None, message: str):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    assert [problem.message for problem in check_file(path).problems] == [message]


def test_an_unknown_name_lists_the_shipped_systems():
    with pytest.raises(InputError) as caught:
        load_system("trn4")
    assert str(caught.value) == (
        "trn4: no such file, and no system of that name (allowed: kernbench_2x4x4, mesh_4x4_small, trn1, trn2, trn3; "
        'did you mean "trn3"?)'
    )
