"""Several issuers write to one place at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB
from benches.contention.parameters import Kib, SeveralFlows, Topology
from benches.contention.registry import bench
from benches.contention.traffic import CHUNKS, TICK_NS, alone_ns, ends_ns, farthest_of, last_of, rows_of_flows
from benches.flows.traffic import DEFAULT_WINDOW_FLITS, FlowOptions, FlowSpec, Traffic
from simcore.errors import InputError, Problem
from topology.loader import load_system
from topology.system import System


@bench("hot-target", "Many issuers write to one memory slice, or one router, at once.")
def hot_target(
    *,
    issuers: SeveralFlows = (1, 2, 3, 4, 5, 6, 7, 8, 16),
    kib: Kib = 256,
    arbitration: Literal["flow_round_robin", "port_round_robin"] = "flow_round_robin",
    topology: Topology = "kernbench_2x4x4",
) -> Findings:
    """``issuers``: how many; PE tiles cube by cube, or the DMA engines or routers of a free graph."""
    system = load_system(topology)
    sources, target = _ends(system)
    if max(issuers) > len(sources):
        message = f"has {len(sources)} parts that could write to {target}, not {max(issuers)}"
        raise InputError([Problem(message, system.file)])
    options = _options(system, arbitration)
    rows: list[Row] = []
    for count in issuers:
        flows = tuple([FlowSpec(source, source, target, kib * KIB) for source in sources[:count]])
        traffic = Traffic("hot-target", system, flows, options)
        if count == 1:
            rows += [Row("1 issuer: end", ends_ns(traffic)[0], alone_ns(traffic, 0), TICK_NS, "ns")]
        else:
            label = f"{count} issuers"
            of_flows = rows_of_flows(traffic, label)
            rows += [last_of(of_flows, label), farthest_of(of_flows, label)]
    return Findings(
        tuple(rows),
        f"All who write to {target} share the links that lead there; sources have windows of {options.window_flits} "
        "flits.",
        "one issuer: the closed form of a lone transfer; more: max-min fair sharing by progressive filling, or, where "
        "ports take turns, shares by router input",
        CHUNKS,
    )


def _options(system: System, arbitration: str) -> FlowOptions:
    """The system's own, with turns by ``arbitration``.

    Sources without a window, which nothing holds back, get the usual one: the analysis of turns by port and the
    tolerance speak of sources that are held back.
    """
    own = FlowOptions.of(system)
    window = own.window_flits if own.window_flits is not None else DEFAULT_WINDOW_FLITS
    return replace(own, arbitration=arbitration, window_flits=window)


def _ends(system: System) -> tuple[list[str], str]:
    """Who could write, in order, and where to."""
    if system.hierarchy is not None:
        cubes = [cube for sip in system.hierarchy.sips[:1] for cube in sip.cubes]
        return [tile.router_part for cube in cubes for tile in cube.pes], cubes[0].hbm[0]
    if len(system.meshes) == 1:
        mesh = system.meshes[0]
        target = mesh.router[(mesh.shape.h - 1) // 2, (mesh.shape.w - 1) // 2]
        return [router for router in mesh.cell if router != target], target
    engines = [node.name for node in system.nodes() if node.kind == "dma_engine"]
    memories = [node.name for node in system.nodes() if node.kind == "hbm_controller"]
    if not engines or not memories:
        message = "bench hot-target needs PE tiles, a mesh, or DMA engines and a memory"
        raise InputError([Problem(message, system.file)])
    return engines, memories[0]
