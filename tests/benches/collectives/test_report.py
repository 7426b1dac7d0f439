"""The report: bandwidths as the field's benchmarks define them, phases that add up, and where the root is."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import pytest

from benches.collectives.build import Request, bus_factor, report_of
from benches.collectives.plot import bandwidth_plot
from benches.collectives.sizes import shown_size, size_of, sweep_of
from simcore.errors import InputError
from topology.collectives.plan import ALGORITHMS, ALL_TO_ALL, KINDS
from topology.collectives.ranks import layout_of
from topology.collectives.shares import stream_shares
from topology.collectives.slots import TIERS, Costs
from topology.loader import load_system
from topology.system import System


@pytest.fixture(scope="module")
def small() -> System:
    return load_system("mesh_4x4_small")


def test_bus_bandwidth_is_that_of_nccl_tests():
    factors = {kind: bus_factor(kind, 8) for kind in (*KINDS, ALL_TO_ALL)}
    assert factors == {
        "all_reduce": Fraction(14, 8),
        "all_gather": Fraction(7, 8),
        "reduce_scatter": Fraction(7, 8),
        "broadcast": 1,
        "all_to_all": Fraction(7, 8),
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_phases_and_streams_add_up_to_the_whole(small: System, kind: str, algorithm: str):
    costs = Costs(TIERS["sram"], Fraction(1, 100))
    request = Request(kind, algorithm, [3000, 5000], layout_of(small), stream_shares("2"), costs=costs)
    report = report_of(small, request)
    for point in report.points:
        assert sum(phase.critical_ns for phase in point.phases) == pytest.approx(point.time_ns, rel=1e-12)
        assert max(stream.end_ns for stream in point.streams) == point.time_ns
        assert sum(phase.bytes for phase in point.phases) == sum(stream.bytes for stream in point.streams)
        assert point.algbw_gbs == pytest.approx(point.bytes / point.time_ns)
        assert point.busbw_gbs == pytest.approx(report.bus_factor * point.algbw_gbs)
        said = point.alpha_beta
        assert said.time_ns == pytest.approx(said.alpha_ns + said.bytes_ns)
        assert point.busiest_link is not None
        assert point.busiest_link.utilisation_pct == pytest.approx(100 * point.busiest_link.busy_ns / point.time_ns)
        assert 0 < point.busiest_link.utilisation_pct <= 100
    assert [place.root for place in report.roots] == (["corner", "centre"] if algorithm == "hierarchical" else [])


def test_moving_the_root_to_the_centre_takes_the_critical_path_from_12_to_8_sends():
    system = load_system("kernbench_2x4x4")
    layout = layout_of(system, "sip0.cube*.pe0")
    report = report_of(system, Request("all_reduce", "hierarchical", [4096], layout, stream_shares("1")))
    corner, centre = report.roots
    assert (corner.rank, corner.steps) == (0, 12)
    assert (centre.rank, centre.steps) == (10, 8)
    assert 8 / 12 < centre.time_ns / corner.time_ns < 1
    assert sum(phase.critical_sends for phase in report.points[0].phases) == 12
    assert corner.time_ns == report.points[0].time_ns


def test_one_rank_takes_no_time_and_has_no_bandwidth(small: System):
    layout = layout_of(small, "mesh.r0c0")
    report = report_of(small, Request("all_reduce", "ring", [64], layout, stream_shares("1")))
    point = report.points[0]
    assert (point.time_ns, point.algbw_gbs, point.busbw_gbs, point.busiest_link) == (0, None, None, None)
    assert (point.alpha_beta.steps, point.alpha_beta.error_pct, point.bound_ns, point.phases) == (0, None, 0, [])
    ElementTree.fromstring(bandwidth_plot(report))


def test_a_run_is_told_of_while_it_goes_on(small: System):
    told: list[str] = []
    layout = layout_of(small, "mesh.r0c0,mesh.r0c1,mesh.r0c2")
    report_of(small, Request("all_gather", "ring", [1024, 2048], layout, stream_shares("1")), told.append)
    assert told == [f"{size} KiB: {over} of 6 sends" for size in (1, 2) for over in range(1, 7)]


def test_the_drawing_has_a_point_for_every_size(small: System):
    request = Request("all_gather", "ring", sweep_of("1KiB:8KiB", "--sweep"), layout_of(small), stream_shares("1"))
    drawing = bandwidth_plot(report_of(small, request))
    root = ElementTree.fromstring(drawing)
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == 4
    assert all(f">{size} KiB<" in drawing for size in (1, 2, 4, 8))


def test_sizes_are_bytes_or_have_a_binary_unit():
    assert [size_of(word, "--bytes") for word in ("7", "4KiB", "1 MiB", "2GiB")] == [7, 4096, 1 << 20, 2 << 30]
    assert sweep_of("3:50", "--sweep") == [3, 6, 12, 24, 48]
    assert [shown_size(n) for n in (7, 4096, 4100, 3 << 20)] == ["7", "4 KiB", "4100", "3 MiB"]
    for word in ("0", "-1", "4KB", "1.5", "", "1e3"):
        with pytest.raises(InputError, match="--bytes: "):
            size_of(word, "--bytes")
    for word, faults in (("4", 1), ("x:y", 2), ("8:4", 1), ("x:", 2)):
        with pytest.raises(InputError) as error:
            sweep_of(word, "--sweep")
        assert len(error.value.problems) == faults


def test_cores_with_several_dma_engines_say_that_a_send_uses_one_of_them(small: System):
    def notes(system: System) -> list[str]:
        request = Request("all_reduce", "ring", [4096], layout_of(system), stream_shares("1"))
        return report_of(system, request).notes

    assert notes(small) == []
    (note,) = notes(load_system("trn2"))
    assert "one of the 16 DMA engines" in note
