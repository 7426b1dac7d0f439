"""The routers of a square mesh exchange a transposed matrix."""

from __future__ import annotations

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, by_flows, mesh_of
from benches.contention.parameters import Kib, Topology
from benches.contention.registry import bench
from benches.contention.traffic import CHUNKS, farthest_of, flit_bounds_ns, rows_of_flows
from benches.flows.traffic import FlowSpec, Traffic
from benches.probe.way import way_along
from simcore.errors import InputError, Problem
from topology.loader import load_system


@bench("transpose", "Each router of a square mesh sends to the one in the transposed place.")
def transpose(*, kib: Kib = 128, topology: Topology = "mesh_4x4_small") -> Findings:
    """Rows first: all of a row turn at the diagonal, so the links beside its corners carry n - 1 flows."""
    system = by_flows(load_system(topology))
    mesh = mesh_of(system, "transpose")
    side = mesh.shape.w
    if side != mesh.shape.h or side < 2:
        message = f"bench transpose needs a square mesh of 2 x 2 or more, not {side} x {mesh.shape.h}"
        raise InputError([Problem(message, system.file)])
    ends = [(mesh.router[a, b], mesh.router[b, a]) for a in range(side) for b in range(side) if a != b]
    traffic = Traffic("transpose", system, tuple([FlowSpec(src, src, dst, kib * KIB) for src, dst in ends]))
    rows = rows_of_flows(traffic, "flows")
    longest = way_along(system, mesh.route(mesh.router[0, side - 1], mesh.router[side - 1, 0]))
    assert longest.bottleneck_gbs is not None
    ideal = (side - 1) * kib * KIB / longest.bottleneck_gbs + longest.latency_ns
    last = max(row.measured for row in rows)
    return Findings(
        (farthest_of(rows, "flows"), Row("all exchanged", last, ideal, max(flit_bounds_ns(traffic)), "ns")),
        f"The {side - 1} flows of an outer row meet at the corner, and set the time of all.",
        "max-min by progressive filling; all: (n - 1) B/W over the busiest link and the latency of the longest way",
        f"all: flits alone, since the busiest link is never idle; flows: {CHUNKS}",
    )
