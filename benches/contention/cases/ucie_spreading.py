"""The PE tiles of a cube write to the next cube, over one UCIe connection or spread over all."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, by_flows, needs_cubes
from benches.contention.parameters import Kib, Topology
from benches.contention.registry import bench
from benches.contention.traffic import CHUNKS, farthest_of, flit_bounds_ns, route_ways, rows_of_flows
from benches.flows.traffic import Ends, FlowSpec, Traffic
from simcore.errors import InputError, Problem
from topology.hierarchy import Cube
from topology.loader import load_system

NAME = "ucie-spreading"
WINDOW_FLITS = 32
"""More than the way to the next cube holds."""


@bench(NAME, "All PE tiles of a cube write to the next cube in the east, with UCIe spreading off and on.")
def ucie_spreading(*, kib: Kib = 256, topology: Topology = "kernbench_2x4x4") -> Findings:
    """Each tile writes to the slice of the same number."""
    system = load_system(topology)
    needs_cubes(system, NAME)
    system = by_flows(system, WINDOW_FLITS)
    assert system.hierarchy is not None
    sip = system.hierarchy.sips[0]
    if sip.w < 2:
        raise InputError([Problem(f"bench {NAME} needs a second cube in the east of the first", system.file)])
    here, there = sip.cube_at(0, 0), sip.cube_at(1, 0)
    ends = zip(here.pes, there.hbm, strict=True)
    flows = [FlowSpec(tile.name, tile.router_part, slice_, kib * KIB) for tile, slice_ in ends]
    rows: list[Row] = []
    for word in ("none", "by_source"):
        traffic = Traffic(NAME, replace(system, ucie_spreading=word), tuple(flows))
        label = f"spreading {word}"
        of_flows = rows_of_flows(traffic, label)
        last = max(row.measured for row in of_flows)
        rows += [farthest_of(of_flows, label), Row(f"{label}: all done", last, *_all_done(traffic), "ns")]
    wider = _widening(here)
    off_ns, on_ns = rows[1], rows[3]
    latency_ns = max(way.latency_ns for way in route_ways(Traffic(NAME, system, tuple(flows))))
    slack = Fraction(off_ns.tolerance) / off_ns.analytic + (on_ns.tolerance + latency_ns) / Fraction(on_ns.analytic)
    rows.append(Row("spreading is faster", Fraction(off_ns.measured) / on_ns.measured, wider, wider * slack, "times"))
    return Findings(
        tuple(rows),
        f"Without spreading {len(here.pes)} tiles share one connection, with it {len(here.pes) / float(wider):g}.",
        "flows: max-min by progressive filling; all: the bytes on the busiest link over its rate, and the longest "
        "latency of those that cross it; faster: all tiles over the most that one connection serves, by their rows",
        "all: flits alone, since the busiest link is never idle; faster: as much of either time, and the latency; "
        f"flows: {CHUNKS}",
    )


def _widening(cube: Cube) -> Fraction:
    """How many times as many tiles share one connection without spreading as share the fullest one with it."""
    nearest = [
        min(cube.sides["E"], key=lambda c: min((abs(row - tile.cell[0]), row) for row, _ in c.cells)).number
        for tile in cube.pes
    ]
    return Fraction(len(cube.pes), max(Counter(nearest).values()))


def _all_done(traffic: Traffic) -> tuple[Fraction, Fraction]:
    """When all is over if the busiest link is never idle, and the tolerance."""
    ways = route_ways(traffic)
    load: defaultdict[Ends, Fraction] = defaultdict(Fraction)
    latency: dict[Ends, Fraction] = {}
    for flow, way in zip(traffic.flows, ways, strict=True):
        for src, dst, wire in zip(way.nodes, way.nodes[1:], way.wires, strict=False):
            load[src, dst] += flow.nbytes * wire.ns_per_byte
            latency[src, dst] = max(latency.get((src, dst), Fraction(0)), way.latency_ns)
    busiest = max(load, key=lambda ends: (load[ends], latency[ends]))
    return load[busiest] + latency[busiest], max(flit_bounds_ns(traffic))
