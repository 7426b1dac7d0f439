"""Where the cases of ADR-0049's probe stand in a system: they follow the size of its cube mesh.

For a package of 4 x 4 cubes these are the published ones: cubes 0, 4, 8, 12 for the host, cubes 1 and 15 for a PE tile.
"""

from __future__ import annotations

from dataclasses import dataclass

from topology.hierarchy import Cube, Hierarchy, Sip
from topology.system import System


@dataclass(frozen=True, slots=True)
class ProbePlace:
    """One case. Payload moves from ``src`` to ``dst``; ``hops`` is the case's own count, of cubes for the host.

    ``category`` is ``h2d``, ``d2h`` or ``pe_dma``. A host read (``d2h``) first sends its
    command from ``dst`` to ``src``.
    """

    name: str
    category: str
    hops: int
    src: str
    dst: str


@dataclass(frozen=True, slots=True)
class NoPlace:
    """A case that a system has no place for, and why."""

    name: str
    reason: str


def probe_places(system: System) -> list[ProbePlace | NoPlace]:
    """Every standard case, in the order of the probe; all of them NoPlace in a free graph."""
    hierarchy = system.hierarchy
    if hierarchy is None:
        return [NoPlace(name, "a free graph has no packages and cubes") for name in STANDARD_CASES]
    sip = hierarchy.sips[0]
    return [*_host(sip, "h2d"), *_host(sip, "d2h"), *_pe_dma(hierarchy)]


def _host(sip: Sip, category: str) -> list[ProbePlace | NoPlace]:
    """The cubes below each other in the first column, as far as there are any."""
    found: list[ProbePlace | NoPlace] = []
    for hops in range(1, max(sip.h, STANDARD_HOPS) + 1):
        name = f"{category}-{hops}hop"
        if not sip.ios:
            found.append(NoPlace(name, "the package has no IO chiplet"))
        elif hops > sip.h:
            found.append(NoPlace(name, f"a cube mesh of {sip.w} x {sip.h} has no row {hops - 1}"))
        else:
            host, memory = sip.ios[0].pcie_ep, sip.cube_at(0, hops - 1).hbm[0]
            ends = (host, memory) if category == "h2d" else (memory, host)
            found.append(ProbePlace(name, category, hops, *ends))
    return found


def _pe_dma(hierarchy: Hierarchy) -> list[ProbePlace | NoPlace]:
    """From PE tile 0 of cube 0: its own slice, a neighbour's, one of the far half; the next cube, and the farthest."""
    sip = hierarchy.sips[0]
    first = sip.cubes[0]
    one_tile = f"a cube of {len(first.pes)} PE tile(s) has no other"
    one_cube = f"a cube mesh of {sip.w} x {sip.h} has no second cube"
    half = len(first.pes) // 2
    several, more = len(first.pes) > 1, len(sip.cubes) > 1
    adjacent = sip.cubes[1 if sip.w > 1 else sip.w] if more else first
    farthest = sip.cubes[-1]
    two_halves = half > 1
    rows: list[tuple[str, Cube, int, bool, str]] = [
        ("pe-local-hbm", first, 0, True, ""),
        ("pe-same-half-hbm", first, 1, several, one_tile),
        ("pe-cross-half-hbm", first, half, two_halves, f"a cube of {len(first.pes)} PE tile(s) has no far half"),
        ("pe-cross-cube-hbm-best", adjacent, 0, more, one_cube),
        ("pe-cross-cube-hbm-worst", farthest, 0, more and farthest is not adjacent, _no_far_cube(sip)),
    ]
    return [
        ProbePlace(
            name,
            "pe_dma",
            abs(cube.x - first.x) + abs(cube.y - first.y),
            first.pes[0].router_part,
            cube.hbm[pe],
        )
        if placed
        else NoPlace(name, reason)
        for name, cube, pe, placed, reason in rows
    ]


def _no_far_cube(sip: Sip) -> str:
    return f"a cube mesh of {sip.w} x {sip.h} has no cube beyond the next one"


STANDARD_HOPS = 4
STANDARD_CASES = (
    *(f"{category}-{hops}hop" for category in ("h2d", "d2h") for hops in range(1, STANDARD_HOPS + 1)),
    "pe-local-hbm",
    "pe-same-half-hbm",
    "pe-cross-half-hbm",
    "pe-cross-cube-hbm-best",
    "pe-cross-cube-hbm-worst",
)
