"""The host writes into a memory slice while DMAs of PE tiles do, through the real memory controller."""

from __future__ import annotations

from typing import Annotated

from benches.contention.asked import answers_ns, known_ns
from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, by_flows, needs_cubes
from benches.contention.memories import hbm_numbers
from benches.contention.parameters import Between, Kib, Topology
from benches.contention.registry import bench
from benches.contention.traffic import CHUNKS, TICK_NS, chunk_bounds_ns, fair_ends_ns
from benches.flows.traffic import FlowSpec, Traffic
from simcore.errors import InputError, Problem
from topology.loader import load_system

NAME = "h2d-and-dma"
WINDOW_FLITS = 64
"""More than the way of the host to the slice holds."""


@bench(NAME, "A stream from the host and DMAs of PE tiles write to one memory slice at once.")
def h2d_and_dma(
    *,
    dmas: Annotated[int, Between(0, 64)] = 3,
    host_kib: Kib = 512,
    dma_kib: Kib = 512,
    topology: Topology = "kernbench_2x4x4",
) -> Findings:
    """``dmas``: PE tiles of the first cube that write to the slice of the first one."""
    system = load_system(topology)
    needs_cubes(system, NAME)
    system = by_flows(system, WINDOW_FLITS)
    assert system.hierarchy is not None
    sip = system.hierarchy.sips[0]
    cube = sip.cubes[0]
    if dmas > len(cube.pes) or not sip.ios:
        message = f"bench {NAME} needs an IO chiplet and {dmas} PE tiles in a cube, not {len(cube.pes)}"
        raise InputError([Problem(message, system.file)])
    sources = [("the host", sip.ios[0].pcie_ep, host_kib * KIB)]
    sources += [(f"DMA of pe{k}", tile.router_part, dma_kib * KIB) for k, tile in enumerate(cube.pes[:dmas])]
    target = cube.hbm[0]
    traffic = Traffic(NAME, system, tuple([FlowSpec(name, src, target, n) for name, src, n in sources]))
    burst_ns = hbm_numbers(system.node(target), NAME).burst_ns
    # Behind its last flit a write has a burst left, and its channel one of each other writer before it.
    slack_ns = len(sources) * burst_ns + 2 * TICK_NS
    rows = [
        Row(f"{flow.name} knows that all is written", knows, said + burst_ns + back, bound + slack_ns, "ns")
        for flow, knows, said, back, bound in zip(
            traffic.flows,
            known_ns(traffic, "write"),
            fair_ends_ns(traffic),
            answers_ns(traffic),
            chunk_bounds_ns(traffic),
            strict=True,
        )
    ]
    return Findings(
        tuple(rows),
        f"{len(sources)} writers share {target}; the host gets its share of the slice or of its PCIe link.",
        "max-min by progressive filling, one burst, and the latency of the answer",
        f"{CHUNKS}; and one burst of each writer on a channel",
    )
