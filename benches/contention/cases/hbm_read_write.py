"""Reads and writes in turn on the channels of one HBM controller."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from benches.contention.findings import Findings, Row
from benches.contention.memories import LoneHbm, MemoryAccess, first_of_kind, hbm_numbers
from benches.contention.parameters import Between, Ns, Topology
from benches.contention.registry import bench
from benches.contention.traffic import TICK_NS
from topology.loader import load_system

NAME = "hbm-read-write"


@bench(NAME, "Reads and writes in turn on one HBM controller, whose channels turn round between them.")
def hbm_read_write(
    *,
    groups: Annotated[tuple[int, ...], Between(1, 1024)] = (1, 2, 4, 8, 16, 32),
    turn_ns: Ns = Fraction(20),
    rounds: Annotated[int, Between(1, 1024)] = 8,
    topology: Topology = "kernbench_2x4x4",
) -> Findings:
    """``groups``: bursts on each channel before it turns; ``turn_ns``: what turning takes; ``rounds``: reads and writes
    that are measured, after a first read."""
    system = load_system(topology)
    node = first_of_kind(system, "hbm_controller", NAME)
    hbm = hbm_numbers(node, NAME)
    rows = []
    for group in groups:
        nbytes = group * hbm.channels * hbm.burst_bytes
        directions = ["read", *(["write", "read"] * rounds)]
        accesses = [MemoryAccess(direction, k * nbytes, nbytes) for k, direction in enumerate(directions)]
        memory = LoneHbm(node, system.flit_bytes, switch_penalty_ns=turn_ns)
        ends = memory.one_by_one(accesses)
        moved = 2 * rounds * nbytes
        ideal_ns = rounds * (2 * group * hbm.burst_ns + 2 * turn_ns)
        slack = moved / ideal_ns * (2 * rounds * TICK_NS) / ideal_ns
        bursts = f"{group} burst{'s' if group > 1 else ''}"
        rows.append(
            Row(f"{bursts} each way in turn", moved / (ends[-1] - ends[0]), moved / ideal_ns, slack, "GB/s"),
        )
    peak = hbm.channels * hbm.channel_gbs
    return Findings(
        tuple(rows),
        f"Of {float(peak):g} GB/s, turning after each {groups[0]} leaves {float(rows[0].measured / peak):.0%}, "
        f"after each {groups[-1]} {float(rows[-1].measured / peak):.0%}.",
        "2 g C / (2 g C/B + 2 t) for each channel, where g bursts of C bytes go each way between two turns of t",
        "exact but for a tick of the clock for each read and write",
    )
