"""What must happen to the probe when a system changes: something, in the right direction, and explained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import pytest

from benches.probe.cases import Case, cases_of
from benches.probe.formula import Predicted
from benches.probe.predict import course_of, predicted
from benches.probe.simulate import actual_ns
from tests.benches.probe.altered import Change, Written, with_links, with_nodes, with_written, written_numbers
from topology.loader import load_system
from topology.machine.site import Site
from topology.probe_places import NoPlace
from topology.system import LinkSpec, NodeSpec, System

NBYTES = 8192
SLOW = {"launch-all-cubes"}
"""Cases that say nothing about a parameter that a smaller one does not say."""
BROAD = ("pe-cross-sip-hbm-read", "pe-cross-cube-hbm-best", "pe-gemm-tile", "pe-sram-read", "pe-local-hbm-touched")
NO_QUANTITIES = {"neuron_core": "a generation is a name", "dma_engine.queues": "rings only meet in crowds"}


@lru_cache(maxsize=8)
def base(name: str) -> System:
    """The shipped system; where two numbers that count only together are 0, so that neither alone shows, both are 1."""

    def translating(node: NodeSpec) -> NodeSpec:
        one = {"tlb_hit_ns": Fraction(1), "tlb_miss_ns": Fraction(1)}
        return replace(node, parameters={**node.parameters, **one}) if node.kind == "pe_mmu" else node

    system = with_nodes(load_system(name), translating)
    if not system.ns_per_mm:
        longer = with_links(system, lambda link: replace(link, length_mm=link.length_mm or Fraction(1)))
        return replace(longer, ns_per_mm=Fraction(1))
    return system


def placed(site: Site) -> list[Case]:
    """Those that show most come first."""
    cases = [c for c in cases_of(site, further=True) if not isinstance(c, NoPlace) and c.name not in SLOW]
    return sorted(cases, key=lambda case: case.name not in BROAD)


@lru_cache(maxsize=8)
def results(name: str) -> dict[str, Fraction]:
    site = Site(base(name))
    return {case.name: actual_ns(site, case, NBYTES) for case in placed(site)}


def saying(site: Site, case: Case) -> Predicted:
    return predicted(site, case, course_of(site, case), NBYTES)


def changes(value: Fraction) -> Iterator[Fraction]:
    """Other values to try: a number that does not show when it grows (it is no bottleneck) may when it shrinks."""
    if not value:
        yield from (Fraction(8), Fraction(100))
    else:
        yield from (value / 2, value * 2, value / 8)


def to(value: Fraction) -> Change:
    return lambda _old: value


def notices(name: str, system: System) -> bool:
    """Whether a case takes another time in ``system``; each one that does must be explained there, too."""
    site = Site(system)
    for case in placed(site):
        actual = actual_ns(site, case, NBYTES)
        if actual != results(name).get(case.name):
            assert actual == saying(site, case).total_ns, case.name
            return True
    return False


def numbers_of(name: str) -> list[Written]:
    found = []
    for number in written_numbers(base(name)):
        if number.kind not in NO_QUANTITIES and f"{number.kind}.{number.key}" not in NO_QUANTITIES:
            found.append(number)
    return found


@pytest.mark.parametrize("name", ["kernbench_2x4x4", "mesh_4x4_small", "trn1", "trn2", "trn3"])
def test_no_number_of_a_shipped_system_is_dead(name: str):
    system = base(name)
    dead = [
        str(number)
        for number in numbers_of(name)
        if not any(notices(name, with_written(system, number, to(value))) for value in changes(number.value))
    ]
    for key, other in (("ns_per_mm", Fraction(2)), ("flit_bytes", 64)):
        dead += [] if notices(name, replace(system, **{key: other})) else [key]
    assert dead == []


@pytest.mark.parametrize("name", ["kernbench_2x4x4", "mesh_4x4_small"])
def test_more_bandwidth_less_latency_and_more_depth_never_slow_a_lone_transfer(name: str):
    def quicker(link: LinkSpec) -> LinkSpec:
        return replace(link, bw_gbs=2 * link.bw_gbs if link.bw_gbs is not None else None)

    def nearer(node: NodeSpec) -> NodeSpec:
        given = node.parameters
        return replace(node, parameters={**given, "overhead_ns": Fraction(0)} if "overhead_ns" in given else given)

    system = base(name)
    window = replace(system, window_flits=4)
    for slower, faster in (
        (system, with_links(system, quicker)),
        (system, with_nodes(system, nearer)),
        (window, replace(system, window_flits=8)),
        (replace(system, buffer_bytes=512), replace(system, buffer_bytes=4096)),
    ):
        before, after = Site(slower), Site(faster)
        for case in placed(before):
            assert actual_ns(after, case, NBYTES) <= actual_ns(before, case, NBYTES), case.name


@pytest.mark.parametrize("name", ["kernbench_2x4x4", "mesh_4x4_small", "trn2"])
def test_k_times_every_bandwidth_is_a_kth_of_every_drain(name: str):
    def scaled(key: str, value: object) -> object:
        return value * 4 if key.endswith("_gbs") and isinstance(value, int | Fraction) else value

    system = base(name)
    fast = with_links(system, lambda link: replace(link, bw_gbs=4 * link.bw_gbs if link.bw_gbs is not None else None))
    fast = with_nodes(
        fast, lambda node: replace(node, parameters={k: scaled(k, v) for k, v in node.parameters.items()})
    )
    slow_site, fast_site = Site(system), Site(fast)
    for case in placed(slow_site):
        before, after = saying(slow_site, case), saying(fast_site, case)
        assert after.drain_ns * 4 == before.drain_ns
        assert (after.wire_ns, after.overhead_ns) == (before.wire_ns, before.overhead_ns)
        bandwidth_terms = ("flit_fill", "store_and_forward", "first_burst", "last_burst", "memory_backlog")
        for term in bandwidth_terms:
            assert after.terms.get(term, 0) * 4 == before.terms.get(term, 0)
        assert actual_ns(fast_site, case, NBYTES) == after.total_ns
