"""What ADR-0064 says that collectives show."""

from __future__ import annotations

from importlib import resources

import pytest

from benches.collectives.build import Request, report_of
from topology.collectives.plan import ALGORITHMS, KINDS
from topology.collectives.ranks import layout_of
from topology.collectives.shares import stream_shares
from topology.collectives.slots import TIERS, Costs
from topology.loader import load_system
from topology.system import System


@pytest.fixture(scope="module")
def small() -> System:
    return load_system("mesh_4x4_small")


def times_ns(system: System, kind: str, algorithm: str, *sizes: int) -> list[float]:
    report = report_of(system, Request(kind, algorithm, sizes, layout_of(system), stream_shares("1")))
    return [point.time_ns for point in report.points]


def test_few_long_hops_win_for_small_messages_and_many_short_ones_for_large(small: System):
    found = {algorithm: times_ns(small, "all_reduce", algorithm, 256, 65536) for algorithm in ALGORITHMS}
    rounded = {algorithm: [round(time) for time in times] for algorithm, times in found.items()}
    assert rounded == {"ring": [448, 1685], "torus": [108, 1105], "hierarchical": [72, 6192]}


def test_one_package_takes_two_thirds_of_the_time_with_the_root_in_the_centre():
    system = load_system("kernbench_2x4x4")
    layout = layout_of(system, "sip1.cube*.pe0")
    for nbytes in (256, 98304):
        request = Request("all_reduce", "hierarchical", [nbytes], layout, stream_shares("1"))
        corner, centre = report_of(system, request).roots
        assert (corner.steps, centre.steps) == (12, 8)
        assert centre.time_ns / corner.time_ns == pytest.approx(2 / 3, abs=0.001)


def test_with_six_packages_in_a_torus_the_centre_gains_for_large_and_loses_for_small(tmp_path):
    text = (resources.files("topology") / "systems" / "kernbench_2x4x4.yaml").read_text()
    text = text.replace("count: {value: 2,", "count: {value: 6,")
    text = text.replace("  topology: ring_1d", "  topology: torus_2d\n  w: 3\n  h: 2")
    (tmp_path / "six.yaml").write_text(text)
    system = load_system(tmp_path / "six.yaml")
    change = {}
    for nbytes in (256, 98304):
        costs = Costs(TIERS["tcm"])
        request = Request("all_reduce", "hierarchical", [nbytes], layout_of(system), stream_shares("1"), costs=costs)
        corner, centre = report_of(system, request).roots
        change[nbytes] = round(100 * (centre.time_ns / corner.time_ns - 1))
    assert change == {256: 49, 98304: -22}


def test_four_streams_make_the_analysis_too_slow_never_too_fast_on_the_small_mesh(small: System):
    errors = []
    for kind in KINDS:
        for algorithm in ALGORITHMS:
            report = report_of(small, Request(kind, algorithm, [16384], layout_of(small), stream_shares("4")))
            errors.append(report.points[0].alpha_beta.error_pct)
    assert all(error is not None and -50 < error <= 0 for error in errors)
    assert min(error for error in errors if error is not None) < -33


def test_sends_of_several_steps_of_an_all_to_all_meet_which_the_analysis_does_not_see(small: System):
    request = Request("all_to_all", "pairwise", [65536], layout_of(small), stream_shares("1"))
    (point,) = report_of(small, request).points
    assert point.alpha_beta.error_pct == pytest.approx(18, abs=0.5)
    assert point.bound_ns is not None and point.time_ns > point.bound_ns
    assert point.busiest_link is not None and point.time_ns > point.busiest_link.busy_ns
