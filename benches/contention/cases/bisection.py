"""Every router of a mesh sends to its mirror image: all of it crosses the middle."""

from __future__ import annotations

from fractions import Fraction

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, by_flows, mesh_of
from benches.contention.parameters import Kib, Topology
from benches.contention.registry import bench
from benches.contention.traffic import CHUNKS, farthest_of, flit_bounds_ns, rows_of_flows
from benches.flows.traffic import FlowSpec, Traffic
from benches.probe.way import way_along
from simcore.errors import InputError, Problem
from topology.loader import load_system


@bench("bisection", "Every router of a mesh sends to its mirror image, across the middle.")
def bisection(*, kib: Kib = 128, topology: Topology = "mesh_4x4_small") -> Findings:
    """Each row has w/2 flows each way over one link in the middle."""
    system = by_flows(load_system(topology))
    mesh = mesh_of(system, "bisection")
    w, h = mesh.shape.w, mesh.shape.h
    if w % 2:
        raise InputError([Problem(f"bench bisection needs an even number of columns, not {w}", system.file)])
    nbytes = kib * KIB
    ends = [(mesh.router[row, column], mesh.router[row, w - 1 - column]) for row in range(h) for column in range(w)]
    traffic = Traffic("bisection", system, tuple([FlowSpec(src, src, dst, nbytes) for src, dst in ends]))
    rows = rows_of_flows(traffic, "flows")
    last = max(row.measured for row in rows)
    longest = way_along(system, mesh.route(*ends[0]))
    middle = system.link(mesh.router[0, w // 2 - 1], mesh.router[0, w // 2])
    assert middle.bw_gbs is not None
    ideal = w // 2 * nbytes / middle.bw_gbs + longest.latency_ns
    bound = max(flit_bounds_ns(traffic))
    total = Fraction(len(ends) * nbytes)
    rate = total / last
    return Findings(
        (
            farthest_of(rows, "flows"),
            Row("all across", last, ideal, bound, "ns"),
            Row("rate across, both ways", rate, total / ideal, total / ideal * bound / ideal, "GB/s"),
        ),
        f"The middle of a mesh of {w} x {h} carries {float(rate):.4g} of {float(2 * h * middle.bw_gbs):.4g} GB/s.",
        "max-min by progressive filling; all: w/2 B/W over a middle link and the latency of the longest way",
        f"all: flits alone, since the busiest link is never idle; flows: {CHUNKS}",
    )
