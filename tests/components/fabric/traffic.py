"""Reads the given traffic files with inline graphs as networks of the plain kind."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from simcore.units import ns_to_ticks
from tests.components.fabric.plain import PlainFlow, PlainHop, PlainLink, PlainNetwork


def read(file: Path) -> dict[str, Any]:
    """JSON whose numbers are exact."""
    return json.loads(file.read_text(), parse_float=Fraction)


def network_of(
    traffic: dict[str, Any],
    arbitration: str = "flow_round_robin",
    *,
    flit_bytes: int = 256,
    window: int | None = 16,
    buffer_bytes: int | None = None,
) -> PlainNetwork:
    """The graph and flows of ``traffic`` under the given options."""
    nodes = {name: i for i, name in enumerate(traffic["graph"]["nodes"])}
    ends = [(nodes[link["src"]], nodes[link["dst"]]) for link in traffic["graph"]["links"]]
    links = tuple(
        PlainLink(*pair, Fraction(link["bw_gbs"]), ns_to_ticks(link["overhead_ns"]), arbitration, buffer_bytes)
        for pair, link in zip(ends, traffic["graph"]["links"], strict=True)
    )
    numbers = {flow["name"]: i for i, flow in enumerate(traffic["flows"])}
    flows = tuple(
        PlainFlow(
            flow["bytes"],
            tuple(ends.index((nodes[a], nodes[b])) for a, b in zip(flow["path"], flow["path"][1:], strict=False)),
            ns_to_ticks(flow["start_ns"]),
            window,
            tuple(numbers[name] for name in flow.get("after", ())),
        )
        for flow in traffic["flows"]
    )
    return PlainNetwork(flit_bytes, tuple(PlainHop() for _ in nodes), links, flows)
