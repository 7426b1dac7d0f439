"""UCIe ports, switches and PCIe endpoints of ADR-0048: what a transfer pays to pass them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import pytest

from components.fabric.fabric import Fabric
from components.fabric.flow import Flow
from components.registry import build
from simcore.kernel import Environment

LINK = {"bw_gbs": 128, "propagation_ns": 0, "overhead_ns": 0, "arbitration": "flow_round_robin"}
FLIT_PS = 2000
"""256 bytes at 128 GB/s."""


def end_ps(parts: Sequence[tuple[str, float]], nbytes: int) -> int:
    """When a lone transfer over ``parts`` (kind, overhead in ns), all in a row, is delivered at the last."""
    env = Environment()
    fabric = cast(Fabric, build(env, "fabric", "fabric", {"flit_bytes": 256, "coalesce": True}, {}))
    hops = [build(env, kind, f"{kind}{i}", {"overhead_ns": ns}, {}) for i, (kind, ns) in enumerate(parts)]
    path = []
    for i, (here, there) in enumerate(pairwise(hops)):
        path.append(build(env, "link", f"link{i}", LINK, {}))
        fabric.connect(path[-1], here, there)
    env.run(fabric.submit(Flow("f", nbytes, tuple(path), None)))
    assert [(hop.accepted, hop.completed, hop.passed_bytes) for hop in hops] == [(1, 1, nbytes)] * len(hops)
    return env.now


def test_a_crossing_of_two_chiplets_costs_the_ports_of_both_sides():
    without = end_ps([("router", 0), ("router", 0), ("router", 0), ("router", 0)], 4096)
    crossing = end_ps([("router", 0), ("ucie_port", 8), ("ucie_port", 8), ("router", 0)], 4096)
    assert crossing - without == 16_000


@pytest.mark.parametrize("kind", ["ucie_port", "switch"])
def test_a_part_that_does_not_reassemble_lets_flits_go_on_as_they_come(kind):
    assert end_ps([("router", 0), (kind, 5), ("router", 0)], 16_384) == 128_000 + FLIT_PS + 5000


def test_a_transfer_that_passes_a_pcie_endpoint_is_paid_for_on_both_sides():
    assert end_ps([("router", 0), ("pcie_endpoint", 5), ("router", 0)], 16_384) == 2 * 128_000 + 5000


def test_a_transfer_between_packages_pays_its_bytes_three_times_and_the_switch_holds_nothing_up():
    way = [("router", 0), ("pcie_endpoint", 5), ("switch", 5), ("pcie_endpoint", 5), ("router", 0)]
    assert end_ps(way, 16_384) == 3 * 128_000 + FLIT_PS + 3 * 5000


def test_a_transfer_that_starts_or_ends_at_a_pcie_endpoint_is_not_held_up():
    assert end_ps([("pcie_endpoint", 5), ("router", 0), ("router", 0)], 16_384) == 128_000 + FLIT_PS + 5000
    assert end_ps([("router", 0), ("router", 0), ("pcie_endpoint", 5)], 16_384) == 128_000 + FLIT_PS + 5000


def test_a_transfer_without_payload_pays_only_the_overheads():
    assert end_ps([("pcie_endpoint", 5), ("ucie_port", 8), ("pcie_endpoint", 5), ("switch", 5)], 0) == 23_000
