"""A flow to an idle place behind flows to a busy one, with shared finite buffers and without."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB, graph_of
from benches.contention.parameters import Between, Gbs, Kib
from benches.contention.registry import bench
from benches.contention.traffic import chunk_bounds_ns, ends_ns, fair_ends_ns
from benches.flows.traffic import FlowOptions, FlowSpec, Traffic
from simcore.errors import InputError, Problem


@bench("head-of-line", "A flow to an idle place shares a link with flows to a busy one, with and without buffers.")
def head_of_line(
    *,
    hot: Annotated[int, Between(1, 16)] = 2,
    kib: Kib = 256,
    trunk_gbs: Gbs = Fraction(128),
    hot_gbs: Gbs = Fraction(16),
    buffer_flits: Annotated[int, Between(2, 15)] = 8,
) -> Findings:
    """``hot`` flows go on by a link of ``hot_gbs``; the victim's own link is as wide as the trunk that all cross.

    ``buffer_flits``: room behind each link: more than one, or a link waits for every flit to leave; less than a flow's
    window, so that one hot flow can fill it.
    """
    if (hot + 1) * hot_gbs >= trunk_gbs:
        message = "trunk_gbs must be more than (hot + 1) hot_gbs, or the hot flows are not held up behind it"
        raise InputError([Problem(message, "bench head-of-line")])
    lines = [(f"h{i}", "x", trunk_gbs) for i in range(hot)] + [("v", "x", trunk_gbs), ("x", "y", trunk_gbs)]
    system = graph_of("head-of-line", [*lines, ("y", "busy", hot_gbs), ("y", "idle", trunk_gbs)])
    flows = [FlowSpec(f"hot {i}", f"h{i}", "busy", kib * KIB) for i in range(hot)]
    victim = FlowSpec("victim", "v", "idle", kib * KIB)
    free = Traffic("head-of-line", system, (*flows, victim))
    options = FlowOptions.of(system)
    room = buffer_flits * options.flit_bytes
    held = replace(free, options=replace(options, buffer_bytes=room))
    slow = hot * kib * KIB / hot_gbs
    bounds = chunk_bounds_ns(free)
    # What the buffer takes in before it is full is through earlier than the hot link's turns would let it.
    filling = bounds[-1] + hot * room / hot_gbs
    (*_, free_hot, free_victim), (*_, held_hot, held_victim) = ends_ns(free), ends_ns(held)
    rows = (
        Row("no buffers: victim ends", free_victim, fair_ends_ns(free)[-1], bounds[-1], "ns"),
        Row("no buffers: last hot flow ends", free_hot, slow, bounds[0], "ns"),
        Row("shared buffers: victim ends", held_victim, slow, filling, "ns"),
        Row("shared buffers: last hot flow ends", held_hot, slow, bounds[0], "ns"),
    )
    return Findings(
        rows,
        f"Shared buffers make the victim {float(held_victim / free_victim):.1f} times as late: a full buffer hands on "
        "its flows in turn, at the pace of the busy place.",
        "no buffers: max-min by progressive filling; with buffers the victim moves as the hot flows do, at 1/n of "
        "their link",
        "one flit of each flow on each link and a window of each; with buffers also a buffer at the hot link's rate",
    )
