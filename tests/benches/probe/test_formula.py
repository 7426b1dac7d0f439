"""The closed forms against the simulated machine: exactly equal, for whatever stands on the way."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import networkx as nx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benches.probe.cases import Access, Case, Move
from benches.probe.predict import course_of, predicted
from benches.probe.simulate import actual_ns
from topology.machine.site import Place, Site
from topology.system import LinkSpec, NodeSpec, Origin, System

ZERO = Fraction(0)
WRITTEN = Origin("drawn", 1, 1)
RATES = (Fraction(16), Fraction(48), Fraction(128), Fraction(256), Fraction(272, 10))
KINDS = ("router", "pcie_endpoint")
LATENCIES = (Fraction(0), Fraction(2), Fraction(5, 2), Fraction(1, 3000), Fraction(21, 8))


def node(name: str, kind: str, **parameters: object) -> NodeSpec:
    return NodeSpec(name, kind, None, parameters, None, {key: WRITTEN for key in ("kind", *parameters)})


def chain(
    nodes: list[NodeSpec], links: list[tuple[Fraction, Fraction, Fraction]], flit_bytes: int, window: int | None = None
) -> Site:
    """Parts in a row; ``links``: rate, length and overhead, the same both ways."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for spec in nodes:
        graph.add_node(spec.name, spec=spec)
    for a, b, (rate, length, overhead) in zip(nodes, nodes[1:], links, strict=False):
        for src, dst in ((a.name, b.name), (b.name, a.name)):
            origin = {"bw_gbs": WRITTEN, "length_mm": WRITTEN, "overhead_ns": WRITTEN}
            graph.add_edge(src, dst, spec=LinkSpec(src, dst, "link", rate, length, None, overhead, origin))
    return Site(
        System(
            name="drawn",
            file="drawn",
            summary="",
            ns_per_mm=Fraction(1, 100),
            flit_bytes=flit_bytes,
            arbitration="flow_round_robin",
            window_flits=window,
            buffer_bytes=None,
            ucie_spreading="none",
            graph=graph,
            meshes=(),
            hierarchy=None,
            address_map=None,
            probe_cases=None,
            stated=(),
        )
    )


@st.composite
def drawn(draw: st.DrawFn) -> tuple[Site, Case, int]:
    """A chain with or without a memory at its end, and a transfer over all of it."""
    count = draw(st.integers(1, 5))
    nodes = [
        node(f"n{i}", draw(st.sampled_from(KINDS)), overhead_ns=draw(st.sampled_from(LATENCIES))) for i in range(count)
    ]
    memory = draw(st.sampled_from(("hbm", "sram", "none")))
    if memory == "hbm":
        nodes.append(
            node(
                "end",
                "hbm_controller",
                num_pcs=draw(st.sampled_from((1, 2, 8))),
                burst_bytes=draw(st.sampled_from((64, 256, 512))),
                pc_bw_gbs=draw(st.sampled_from((Fraction(7), Fraction(32), Fraction(90625, 1000)))),
                switch_penalty_ns=Fraction(0),
                overhead_ns=draw(st.sampled_from(LATENCIES)),
            )
        )
    elif memory == "sram":
        rate, overhead = draw(st.sampled_from((*RATES, Fraction(0)))), draw(st.sampled_from(LATENCIES))
        nodes.append(node("end", "sram", bw_gbs=rate, overhead_ns=overhead))
    else:
        nodes.append(node("end", "router", overhead_ns=draw(st.sampled_from(LATENCIES))))
    links = [
        (draw(st.sampled_from(RATES)), draw(st.sampled_from(LATENCIES)), draw(st.sampled_from(LATENCIES)))
        for _ in nodes[1:]
    ]
    site = chain(nodes, links, draw(st.sampled_from((64, 256, 320))))
    direction = draw(st.sampled_from(("read", "write")))
    case: Case = Move("m", "path", 1, "n0", "end")
    if memory != "none":
        case = Access("a", "memory", 1, "n0", direction, Place("end", draw(st.integers(0, 3000))))
    return site, case, draw(st.integers(0, 20_000))


@given(drawn())
def test_formula_and_terms_are_exactly_what_the_machine_takes(given_case: tuple[Site, Case, int]):
    site, case, nbytes = given_case
    said = predicted(site, case, course_of(site, case), nbytes)
    assert actual_ns(site, case, nbytes) == said.total_ns


@given(
    st.integers(1, 40),
    st.lists(st.tuples(*[st.sampled_from(choice) for choice in (RATES, LATENCIES, LATENCIES)]), min_size=1, max_size=5),
    st.lists(
        st.tuples(st.sampled_from(("router", "pcie_endpoint")), st.sampled_from(LATENCIES)), min_size=6, max_size=6
    ),
    st.integers(0, 60 * 256),
)
@example(1, [(Fraction(128), ZERO, ZERO)] * 4, [("router", Fraction(5, 2))] * 6, 50 * 256)
@example(1, [(Fraction(100), ZERO, ZERO), (Fraction(50), ZERO, ZERO)], [("router", ZERO)] * 6, 19 * 256 + 136)
@example(2, [(Fraction(16), Fraction(1, 3000), ZERO)], [("router", Fraction(1, 3000))] * 6, 5000)
def test_a_small_window_stalls_by_what_the_closed_form_says(
    window: int, links: list[tuple[Fraction, Fraction, Fraction]], parts: list[tuple[str, Fraction]], nbytes: int
):
    nodes = [node(f"n{i}", kind, overhead_ns=ns) for i, (kind, ns) in enumerate(parts[: len(links) + 1])]
    site = chain(nodes, links, 256, window)
    case = Move("m", "path", 1, "n0", nodes[-1].name)
    assert actual_ns(site, case, nbytes) == predicted(site, case, course_of(site, case), nbytes).total_ns


def test_each_term_has_its_cause():
    """n0 -256- n1 (re-assembles) -128- n2 -128- hbm, 64 flits of 256 bytes."""
    nodes = [
        node("n0", "router", overhead_ns=Fraction(1)),
        node("n1", "pcie_endpoint", overhead_ns=Fraction(5)),
        node("n2", "router", overhead_ns=Fraction(2)),
        node(
            "hbm", "hbm_controller", num_pcs=8, burst_bytes=256, pc_bw_gbs=Fraction(32), switch_penalty_ns=Fraction(0),
            overhead_ns=Fraction(0),
        ),
    ]  # fmt: skip
    none = Fraction(0)
    site = chain(nodes, [(Fraction(rate), none, none) for rate in (256, 128, 128)], 256)
    case = Access("a", "memory", 3, "n0", "write", Place("hbm", 0))
    said = predicted(site, case, course_of(site, case), 64 * 256)
    assert (said.wire_ns, said.overhead_ns, said.drain_ns, said.bottleneck_gbs) == (0, 8, 128, 128)
    assert said.terms == {"flit_fill": 2, "store_and_forward": 64, "last_burst": 8, "response_leg": 8}
    assert actual_ns(site, case, 64 * 256) == said.total_ns == 8 + 128 + 2 + 64 + 8 + 8


def test_a_memory_that_is_slower_than_its_links_is_a_term():
    nodes = [
        node("n0", "router", overhead_ns=Fraction(0)),
        node(
            "hbm", "hbm_controller", num_pcs=1, burst_bytes=256, pc_bw_gbs=Fraction(32), switch_penalty_ns=Fraction(0),
            overhead_ns=Fraction(0),
        ),
    ]  # fmt: skip
    site = chain(nodes, [(Fraction(256), Fraction(0), Fraction(0))], 256)
    case = Access("a", "memory", 1, "n0", "write", Place("hbm", 0))
    said = predicted(site, case, course_of(site, case), 10 * 256)
    assert said.terms == {"last_burst": 8, "memory_backlog": 9 * 7}
    assert actual_ns(site, case, 10 * 256) == 1 + 80


@pytest.mark.parametrize("nbytes", [0, 1, 255, 256, 257, 4096])
def test_a_transfer_of_any_size_is_explained(nbytes: int):
    nodes = [node(f"n{i}", "router", overhead_ns=Fraction(1)) for i in range(3)]
    site = chain(nodes, [(Fraction(48), Fraction(1), Fraction(0))] * 2, 256)
    case = Move("m", "path", 2, "n0", "n2")
    assert actual_ns(site, case, nbytes) == predicted(site, case, course_of(site, case), nbytes).total_ns


def test_formula_and_terms_are_reckoned_without_the_simulator():
    modules = ("formula", "memories", "payload", "way")
    imports = ", ".join(f"benches.probe.{name}" for name in modules)
    script = f"import sys, {imports}; sys.exit('simpy' in sys.modules or 'simcore.kernel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
