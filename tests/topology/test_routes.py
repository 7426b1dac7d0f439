"""Routes of shipped and small systems: which way they take, how long they are, and what they may use."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from simcore.errors import InputError
from tests.topology.small import GRAPH, TRAY, loaded
from topology.kinds import PE_KINDS, UCIE_KINDS, EdgeSet
from topology.routes.router import NoRouteError, PathRouter
from topology.system import System

CUBE = "sip0.cube0"


def short(route_nodes: tuple[str, ...], prefix: str = f"{CUBE}.") -> list[str]:
    return [node.removeprefix(prefix) for node in route_nodes]


def test_every_pair_of_the_small_mesh_is_as_far_as_its_columns_and_rows_are_apart(mesh_4x4_small: System):
    router, (mesh,) = PathRouter(mesh_4x4_small), mesh_4x4_small.meshes
    for (src, a), (dst, b) in itertools.product(mesh.cell.items(), repeat=2):
        route = router.find_path(src, dst)
        hops = abs(a[0] - b[0]) + abs(a[1] - b[1])
        assert (len(route.links), route.length_mm) == (hops, 3 * hops)
        assert router.find_path(dst, src).length_mm == route.length_mm
        rows = [mesh.cell[node][0] for node in route.nodes]
        assert rows[: abs(a[1] - b[1]) + 1] == [a[0]] * (abs(a[1] - b[1]) + 1)


@pytest.mark.parametrize(
    ("src", "dst", "nodes"),
    [
        ("pe0.pe_dma", "hbm_ctrl.pe0", "pe0.pe_dma r0c0 hbm_ctrl.pe0"),
        ("pe0.pe_dma", "hbm_ctrl.pe1", "pe0.pe_dma r0c0 r0c1 hbm_ctrl.pe1"),
        ("pe0.pe_dma", "hbm_ctrl.pe4", "pe0.pe_dma r0c0 r1c0 r2c0 r3c0 r4c0 hbm_ctrl.pe4"),
        ("pe0.pe_tcm", "sram", "pe0.pe_tcm pe0.pe_dma r0c0 r1c0 r2c0 r3c0 sram"),
        ("hbm_ctrl.pe2", "m_cpu", "hbm_ctrl.pe2 r1c4 r1c3 r1c2 r0c2 m_cpu"),
        ("pe0.pe_cpu", "pe0.pe_math", "pe0.pe_cpu pe0.pe_scheduler pe0.pe_math"),
    ],
)
def test_ways_inside_a_cube(routes_2x4x4: PathRouter, src: str, dst: str, nodes: str):
    assert short(routes_2x4x4.find_path(f"{CUBE}.{src}", f"{CUBE}.{dst}").nodes) == nodes.split()


def test_a_hop_is_as_long_as_the_mesh_says(routes_2x4x4: PathRouter):
    lengths = [routes_2x4x4.find_path(f"{CUBE}.pe0.pe_dma", f"{CUBE}.hbm_ctrl.pe{k}").length_mm for k in range(8)]
    mesh = [0, 3, 12 + Fraction(5, 2), 15 + Fraction(5, 2), 10, 13, 12 + Fraction(25, 2), 15 + Fraction(25, 2)]
    assert lengths == [Fraction(15, 100) + length for length in mesh]


def test_the_bottleneck_between_cubes_is_a_ucie_connection(routes_2x4x4: PathRouter):
    near = routes_2x4x4.find_path(f"{CUBE}.pe0.pe_dma", f"{CUBE}.hbm_ctrl.pe7").bottleneck
    far = routes_2x4x4.find_path(f"{CUBE}.pe0.pe_dma", "sip0.cube1.hbm_ctrl.pe0").bottleneck
    assert near is not None and far is not None
    assert (near.bw_gbs, far.bw_gbs, far.kind) == (256, 128, "router_to_ucie")
    inside = routes_2x4x4.find_path(f"{CUBE}.pe0.pe_cpu", f"{CUBE}.pe0.pe_math")
    assert inside.bottleneck is None


def test_cubes_are_crossed_east_and_west_before_north_and_south(routes_2x4x4: PathRouter):
    route = routes_2x4x4.find_path("sip0.cube9.pe3.pe_dma", "sip0.cube2.hbm_ctrl.pe4")
    cubes = [key for key, _ in itertools.groupby(node.split(".")[1] for node in route.nodes)]
    assert cubes == ["cube9", "cube10", "cube6", "cube2"]


def test_without_spreading_all_eastward_traffic_shares_the_first_connection(routes_2x4x4: PathRouter):
    taken = {
        node
        for pe in range(8)
        for node in routes_2x4x4.find_path(f"{CUBE}.pe{pe}.pe_dma", f"sip0.cube1.hbm_ctrl.pe{pe}").nodes
        if "ucie" in node
    }
    assert taken == {f"{CUBE}.ucie-E.conn0", "sip0.cube1.ucie-W.conn0"}


def test_with_spreading_traffic_takes_the_connection_of_its_sources_row(kernbench_2x4x4: System):
    router = PathRouter(replace(kernbench_2x4x4, ucie_spreading="by_source"))
    taken = []
    for pe in range(8):
        route = router.find_path(f"{CUBE}.pe{pe}.pe_dma", f"sip0.cube1.hbm_ctrl.pe{pe}")
        taken.append(next(node[-1] for node in route.nodes if "ucie" in node))
        assert len(route.links) == 1 + 5 + 3 + 1  # own link, own row, the crossing, the slice
    assert taken == ["0", "0", "1", "1", "2", "2", "3", "3"]


def test_a_crossing_to_the_south_takes_the_connection_of_the_destinations_column(routes_2x4x4: PathRouter):
    taken = []
    for pe in range(8):
        route = routes_2x4x4.find_path(f"{CUBE}.pe0.pe_dma", f"sip0.cube4.hbm_ctrl.pe{pe}")
        taken.append(next(node[-1] for node in route.nodes if "ucie" in node))
    assert taken == ["0", "1", "2", "3", "0", "1", "2", "3"]


def test_the_host_comes_in_above_the_destinations_column(routes_2x4x4: PathRouter):
    nodes = routes_2x4x4.find_path("sip0.io0.pcie_ep", "sip0.cube6.hbm_ctrl.pe7").nodes
    assert short(nodes, "sip0.")[:6] == [
        "io0.pcie_ep", "io0.io_noc", "io0.io_ucie-P2.conn3", "cube2.ucie-N.conn3", "cube2.r0c5", "cube2.r1c5",
    ]  # fmt: skip


def test_another_package_is_reached_over_the_switch(routes_2x4x4: PathRouter):
    nodes = routes_2x4x4.find_path("sip0.cube0.pe0.pe_dma", "sip1.cube0.hbm_ctrl.pe0").nodes
    assert nodes[4:9] == (
        "sip0.io0.io_noc",
        "sip0.io0.pcie_ep",
        "fabric.switch0",
        "sip1.io0.pcie_ep",
        "sip1.io0.io_noc",
    )
    assert short(nodes, "sip1.")[-3:] == ["cube0.ucie-N.conn0", "cube0.r0c0", "cube0.hbm_ctrl.pe0"]


@pytest.mark.parametrize(("spreading", "cubes"), [("by_source", (0, 5, 15)), ("none", (0, 1, 3))])
def test_a_way_back_is_as_long(kernbench_2x4x4: System, spreading: str, cubes: tuple[int, ...]):
    # Without spreading, a way to another row of cubes may go north to the shared connection and south again.
    router = PathRouter(replace(kernbench_2x4x4, ucie_spreading=spreading))
    ends = [f"sip0.cube{cube}.pe{pe}.pe_dma" for cube in cubes for pe in range(8)]
    for a, b in itertools.combinations([*ends, "sip1.cube3.pe6.pe_dma", "sip0.io0.pcie_ep"], 2):
        assert router.find_path(a, b).length_mm == router.find_path(b, a).length_mm, (a, b)


def test_what_a_route_may_use(routes_2x4x4: PathRouter):
    m_cpu, pe_cpu = f"{CUBE}.m_cpu", f"{CUBE}.pe3.pe_cpu"
    assert routes_2x4x4.find_path(m_cpu, pe_cpu, EdgeSet.ALL).nodes == (m_cpu, pe_cpu)
    assert {link.kind for link in routes_2x4x4.find_path(m_cpu, pe_cpu).links} == {
        "m_cpu_to_router", "router_to_router", "router_to_pe", "pe_internal",
    }  # fmt: skip
    dma = routes_2x4x4.find_path(m_cpu, f"{CUBE}.hbm_ctrl.pe7", EdgeSet.M_CPU_DMA)
    assert not {link.kind for link in dma.links} & PE_KINDS
    with pytest.raises(NoRouteError, match=r"no way from .*m_cpu to .*pe_cpu over the links of M_CPU_DMA"):
        routes_2x4x4.find_path(m_cpu, pe_cpu, EdgeSet.M_CPU_DMA)
    inside = routes_2x4x4.find_path(f"{CUBE}.pe0.pe_dma", f"{CUBE}.hbm_ctrl.pe7", EdgeSet.IN_CUBE)
    assert not {link.kind for link in inside.links} & UCIE_KINDS
    with pytest.raises(NoRouteError):
        routes_2x4x4.find_path(f"{CUBE}.pe0.pe_dma", "sip0.cube1.hbm_ctrl.pe0", EdgeSet.IN_CUBE)


def test_a_cube_is_found_by_its_numbers(routes_2x4x4: PathRouter):
    assert routes_2x4x4.cube(1, 15).hbm[7] == "sip1.cube15.hbm_ctrl.pe7"
    for numbers, message in (((2, 0), "no package 2 (allowed: 0 to 1)"), ((0, 16), "no cube 16 (allowed: 0 to 15)")):
        with pytest.raises(InputError) as caught:
            routes_2x4x4.cube(*numbers)
        assert message in str(caught.value)


def test_an_unknown_part_is_named_with_the_nearest_one(routes_2x4x4: PathRouter):
    with pytest.raises(InputError, match=r'did you mean "sip0\.cube0\.pe0\.pe_dma"\?'):
        routes_2x4x4.find_path("sip0.cube0.pe0.pe_dmq", "fabric.switch0")


def test_links_of_a_route_join_its_parts(routes_2x4x4: PathRouter):
    route = routes_2x4x4.find_path("sip0.cube3.sram", "sip0.cube12.m_cpu")
    assert [(link.src, link.dst) for link in route.links] == list(itertools.pairwise(route.nodes))


def test_a_free_graph_takes_the_shortest_way_and_may_have_none(tmp_path: Path):
    text = GRAPH.replace("[a, b, c]", "[a, b, c, d]") + "  - {src: a, dst: c, one_way: true, bw_gbs: 1, "
    router = PathRouter(loaded(tmp_path, text + "length_mm: 5, overhead_ns: 0}\n"))
    assert router.find_path("a", "c").nodes == ("a", "b", "c")
    assert router.find_path("a", "a").links == ()
    with pytest.raises(NoRouteError, match="no way from a to d over the links of DATA"):
        router.find_path("a", "d")


def test_a_mesh_inside_a_free_graph_is_crossed_row_first(tmp_path: Path):
    line = "bw_gbs: 1, length_mm: 1, overhead_ns: 0"
    text = GRAPH[: GRAPH.index("graph:")] + (
        "graph:\n  nodes: [a, b]\n  meshes:\n"
        f"  - {{name: m, w: 3, h: 3, pitch_mm: [1, 1], router: {{kind: node}}, link: {{{line}}}}}\n  links:\n"
        f"  - {{src: a, dst: m.r0c0, both_ways: true, {line}}}\n  - {{src: b, dst: m.r2c2, both_ways: true, {line}}}\n"
    )
    router = PathRouter(loaded(tmp_path, text))
    assert router.find_path("a", "b").nodes == ("a", "m.r0c0", "m.r0c1", "m.r0c2", "m.r1c2", "m.r2c2", "b")
    assert router.find_path("b", "a").nodes == ("b", "m.r2c2", "m.r2c1", "m.r2c0", "m.r1c0", "m.r0c0", "a")


def test_packages_without_a_switch_or_io_are_islands(tmp_path: Path):
    lonely = TRAY.replace("count: 2", "count: 1").replace("switch: {template: router}\n", "")
    begin, end = lonely.index("  io:\n"), lonely.index("cube:\n  geometry")
    system = loaded(tmp_path, lonely[:begin] + lonely[end:])
    assert system.hierarchy is not None and system.hierarchy.switch is None
    assert PathRouter(system).find_path("sip0.cube0.pe0.dma", "sip0.cube3.hbm_ctrl.pe1").nodes[-1].endswith("pe1")


def test_a_connection_on_the_way_can_be_an_end(routes_2x4x4: PathRouter):
    end = "sip0.io0.io_ucie-P0.conn0"
    assert routes_2x4x4.find_path(f"{CUBE}.r0c0", end).nodes == (f"{CUBE}.r0c0", f"{CUBE}.ucie-N.conn0", end)
    assert routes_2x4x4.find_path(end, f"{CUBE}.r0c0").nodes == (end, f"{CUBE}.ucie-N.conn0", f"{CUBE}.r0c0")
