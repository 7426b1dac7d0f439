"""Given and random networks for the tests of fair shares."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import strategies as st

from benches.fair_share.fluid import FluidFlow, Network

CASES = (
    "A01-incast-02", "A05-incast-12-mixed", "A08-parking-cross", "A09-parking-merge", "A13-disjoint", "A15-duplex",
    "A19-overlap-2", "A22-hol", "A23-late", "A31-hotspot-hbm-limited", "A37-ring-ag-row4",
)  # fmt: skip


def given_case(shared: Path, name: str) -> tuple[dict, dict]:
    """The traffic file of a case, and what it must come to."""
    folder = shared / "cases" / "contention"
    return json.loads((folder / f"{name}.json").read_text()), json.loads((folder / f"{name}.expected.json").read_text())


def network_of(traffic: dict) -> Network:
    """The fluid network of a traffic file with given paths and no latencies."""
    links = {(link["src"], link["dst"]): n for n, link in enumerate(traffic["graph"]["links"])}
    names = {flow["name"]: n for n, flow in enumerate(traffic["flows"])}
    flows = [
        FluidFlow(
            tuple(links[pair] for pair in zip(flow["path"], flow["path"][1:], strict=False)),
            flow["bytes"],
            flow["start_ns"],
            after=tuple(names[other] for other in flow.get("after", ())),
        )
        for flow in traffic["flows"]
    ]
    return Network(tuple(float(link["bw_gbs"]) for link in traffic["graph"]["links"]), tuple(flows))


@st.composite
def networks(draw: st.DrawFn, *, apart: bool = True) -> Network:
    """Up to six links and eight flows; ``apart``: with starts, latencies and flows that come after others."""
    rates = draw(st.lists(st.sampled_from([3.0, 25.0, 50.0, 100.0, 128.0, float("inf")]), min_size=1, max_size=6))
    count = draw(st.integers(1, 8))
    flows = []
    for n in range(count):
        links = tuple(draw(st.permutations(range(len(rates))))[: draw(st.integers(0, min(4, len(rates))))])
        nbytes = draw(st.sampled_from([0, 1, 256, 1000, 4096, 65536, 65537]))
        if not apart:
            flows.append(FluidFlow(links, nbytes))
            continue
        start, head, tail = (draw(st.sampled_from([0, 0, 0.5, 10, 100, 1000])) for _ in range(3))
        after = tuple(draw(st.lists(st.integers(0, n - 1), unique=True, max_size=2))) if n else ()
        flows.append(FluidFlow(links, nbytes, start, head, tail, after))
    return Network(tuple(rates), tuple(flows))
