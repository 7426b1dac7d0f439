"""What can be asked for: ranks by name, grids, roots, streams; and what is said when something is wrong."""

from __future__ import annotations

import pytest

from simcore.errors import InputError
from topology.collectives.layout import Grid, Packages
from topology.collectives.plan import Collective, plan_of
from topology.collectives.ranks import layout_of
from topology.collectives.send import Extent
from topology.collectives.shares import cut, stream_shares
from topology.collectives.slots import TIERS, tier_of
from topology.loader import load_system
from topology.system import System


def said(error: pytest.ExceptionInfo[InputError]) -> list[str]:
    return [str(problem) for problem in error.value.problems]


def test_pe_0_of_every_cube_takes_part_unless_others_are_named(kernbench_2x4x4: System):
    layout = layout_of(kernbench_2x4x4)
    assert layout.grid == Grid(4, 4, Packages(2, 1, "ring_1d"))
    assert layout.nodes[:2] == ("sip0.cube0.pe0.pe_dma", "sip0.cube1.pe0.pe_dma") and len(layout.nodes) == 32
    assert layout_of(kernbench_2x4x4, "pe0") == layout
    assert layout_of(kernbench_2x4x4, "pe7").nodes[31] == "sip1.cube15.pe7.pe_dma"


def test_one_package_part_of_one_and_a_row_are_grids_of_their_own(kernbench_2x4x4: System):
    assert layout_of(kernbench_2x4x4, "sip1.cube*.pe0").grid == Grid(4, 4)
    square = "sip0.cube5.pe0,sip0.cube6.pe0,sip0.cube9.pe0,sip0.cube10.pe0"
    assert layout_of(kernbench_2x4x4, square).grid == Grid(2, 2)
    assert layout_of(kernbench_2x4x4, "sip0.cube4.pe0,sip0.cube5.pe3").grid == Grid(2, 1)


def test_ranks_that_fill_no_grid_only_have_an_order(kernbench_2x4x4: System):
    for ranks in ("sip0.cube1.pe0,sip0.cube0.pe0", "sip0.cube0.pe*", "sip0.cube0.pe0,sip0.cube5.pe0", "sip0.io0.*"):
        assert layout_of(kernbench_2x4x4, ranks).grid is None
    assert layout_of(kernbench_2x4x4, "sip0.cube0.pe*", "4x2").grid == Grid(4, 2)


def test_routers_of_a_mesh_and_cores_of_a_chip_take_part_by_themselves(mesh_4x4_small: System):
    assert layout_of(mesh_4x4_small).grid == Grid(4, 4)
    assert layout_of(mesh_4x4_small, "mesh.r1c*").grid == Grid(4, 1)
    assert layout_of(load_system("trn2")).nodes == tuple(f"nc{c}" for c in range(8))
    assert layout_of(load_system("trn2"), grid="2x2x2").grid == Grid(2, 2, Packages(2, 1, "ring_1d"))


def test_everything_that_is_wrong_with_ranks_and_grid_is_said_at_once(kernbench_2x4x4: System):
    with pytest.raises(InputError) as error:
        layout_of(kernbench_2x4x4, "pe9, sip0.cube0.pee0,sip0.cube1.pe0,sip0.cube1.pe*", "4*4")
    messages = said(error)
    assert messages[0] == "--ranks: no PE 9 in a cube (allowed: pe0 to pe7)"
    assert messages[1].startswith('--ranks: no part "sip0.cube0.pee0"')
    assert messages[1].endswith('did you mean "sip0.cube0.pe0"?)')
    assert messages[2] == "--ranks: sip0.cube1.pe0.pe_dma stands twice in the list"
    assert messages[3] == '--grid: "4*4" (expected WxH, or WxHxP for P packages)'
    with pytest.raises(InputError) as error:
        layout_of(kernbench_2x4x4, "pe0", "4x4")
    assert said(error) == ["--grid: 4x4 has 16 places for 32 ranks"]


def test_a_system_without_usual_ranks_asks_for_them(tmp_path):
    (tmp_path / "line.yaml").write_text(
        "schema: kernbench.topology/1\nname: line\nsystem: {ns_per_mm: 0, flit_bytes: 256, arbitration: fifo, "
        "window_flits: 16, buffer_bytes: null, ucie_spreading: none}\n"
        "graph:\n  nodes: [a, b]\n  links: [{src: a, dst: b, both_ways: true, bw_gbs: 1, length_mm: 0, overhead_ns: 0}]"
    )
    system = load_system(tmp_path / "line.yaml")
    with pytest.raises(InputError, match="--ranks: is missing: line has no PE tiles"):
        layout_of(system)
    assert layout_of(system, "*").nodes == ("a", "b")


def test_everything_that_is_wrong_with_a_collective_is_said_at_once():
    with pytest.raises(InputError) as error:
        plan_of(Collective("all_reduced", "tours", 0, 4))
    assert said(error) == [
        'KIND: unknown word "all_reduced" (allowed: all_reduce, all_gather, reduce_scatter, broadcast, all_to_all; '
        'did you mean "all_reduce"?)',
        '--algorithm: unknown word "tours" (allowed: ring, torus, hierarchical, pairwise; did you mean "torus"?)',
        "--bytes: 0 (expected a number of bytes, 1 or more)",
    ]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Collective("all_gather", "torus", 8, 4), "torus needs ranks in a grid"),
        (Collective("all_gather", "torus", 8, 5, Grid(2, 2)), "--grid: has 4 places for 5 ranks"),
        (Collective("all_gather", "ring", 8, 4, root="2"), "--root: ring all_gather has no root"),
        (Collective("broadcast", "ring", 8, 4, root="4"), r'no root "4" \(allowed: corner, 0 to 3'),
        (Collective("broadcast", "ring", 8, 4, root="centre"), r'no root "centre" \(allowed: corner, 0 to 3'),
        (Collective("broadcast", "torus", 8, 4, Grid(2, 2), root="center"), 'did you mean "centre"'),
        (Collective("all_reduce", "hierarchical", 8, 8, Grid(2, 2, Packages(2, 1, "ring_1d")), root="4"), "0 to 3"),
        (Collective("all_to_all", "ring", 8, 4), r"--algorithm: ring does no all_to_all \(allowed for it: pairwise\)"),
        (Collective("all_reduce", "pairwise", 8, 4), r"pairwise does no all_reduce \(allowed for it: ring, torus"),
        (Collective("all_to_all", "pairwise", 8, 4, root="1"), "pairwise all_to_all has no root"),
        (Collective("all_reduce", "ring", 8, 0), "--ranks: no rank takes part"),
    ],
)
def test_what_does_not_go_together_is_an_error(asked: Collective, message: str):
    with pytest.raises(InputError, match=message):
        plan_of(asked)


def test_parts_have_whole_grains_and_all_bytes():
    assert cut(Extent(10, 23), [1, 1, 1], 4) == [Extent(10, 4), Extent(14, 8), Extent(22, 11)]
    assert [e.nbytes for e in cut(Extent(0, 3), [1] * 5)] == [0, 1, 0, 1, 1]


def test_streams_carry_their_generations_shares():
    assert {s: float(share) for s, share in stream_shares("core_v4").items()} == {0: 0.5, 1: 0.25, 2: 0.25}
    assert {s: float(share) for s, share in stream_shares("sunda").items()} == dict.fromkeys(range(4), 0.25)
    with pytest.raises(InputError, match=r'--streams: unknown streams "5" \(allowed: 1, 2, 3, 4, sunda, gen3'):
        stream_shares("5")


def test_tiers_are_those_that_are_published():
    told = {name: (tier.bw_gbs, tier.setup_ns) for name, tier in TIERS.items()}
    assert told == {"tcm": (512, 0), "sram": (128, 2), "hbm": (32, 6)}
    with pytest.raises(InputError, match='did you mean "sram"'):
        tier_of("srm")
