"""Streams of reads and of writes on one TCM."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

from benches.contention.findings import Findings, Row
from benches.contention.graphs import KIB
from benches.contention.memories import first_of_kind
from benches.contention.parameters import Between, Kib, Topology
from benches.contention.registry import bench
from benches.contention.traffic import TICK_NS
from topology.loader import load_system
from topology.system import NodeSpec

NAME = "tcm-overlap"


@bench(NAME, "A stream of reads and one of writes on a TCM, each alone and both at once.")
def tcm_overlap(
    *,
    reads: Annotated[int, Between(1, 4096)] = 64,
    writes: Annotated[int, Between(1, 4096)] = 32,
    kib: Kib = 8,
    topology: Topology = "kernbench_2x4x4",
) -> Findings:
    """``reads`` and ``writes`` of ``kib`` each, one after the other in each direction."""
    node = first_of_kind(load_system(topology), "tcm", NAME)
    read_ns, write_ns = (
        _ideal_ns(node, word, n, kib) for word, n in (("read_bw_gbs", reads), ("write_bw_gbs", writes))
    )
    both = max(read_ns, write_ns)
    rows = (
        Row("reads alone", _measured_ns(node, reads, 0, kib), read_ns, reads * TICK_NS, "ns"),
        Row("writes alone", _measured_ns(node, 0, writes, kib), write_ns, writes * TICK_NS, "ns"),
        Row("both at once", _measured_ns(node, reads, writes, kib), both, max(reads, writes) * TICK_NS, "ns"),
    )
    return Findings(
        rows,
        f"Both at once take as long as the longer one, not the {float(read_ns + write_ns):.6g} ns of both in series.",
        "max(R/Br, W/Bw), since either direction has a channel of its own",
        "a tick of the clock for each request",
    )


def _ideal_ns(node: NodeSpec, word: str, count: int, kib: int) -> Fraction:
    rate = node.parameters[word]
    assert isinstance(rate, int | Fraction)
    return count * kib * KIB / Fraction(rate) if rate else Fraction(0)


def _measured_ns(node: NodeSpec, reads: int, writes: int, kib: int) -> Fraction:
    from benches.experiments.findings import Findings as Faults
    from benches.experiments.requests_work import RequestsWork, Stream
    from benches.experiments.works import Home

    streams = [Stream(name="reads", direction="read", nbytes=kib * KIB, repeat=reads)] if reads else []
    streams += [Stream(name="writes", direction="write", nbytes=kib * KIB, repeat=writes)] if writes else []
    work = RequestsWork(
        work="requests", part=node.kind, impl=node.impl, parameters=dict(node.parameters), requests=streams
    )
    run = work.ready(Home(node.origin["kind"].file, Path()), Faults())
    assert run is not None
    finish = run().single["finish_ns"]
    assert finish is not None
    return finish
