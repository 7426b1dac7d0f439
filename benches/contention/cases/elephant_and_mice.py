"""Short transfers beside one that never seems to end."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, graph_of
from benches.contention.parameters import Between, Gbs, Kib
from benches.contention.registry import bench
from benches.contention.traffic import chunk_bounds_ns
from benches.flows.run import run_traffic
from benches.flows.traffic import FlowSpec, Traffic
from simcore.errors import InputError, Problem


@bench("elephant-and-mice", "Short transfers start while a long one has the link.")
def elephant_and_mice(
    *,
    mice: Annotated[int, Between(1, 64)] = 8,
    mouse_kib: Kib = 4,
    elephant_kib: Kib = 1024,
    gbs: Gbs = Fraction(64),
) -> Findings:
    """One mouse at a time, evenly spread over the elephant's time."""
    elephant, mouse = elephant_kib * KIB, mouse_kib * KIB
    pause = elephant / gbs / mice
    if 4 * mouse / gbs > pause:
        message = f"{mice} mice of {mouse_kib} KiB do not fit one after the other beside {elephant_kib} KiB"
        raise InputError([Problem(message, "bench elephant-and-mice")])
    system = graph_of("elephant-and-mice", [("e", "x", gbs), ("m", "x", gbs), ("x", "y", gbs)])
    small = [FlowSpec(f"mouse {i}", "m", "y", mouse, start_ns=i * pause + pause / 4) for i in range(mice)]
    traffic = Traffic("elephant-and-mice", system, (FlowSpec("elephant", "e", "y", elephant), *small))
    result = run_traffic(traffic)
    flit_ns = system.flit_bytes / gbs
    took = [flow.duration_ns for flow in result.flows]
    ideal = 2 * mouse / gbs
    slowest = max(took[1:], key=lambda ns: abs(ns - ideal))
    rows = (
        Row("the mouse that is farthest off takes", slowest, ideal, 3 * flit_ns, "ns"),
        Row("the mean mouse takes", sum(took[1:], Fraction(0)) / mice, ideal, 3 * flit_ns, "ns"),
        Row("the elephant takes", took[0], (elephant + mice * mouse) / gbs, chunk_bounds_ns(traffic)[0], "ns"),
    )
    return Findings(
        rows,
        "A mouse takes twice its time alone, however long the elephant is: they take turns by flow.",
        "mouse: 2 m/W; elephant: all bytes over W",
        "mouse: the flit that is under way when it comes, its own on the first link, and one turn; elephant: a flit of "
        "every flow, and their windows",
    )
