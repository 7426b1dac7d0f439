"""Two flows through one router that share no link."""

from __future__ import annotations

from fractions import Fraction

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, graph_of
from benches.contention.parameters import Gbs, Kib
from benches.contention.registry import bench
from benches.contention.traffic import TICK_NS, alone_ns, ends_ns
from benches.flows.traffic import FlowSpec, Traffic


@bench("disjoint-flows", "Two flows through one router over different links do not notice each other.")
def disjoint_flows(*, kib: Kib = 256, gbs: Gbs = Fraction(64), other_gbs: Gbs = Fraction(96)) -> Findings:
    """``gbs``: of the first flow's links; ``other_gbs``: of the second's."""
    lines = [("a", "x", gbs), ("x", "b", gbs), ("c", "x", other_gbs), ("x", "d", other_gbs)]
    traffic = Traffic(
        "disjoint-flows",
        graph_of("disjoint-flows", lines),
        (FlowSpec("a to b", "a", "b", kib * KIB), FlowSpec("c to d", "c", "d", kib * KIB)),
    )
    rows = [
        Row(f"{flow.name} ends", end, alone_ns(traffic, number), TICK_NS, "ns")
        for number, (flow, end) in enumerate(zip(traffic.flows, ends_ns(traffic), strict=True))
    ]
    return Findings(
        tuple(rows),
        "A router is no resource: each flow takes exactly what it takes alone.",
        "the closed form of a lone transfer: B/W and one flit on the other link",
        "exact but for the tick of the clock",
    )
