"""Hierarchies of any size: every part is reached from every other, and full meshes have no circles."""

from __future__ import annotations

import itertools
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.topology.small import TRAY, loaded
from topology.mesh import MeshShape
from topology.routes.dependencies import dependencies_of_all, find_cycle
from topology.routes.router import PathRouter
from topology.system import System


@dataclass(frozen=True)
class Plan:
    """A hierarchy to be written: cubes and routers along x and y, holes, tiles, columns of cubes under an IO port."""

    cubes: tuple[int, int]
    routers: tuple[int, int]
    holes: list[tuple[int, int]]
    tiles: list[tuple[int, int]]
    ports: list[int]
    spreading: str
    sips: int

    def text(self) -> str:
        w, h = self.routers

        def listed(cells: list[tuple[int, int]]) -> str:
            return f"[{', '.join(f'r{row}c{column}' for row, column in cells)}]"

        def side(cells: list[tuple[int, int]]) -> str:
            return f"[{', '.join(listed([cell]) for cell in cells if cell not in self.holes)}]"

        edges = {
            "N": [(0, c) for c in range(w)],
            "S": [(h - 1, c) for c in range(w)],
            "W": [(r, 0) for r in range(h)],
            "E": [(r, w - 1) for r in range(h)],
        }
        sides = ", ".join(f"{name}: {side(cells)}" for name, cells in edges.items())
        text = TRAY.replace("count: 2, topology", f"count: {self.sips}, topology")
        text = text.replace("ucie_spreading: none", f"ucie_spreading: {self.spreading}")
        text = text.replace("{w: 2, h: 2, cube_pitch_mm", f"{{w: {self.cubes[0]}, h: {self.cubes[1]}, cube_pitch_mm")
        text = text.replace("size_mm: [8, 8]", "size_mm: [20, 20]").replace("[10, 10]", "[22, 22]")
        text = text.replace("w: 3, h: 3, holes: [r1c1]", f"w: {w}, h: {h}, holes: {listed(self.holes)}")
        text = text.replace("at: [r0c0, r2c2]", f"at: {listed(self.tiles)}")
        text = text.replace("hbm_slices: 2", f"hbm_slices: {len(self.tiles)}")
        text = text.replace("hbm_gib: 2", f"hbm_gib: {len(self.tiles)}")
        attach = ", ".join(f"{{cube: {x}, side: N}}" for x in self.ports)
        text = text.replace("attach: [{cube: 0, side: N}, {cube: 1, side: N}]", f"attach: [{attach}]")
        begin = text.index("    sides: {N:")
        return text[:begin] + f"    sides: {{{sides}}}\n" + text[text.index("pe:\n  parts") :]


@st.composite
def plans(draw: st.DrawFn, *, full: bool) -> Plan:
    cubes = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    w, h = draw(st.tuples(st.integers(2, 5), st.integers(2, 5)))
    inner = [(row, column) for row in range(1, h - 1) for column in range(1, w - 1)]
    holes = [] if full or not inner else draw(st.lists(st.sampled_from(inner), max_size=4, unique=True))
    shape = MeshShape(w, h, frozenset(holes))
    tiles = draw(st.lists(st.sampled_from(sorted(shape.cells())), min_size=1, max_size=4, unique=True))
    ports = list(range(cubes[0])) if full else draw(
        st.lists(st.integers(0, cubes[0] - 1), min_size=1, max_size=3, unique=True)
    )  # fmt: skip
    return Plan(
        cubes, (w, h), holes, tiles, ports, draw(st.sampled_from(["none", "by_source"])), draw(st.integers(1, 2))
    )


def built(plan: Plan) -> System:
    with tempfile.TemporaryDirectory() as folder:
        return loaded(Path(folder), plan.text())


@settings(max_examples=25)
@given(plans(full=False), st.randoms(use_true_random=False))
def test_every_part_is_reached_from_every_other(plan: Plan, chance: Random):
    system = built(plan)
    router, parts = PathRouter(system), list(system.graph)
    for src, dst in [chance.choices(parts, k=2) for _ in range(40)]:
        route = router.find_path(src, dst)
        assert (route.nodes[0], route.nodes[-1]) == (src, dst)
        assert [(link.src, link.dst) for link in route.links] == list(itertools.pairwise(route.nodes))
        assert len(set(route.nodes)) == len(route.nodes)


@settings(max_examples=25)
@given(plans(full=True))
def test_full_meshes_with_a_port_above_every_column_have_no_circles(plan: Plan):
    assert find_cycle(dependencies_of_all(PathRouter(built(plan)))) == []
