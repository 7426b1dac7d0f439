"""Random traffic over small graphs, for properties of the machine."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from benches.flows.traffic import FlowOptions, FlowSpec, Traffic
from simcore.program.stream.wanted import Wanted
from topology.build.free_graph import build_free_graph
from topology.system import System
from topology.text.blocks import Reader
from topology.text.document import Findings, Text

RATES = (16, 48, 64, 100)


def system_of(links: list[tuple[str, str, int, int]]) -> System:
    """Links of (source, destination, GB/s, overhead in ns)."""
    nodes = list(dict.fromkeys(name for a, b, _, _ in links for name in (a, b)))
    drawn = [{"src": a, "dst": b, "bw_gbs": r, "overhead_ns": o, "length_mm": 0} for a, b, r, o in links]
    raw: dict[str, Any] = {"nodes": nodes, "links": drawn}
    findings = Findings()
    growing, _ = build_free_graph(
        Reader(Text("<test>", {"graph": raw}, Wanted.tree([()])), {}, findings), raw, ("graph",)
    )
    findings.raise_any()
    return System(
        "random", "<test>", "", Fraction(0), 256, "flow_round_robin", 16, None, "none", growing.graph, (), None, None,
        None, (),
    )  # fmt: skip


def lengthened(system: System, length_mm: Fraction) -> System:
    """``system`` with every link that long, at 10 ps per mm."""
    graph = system.graph.copy()
    for _, _, data in graph.edges(data=True):
        data["spec"] = replace(data["spec"], length_mm=length_mm)
    return replace(system, graph=graph, ns_per_mm=Fraction(1, 100))


@st.composite
def traffics(draw: st.DrawFn, prefix: str = "") -> tuple[list[tuple[str, str, int, int]], list[FlowSpec]]:
    """Links of a chain of three to five nodes, both ways, and two to seven flows along it."""
    count = draw(st.integers(3, 5))
    names = [f"{prefix}n{k}" for k in range(count)]
    links = []
    for a, b in pairwise(names):
        for pair in ((a, b), (b, a)):
            links.append((*pair, draw(st.sampled_from(RATES)), draw(st.sampled_from([0, 0, 3]))))
    flows: list[FlowSpec] = []
    for n in range(draw(st.integers(2, 7))):
        src, dst = draw(st.permutations(names))[:2]
        nbytes = draw(st.sampled_from([0, 100, 4096, 20_000, 65_536]))
        start = Fraction(draw(st.sampled_from([0, 0, 7, 300])))
        after = tuple(draw(st.lists(st.sampled_from([f.name for f in flows]), max_size=1))) if flows else ()
        flows.append(FlowSpec(f"{prefix}f{n}", src, dst, nbytes, start, None, after))
    return links, flows


def traffic(links: list[tuple[str, str, int, int]], flows: list[FlowSpec], **options: Any) -> Traffic:
    """Traffic over those links."""
    return Traffic("random", system_of(links), tuple(flows), FlowOptions(**options))
