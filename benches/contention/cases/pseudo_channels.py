"""Many one-burst accesses whose addresses are so many bursts apart."""

from __future__ import annotations

from math import gcd
from typing import Annotated, Literal

from benches.contention.findings import Findings, Row
from benches.contention.memories import LoneHbm, MemoryAccess, first_of_kind, hbm_numbers
from benches.contention.parameters import Between, Topology
from benches.contention.registry import bench
from benches.contention.traffic import TICK_NS
from topology.loader import load_system

NAME = "pseudo-channels"


@bench(NAME, "Accesses at a stride meet on few channels of one HBM controller, spread ones use all.")
def pseudo_channels(
    *,
    strides: Annotated[tuple[int, ...], Between(1, 4096)] = (1, 2, 3, 4, 8, 16),
    accesses: Annotated[int, Between(1, 4096)] = 256,
    direction: Literal["read", "write"] = "read",
    topology: Topology = "kernbench_2x4x4",
) -> Findings:
    """``strides``: between the addresses, in bursts; 1 spreads, the number of channels meets on one."""
    system = load_system(topology)
    node = first_of_kind(system, "hbm_controller", NAME)
    hbm = hbm_numbers(node, NAME)
    rows = []
    for stride in strides:
        asked = [MemoryAccess(direction, k * stride * hbm.burst_bytes, hbm.burst_bytes) for k in range(accesses)]
        last = max(LoneHbm(node, system.flit_bytes).at_once(asked))
        used = hbm.channels // gcd(hbm.channels, stride)
        ideal = -(-accesses // used) * hbm.burst_ns
        how = "spread" if used == hbm.channels else "same channel" if used == 1 else "strided"
        rows.append(Row(f"stride {stride}: {how}, {used} of {hbm.channels} channels", last, ideal, TICK_NS, "ns"))
    return Findings(
        tuple(rows),
        f"{accesses} bursts take {float(max(row.measured for row in rows)):.6g} ns at the worst stride and "
        f"{float(min(row.measured for row in rows)):.6g} ns at the best.",
        "ceil(n / used) bursts one after the other on a channel; used = channels / gcd(channels, stride)",
        "exact but for the tick of the clock",
    )
