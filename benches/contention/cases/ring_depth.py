"""A descriptor ring that feeds one server, at several depths."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

from benches.contention.findings import Findings, Row
from benches.contention.parameters import Between, Flows, Ns
from benches.contention.registry import bench
from benches.probe.way import in_ticks
from simcore.errors import InputError, Problem


@bench("ring-depth", "Descriptor rings of several depths before one server, with a delay on the way.")
def ring_depth(
    *,
    depths: Annotated[tuple[int, ...], Between(1, 1024)] = (1, 2, 4, 8, 16, 26, 32, 64),
    service_ns: Ns = Fraction(16),
    delay_ns: Ns = Fraction(400),
    rings: Flows = 1,
    transactions: Annotated[int, Between(2, 10**5)] = 512,
) -> Findings:
    """``transactions`` for each of the ``rings``, or more up to whole rounds; ``delay_ns``: on the way, besides the
    service."""
    if not service_ns:
        raise InputError([Problem("must be above 0: a server that takes no time has no rate", "service_ns")])
    if 2 * max(depths) > transactions:
        message = f"must be at least twice the largest depth, {2 * max(depths)}, for a steady state"
        raise InputError([Problem(message, "transactions")])
    service_ns, delay_ns = in_ticks(service_ns), in_ticks(delay_ns)
    rows = []
    for depth in depths:
        ideal = min(1 / service_ns, rings * depth / (delay_ns + service_ns))
        whole = -(-transactions // depth) * depth
        rows.append(Row(f"depth {depth}", _per_ns(rings, depth, whole, service_ns, delay_ns), ideal, 0, "1/ns"))
    knee = (delay_ns + service_ns) / service_ns / rings
    return Findings(
        tuple(rows),
        f"The server is busy all the time from a depth of {float(knee):.4g} on.",
        "min(1/s, d/(L + s)) with service s, delay L and d descriptors in all rings together",
        "exact in the steady state: everything is deterministic, in whole ticks",
    )


def _per_ns(rings: int, depth: int, transactions: int, service_ns: Fraction, delay_ns: Fraction) -> Fraction:
    from benches.experiments.closed_loop import ClosedLoop
    from benches.experiments.findings import Findings as Faults
    from benches.experiments.works import Home

    loop = ClosedLoop(
        work="closed_loop",
        rings=rings,
        depth=depth,
        transactions=transactions,
        transaction_bytes=1,
        service_ns=service_ns,
        delay_before_ns=delay_ns,
        delay_after_ns=Fraction(0),
    )
    run = loop.ready(Home("ring-depth", Path()), Faults())
    assert run is not None
    rate = run().single["throughput_per_ns"]
    assert rate is not None
    return rate
