"""Two flows against each other over one connection."""

from __future__ import annotations

from fractions import Fraction

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, graph_of
from benches.contention.parameters import Gbs, Kib
from benches.contention.registry import bench
from benches.contention.traffic import TICK_NS, alone_ns, chunk_bounds_ns, ends_ns
from benches.flows.traffic import FlowSpec, Traffic


@bench("duplex", "Both directions of a connection at once, full duplex and through a half-duplex core.")
def duplex(*, kib: Kib = 256, gbs: Gbs = Fraction(64)) -> Findings:
    """``gbs``: of each direction, and of the core."""
    nbytes = kib * KIB
    full = Traffic(
        "duplex",
        graph_of("duplex", [("a", "b", gbs), ("b", "a", gbs)]),
        (FlowSpec("a to b", "a", "b", nbytes), FlowSpec("b to a", "b", "a", nbytes)),
    )
    rows = [
        Row(f"full duplex: {flow.name} ends", end, alone_ns(full, number), TICK_NS, "ns")
        for number, (flow, end) in enumerate(zip(full.flows, ends_ns(full), strict=True))
    ]
    # A half-duplex core is one more link, which both directions cross.
    lines = [(*ends, gbs) for ends in (("a", "in"), ("b", "in"), ("in", "out"), ("out", "a"), ("out", "b"))]
    half = Traffic("duplex", graph_of("duplex", lines), full.flows)
    rows += [
        Row(f"half duplex: {flow.name} ends", end, 2 * nbytes / gbs, bound, "ns")
        for flow, end, bound in zip(half.flows, ends_ns(half), chunk_bounds_ns(half), strict=True)
    ]
    return Findings(
        tuple(rows),
        "The two directions of a link do not meet; a core that serves one at a time halves both.",
        "full duplex: B/W; half duplex: 2 B/W",
        "full duplex: exact but for a tick of the clock; half duplex: one flit of each flow on each link, and a window",
    )
