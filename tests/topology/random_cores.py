"""Small random systems with cores, DMA engines, routers and HBM controllers, as hypothesis draws them."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import strategies as st

RATES = (1, 7.5, 23, 64, 300, 2900)
ARCHES = ("sunda", "gen3", "core_v4")


@st.composite
def core_systems(draw: st.DrawFn, arch: str, fewest: int = 1, most: int = 3) -> tuple[str, list[str]]:
    """The text of a file of one free graph, and the names of its cores, of generation ``arch``."""
    rate, few = st.sampled_from(RATES), st.sampled_from((0, 0, 1, 2.5))
    routers = [f"r{k}" for k in range(draw(st.integers(1, 3)))]
    nodes: list[dict[str, object]] = [
        {"name": name, "kind": "router", "parameters": {"overhead_ns": draw(few)}} for name in routers
    ]
    links: list[dict[str, object]] = []

    def join(a: str, b: str) -> None:
        line = {"bw_gbs": draw(rate), "length_mm": draw(few), "overhead_ns": draw(few)}
        links.append({"src": a, "dst": b, "both_ways": True, **line})

    for before, router in pairwise(routers):
        join(before, router)
    for k in range(draw(st.integers(1, 2))):
        memory = {
            "num_pcs": draw(st.sampled_from((1, 4))),
            "burst_bytes": draw(st.sampled_from((64, 256))),
            "pc_bw_gbs": draw(rate),
            "switch_penalty_ns": draw(few),
            "overhead_ns": draw(few),
        }
        nodes.append({"name": f"hbm{k}", "kind": "hbm_controller", "parameters": memory})
        join(f"hbm{k}", draw(st.sampled_from(routers)))
    cores = [f"nc{k}" for k in range(draw(st.integers(fewest, most)))]
    for core in cores:
        parameters: dict[str, object] = {"generation": arch}
        if draw(st.booleans()):
            parameters |= {"sbuf_read_bw_gbs": draw(rate), "sbuf_write_bw_gbs": draw(rate)}
        if draw(st.integers(0, 3)) == 0:
            parameters |= {"semaphore_latency_ns": draw(st.integers(0, 90)), "ring_depths": {"10": 2, "11": 1, "12": 1}}
        nodes.append({"name": core, "kind": "neuron_core", "parameters": parameters})
        engines = [f"{core}.dma{k}" for k in range(draw(st.integers(0, 3)))]
        for engine in engines:
            start = {"queues": 1, "start_ns": draw(st.sampled_from((0, 100, 1400))), "practical_gbs": draw(rate)}
            nodes.append({"name": engine, "kind": "dma_engine", "parameters": start})
            join(engine, core)
            join(engine, draw(st.sampled_from(routers)))
        if not engines:
            join(core, draw(st.sampled_from(routers)))
    system = {
        "ns_per_mm": 0.01,
        "flit_bytes": draw(st.sampled_from((64, 256, 4096))),
        "arbitration": draw(st.sampled_from(("flow_round_robin", "port_round_robin", "fifo"))),
        "window_flits": draw(st.sampled_from((None, 1, 16))),
        "buffer_bytes": draw(st.sampled_from((None, None, 4096, 16384))),
        "ucie_spreading": "none",
    }
    document = {
        "schema": "kernbench.topology/1",
        "name": "drawn",
        "system": system,
        "graph": {"nodes": nodes, "links": links},
    }
    return json.dumps(document, indent=1), cores
