"""Flows that join a chain one behind the other: the parking lot."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Literal

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, graph_of
from benches.contention.parameters import Between, Gbs, Kib
from benches.contention.registry import bench
from benches.contention.traffic import CHUNKS, chunk_bounds_ns, ends_ns, rows_of_flows
from benches.flows.traffic import PORTS, FlowOptions, FlowSpec, Traffic


@bench("parking-lot", "Flows merge into a chain, cross it, or meet links of unequal rates on it.")
def parking_lot(
    *,
    shape: Literal["all", "merge", "cross", "unequal"] = "all",
    flows: Annotated[int, Between(2, 16)] = 4,
    kib: Kib = 128,
    gbs: Gbs = Fraction(64),
) -> Findings:
    """``flows``: those that join, or cross one link each; ``gbs``: of every link, of an unequal chain's first."""
    rows: list[Row] = []
    if shape in ("all", "merge"):
        rows += _merge(flows, kib * KIB, gbs)
    if shape in ("all", "cross"):
        rows += _cross(flows, kib * KIB, gbs)
    if shape in ("all", "unequal"):
        rows += _unequal(flows, kib * KIB, gbs)
    return Findings(
        tuple(rows),
        "With turns by flow everybody has the same share of a link; with turns by port who joins last has a half.",
        "merge: n B/W by flow, shares by router input by port; cross: 2 B/W; unequal: max-min by progressive filling",
        CHUNKS,
    )


def _merge(count: int, nbytes: int, gbs: Fraction) -> list[Row]:
    """One flow from each point of a chain to its end."""
    system = graph_of("parking-lot", [(f"p{i}", f"p{i + 1}", gbs) for i in range(count)])
    flows = tuple([FlowSpec(f"from p{i}", f"p{i}", f"p{count}", nbytes) for i in range(count)])
    by_flow = Traffic("parking-lot", system, flows)
    fair = count * nbytes / gbs
    together = zip(flows, ends_ns(by_flow), chunk_bounds_ns(by_flow), strict=True)
    rows = [Row(f"merge, turns by flow: {flow.name} ends", end, fair, bound, "ns") for flow, end, bound in together]
    by_port = replace(by_flow, options=replace(FlowOptions.of(system), arbitration=PORTS))
    return rows + rows_of_flows(by_port, "merge, turns by port")


def _cross(count: int, nbytes: int, gbs: Fraction) -> list[Row]:
    """A long flow over all links, and one over each of them: every link carries two."""
    system = graph_of("parking-lot", [(f"p{i}", f"p{i + 1}", gbs) for i in range(count)])
    crossing = [FlowSpec(f"over link {i}", f"p{i}", f"p{i + 1}", nbytes) for i in range(count)]
    traffic = Traffic("parking-lot", system, (FlowSpec("the long one", "p0", f"p{count}", nbytes), *crossing))
    together = zip(traffic.flows, ends_ns(traffic), chunk_bounds_ns(traffic), strict=True)
    return [Row(f"cross: {flow.name} ends", end, 2 * nbytes / gbs, bound, "ns") for flow, end, bound in together]


def _unequal(count: int, nbytes: int, gbs: Fraction) -> list[Row]:
    """As :func:`_cross`, but each link has half, a third, .. of the first one's rate."""
    system = graph_of("parking-lot", [(f"p{i}", f"p{i + 1}", gbs / (i + 1)) for i in range(count)])
    crossing = [FlowSpec(f"over link {i}", f"p{i}", f"p{i + 1}", nbytes) for i in range(count)]
    flows = (FlowSpec("the long one", "p0", f"p{count}", nbytes), *crossing)
    return rows_of_flows(Traffic("parking-lot", system, flows), "unequal")
