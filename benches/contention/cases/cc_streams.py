"""The streams of a collective read their shares of a buffer from one memory slice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from benches.contention.asked import answers_ns, known_ns
from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, by_flows, needs_cubes
from benches.contention.memories import hbm_numbers
from benches.contention.parameters import Kib, Topology
from benches.contention.registry import bench
from benches.contention.traffic import CHUNKS, TICK_NS, chunk_bounds_ns, route_ways
from benches.flows.traffic import FlowSpec, Traffic
from simcore.errors import InputError, Problem
from topology.collectives.plan import Collective, plan_of
from topology.collectives.shares import stream_shares
from topology.loader import load_system

NAME = "cc-streams"
WINDOW_FLITS = 32
"""More than the way out of a slice holds."""


@bench(NAME, "The streams of a collective read their shares from one memory slice at once.")
def cc_streams(
    *,
    streams: Literal["1", "2", "3", "4", "sunda", "gen3", "core_v4"] = "4",
    kib: Kib = 1024,
    topology: Topology = "kernbench_2x4x4",
) -> Findings:
    """``streams``: so many of equal shares, or those of a generation; ``kib``: all of their data.

    A broadcast from the first slice of a cube; PE tile k of that cube reads the share of stream k.
    """
    system = load_system(topology)
    needs_cubes(system, NAME)
    system = by_flows(system, WINDOW_FLITS)
    assert system.hierarchy is not None
    cube = system.hierarchy.sips[0].cubes[0]
    plan = plan_of(Collective("broadcast", "ring", kib * KIB, 2, streams=stream_shares(streams)))
    carried = Counter({send.stream: 0 for send in plan.sends})
    for send in plan.sends:
        carried[send.stream] += send.nbytes
    if len(carried) > len(cube.pes):
        raise InputError([Problem(f"has {len(cube.pes)} PE tiles in a cube, not {len(carried)}", system.file)])
    slice_ = cube.hbm[0]
    shares = [FlowSpec(f"stream {k}", slice_, cube.pes[k].router_part, nbytes) for k, nbytes in carried.items()]
    hbm = hbm_numbers(system.node(slice_), NAME)
    whole = [FlowSpec("one stream with all of it", slice_, cube.pes[0].router_part, kib * KIB)]
    rows: list[Row] = []
    for flows in [whole, shares] if len(shares) > 1 else [whole]:
        traffic = Traffic(NAME, system, tuple(flows))
        ways = route_ways(traffic)
        gbs = min(way.bottleneck_gbs or hbm.channels * hbm.channel_gbs for way in ways)
        said = _shared_ns([flow.nbytes for flow in flows], min(gbs, hbm.channels * hbm.channel_gbs))
        legs = [way.latency_ns + answer for way, answer in zip(ways, answers_ns(traffic), strict=True)]
        slack = len(flows) * hbm.burst_ns + 2 * TICK_NS
        rows += [
            Row(f"{flow.name} is read", known, end + leg + hbm.burst_ns, bound + slack, "ns")
            for flow, known, end, leg, bound in zip(
                flows, known_ns(traffic, "read"), said, legs, chunk_bounds_ns(traffic), strict=True
            )
        ]
    return Findings(
        tuple(rows),
        "However many streams there are, all of the data takes its time out of the slice: that is what they share.",
        "of one shared link: a stream of s bytes ends when every other has moved s or all it has; the latency of the "
        "command and of the data, and one burst",
        f"{CHUNKS}; and one burst of each stream on a channel",
    )


def _shared_ns(sizes: Sequence[int], gbs: Fraction) -> list[Fraction]:
    """When each of flows that start together and share ``gbs`` evenly ends."""
    return [sum(min(size, other) for other in sizes) / gbs for size in sizes]
