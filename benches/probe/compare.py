"""The published predecessor beside this machine: same, same shape, or different, and why (ADR-0049 D12).

Nothing is fitted: only constants that the predecessor states, or that the system's file marks as assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from benches.probe.cases import BUFFER_OFFSET, Access
from benches.probe.model import Comparison
from benches.probe.published import ALL_REDUCE, ALL_REDUCE_HOPS, CROWD, LONE, SIZE, Published
from benches.probe.simulate import actual_ns
from benches.probe.slots import slot_access_ns
from simcore.errors import InputError, Problem
from simcore.kernel import Countdown, Environment
from simcore.units import TICKS_PER_NS
from topology.hierarchy import Hierarchy, Sip
from topology.machine.site import Place, Site

SAME_PCT = 1.0
SHAPE_PCT = 25.0
"""How far apart, in percent of the published value, two numbers may be to be called the same, or of the same shape."""


def compare(site: Site) -> list[Comparison]:
    """Every published number that this system can be asked for.

    Raises InputError for a system without the predecessor's packages, cubes and PE tiles.
    """
    hierarchy = _of_that_size(site)
    sip = hierarchy.sips[0]
    lone = [_row(LONE[name], actual_ns(site, case, nbytes)) for name, case, nbytes in _lone(hierarchy)]
    crowd = [_row(CROWD[name], _makespan_ns(site, pairs)) for name, pairs in _crowds(sip)]
    return [*lone, *crowd, *_all_reduce()]


def _of_that_size(site: Site) -> Hierarchy:
    hierarchy = site.system.hierarchy
    fits = (
        hierarchy is not None
        and len(hierarchy.sips) >= 2
        and all((sip.w, sip.h) == (4, 4) and sip.ios for sip in hierarchy.sips)
        and all(len(cube.pes) == 8 for sip in hierarchy.sips for cube in sip.cubes)
    )
    if not fits or hierarchy is None:
        message = "the published numbers are of 2 packages of 4 x 4 cubes with 8 PE tiles (kernbench_2x4x4 is one)"
        raise InputError([Problem(message, site.system.file)])
    return hierarchy


def _lone(hierarchy: Hierarchy) -> Iterator[tuple[str, Access, int]]:
    sip, other = hierarchy.sips[:2]
    first = sip.cubes[0]
    dma, host = first.pes[0].router_part, sip.ios[0].pcie_ep
    for name, origin, memory, nbytes in (
        ("own slice, 16 KiB", dma, first.hbm[0], SIZE),
        ("own slice, 32 KiB", dma, first.hbm[0], 2 * SIZE),
        ("farthest cube, opposite PE", dma, sip.cubes[15].hbm[7], SIZE),
        ("other package, same PE", dma, other.cubes[0].hbm[0], SIZE),
        ("host write, 64 KiB", host, first.hbm[0], 64 << 10),
        ("host write, 1 MiB", host, first.hbm[0], 1 << 20),
    ):
        yield name, Access(name, "published", 0, origin, "write", Place(memory, BUFFER_OFFSET)), nbytes


def _crowds(sip: Sip) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Who writes where, all at once."""
    first, following = sip.cubes[:2]
    others = [tile.router_part for tile in first.pes[1:]]
    everybody = [(cube, pe) for cube in sip.cubes for pe in range(8)]
    for count in (1, 2, 3):
        name = f"hot slice, {count} PE" + ("s" if count > 1 else "")
        yield name, [(issuer, first.hbm[0]) for issuer in others[:count]]
    yield "8 PEs to one slice", [(tile.router_part, first.hbm[0]) for tile in first.pes]
    yield "8 PEs to one of the next cube", [(tile.router_part, following.hbm[0]) for tile in first.pes]
    yield "128 PEs to their own slices", [(cube.pes[pe].router_part, cube.hbm[pe]) for cube, pe in everybody]
    yield "128 PEs to one slice", [(cube.pes[pe].router_part, first.hbm[0]) for cube, pe in everybody]


def _makespan_ns(site: Site, pairs: Sequence[tuple[str, str]]) -> Fraction:
    """Until the last of them knows that its 16 KiB are written."""
    env = Environment()
    machine = site.machine(env, [site.route(origin, memory) for origin, memory in pairs])
    left = Countdown(env, len(pairs), "writes")
    for origin, memory in pairs:
        place = Place(memory, BUFFER_OFFSET)
        machine.ask(origin, "write", place, SIZE, f"{origin} to {memory}").callbacks.append(left.arrive)
    env.run(left)
    return Fraction(env.now, TICKS_PER_NS)


def _all_reduce() -> Iterator[Comparison]:
    """What slots in SRAM and HBM cost beyond slots in TCM: 12 hops, at each a write and a read."""
    for nbytes, (tcm, *others) in ALL_REDUCE.items():
        base = _accesses_ns("tcm", nbytes)
        for tier, published in zip(("sram", "hbm"), others, strict=True):
            row = Published(
                f"all-reduce of {nbytes} bytes, {tier} beyond tcm",
                round(published - tcm, 2),
                f"{2 * ALL_REDUCE_HOPS} x (setup + bytes / rate) on both sides; here timed by the parts",
            )
            yield _row(row, _accesses_ns(tier, nbytes) - base)


def _accesses_ns(tier: str, nbytes: int) -> Fraction:
    return ALL_REDUCE_HOPS * (slot_access_ns(tier, "write", nbytes) + slot_access_ns(tier, "read", nbytes))


def _row(published: Published, ours: Fraction) -> Comparison:
    off = float(100 * (ours - Fraction(published.value_ns)) / Fraction(published.value_ns))
    verdict = "same" if abs(off) <= SAME_PCT else "same shape" if abs(off) <= SHAPE_PCT else "differs"
    return Comparison(published.name, published.value_ns, float(ours), off, verdict, published.reading)
