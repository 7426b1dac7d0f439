"""Routes of shipped systems cannot wait for each other in a circle, and a system in which they can is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.topology.small import HEAD, LINE, TRAY, loaded, problems_of, written
from topology.check import check_file
from topology.routes.dependencies import dependencies_of_all, find_cycle
from topology.routes.router import PathRouter
from topology.system import System


def test_the_large_system_is_free_of_circles_when_it_spreads(kernbench_2x4x4: System):
    # As it is shipped, and all other systems: test_systems.py, which checks each of them as a whole.
    router = PathRouter(replace(kernbench_2x4x4, ucie_spreading="by_source"))
    assert find_cycle(dependencies_of_all(router)) == []


@pytest.mark.parametrize("spreading", ["none", "by_source"])
def test_a_mesh_round_a_hole_is_free_of_circles(tmp_path: Path, spreading: str):
    system = loaded(tmp_path, TRAY.replace("ucie_spreading: none", f"ucie_spreading: {spreading}"))
    assert find_cycle(dependencies_of_all(PathRouter(system))) == []


def ring(count: int) -> str:
    links = "".join(f"  - {{src: n{k}, dst: n{(k + 1) % count}, both_ways: true, {LINE}}}\n" for k in range(count))
    return f"{HEAD}graph:\n  nodes: [{', '.join(f'n{k}' for k in range(count))}]\n  links:\n{links}"


def test_a_ring_of_five_is_refused_with_its_circle(tmp_path: Path):
    (problem,) = problems_of(tmp_path, ring(5))
    assert problem == (
        " routes could deadlock: 5 links wait for each other in a circle: n0 -> n4 -> n3 -> n2 -> n1 -> n0"
    )


def test_a_ring_of_three_has_no_way_of_two_links(tmp_path: Path):
    assert problems_of(tmp_path, ring(3)) == []


def test_a_long_circle_is_cut_in_the_message(tmp_path: Path):
    (problem,) = problems_of(tmp_path, ring(20))
    assert "20 links wait for each other in a circle: n0 -> n19 -> " in problem
    assert problem.endswith("-> n9 -> (8 more) -> n0")


def test_a_mesh_whose_hole_leaves_only_unsafe_ways_is_refused(tmp_path: Path):
    # Every router of a free graph may be an end, also those north and south of the hole in its columns.
    text = (
        f"{HEAD}graph:\n  meshes:\n  - {{name: m, w: 4, h: 4, pitch_mm: [1, 1], holes: [r1c1, r1c2, r2c1, r2c2], "
        f"router: {{kind: node}}, link: {{{LINE}}}}}\n"
    )
    (problem,) = problems_of(tmp_path, text)
    assert "routes could deadlock: 12 links wait for each other in a circle: " in problem


def test_replies_over_the_opposite_links_are_a_remark_where_buffers_are_finite(tmp_path: Path):
    mesh = f"{{name: m, w: 2, h: 2, pitch_mm: [1, 1], router: {{kind: node}}, link: {{{LINE}}}}}"
    text = f"{HEAD}graph:\n  meshes:\n  - {mesh}\n"
    assert check_file(written(tmp_path, text)).remarks == []
    checked = check_file(written(tmp_path, text.replace("buffer_bytes: null", "buffer_bytes: 1024")))
    assert checked.problems == []
    assert checked.remarks == [
        "buffers are finite, and replies that go back over the opposite links could deadlock with requests: "
        "4 links wait for each other in a circle: m.r0c0 -> m.r0c1 -> m.r1c1 -> m.r1c0 -> m.r0c0"
    ]
