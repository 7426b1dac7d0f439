"""All-gather round a ring of cubes."""

from __future__ import annotations

from typing import Annotated

from benches.contention.findings import Findings
from benches.contention.graphs import KIB
from benches.contention.parameters import Between, Kib, Topology
from benches.contention.registry import bench
from benches.contention.rings import ring_findings

NAME = "ring-all-gather"


@bench(NAME, "Each cube's part of a buffer goes round a ring of cubes to all of them.")
def ring_all_gather(
    *, cubes: Annotated[int, Between(2, 64)] = 4, kib: Kib = 1024, topology: Topology = "kernbench_2x4x4"
) -> Findings:
    """``cubes``: of a package, row by row; ``kib``: the whole buffer."""
    return ring_findings(NAME, "all_gather", cubes, kib * KIB, topology)
