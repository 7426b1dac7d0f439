"""What the shipped systems hold, counted by hand; where their values come from; how one is described."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from tests.topology.small import GRAPH, HEAD, TRAY, loaded, problems_of, written
from topology.check import check_file
from topology.core_parameters import core_parameters
from topology.loader import load_system, shipped_systems
from topology.probe_places import STANDARD_CASES, NoPlace, ProbePlace, probe_places
from topology.system import System


def test_the_parts_of_kernbench_2x4x4(kernbench_2x4x4: System):
    sips, cubes, tiles = 2, 32, 256
    expected = {
        "router": 32 * cubes + sips,
        "ucie_port": 16 * cubes + 16 * sips,
        "hbm_controller": tiles,
        "m_cpu": cubes,
        "sram": cubes,
        "pcie_endpoint": sips,
        "io_cpu": sips,
        "switch": 1,
        "tcm": tiles,
    }
    expected |= {f"pe_{part}": tiles for part in ("cpu", "scheduler", "dma", "mmu", "fetch_store", "gemm", "math")}
    assert Counter(node.kind for node in kernbench_2x4x4.nodes()) == expected
    assert kernbench_2x4x4.graph.number_of_nodes() == 3943


def test_the_links_of_kernbench_2x4x4(kernbench_2x4x4: System):
    sips, cubes, tiles = 2, 32, 256
    mesh = 2 * (2 * 6 * 5 - 4 - 8)  # a full 6 x 6 mesh without the links between and to its four middle routers
    expected = {
        "router_to_router": mesh * cubes,
        "pe_to_router": tiles,
        "router_to_pe": tiles,
        "router_to_hbm": tiles,
        "hbm_to_router": tiles,
        "pe_internal": 20 * tiles,
        "command": 2 * tiles,
        "router_to_m_cpu": cubes,
        "m_cpu_to_router": cubes,
        "router_to_sram": cubes,
        "sram_to_router": cubes,
        "router_to_ucie": 24 * cubes,
        "ucie_to_router": 24 * cubes,
        "cube_to_cube": 2 * 4 * (2 * 4 * 3) * sips,
        "cube_to_io": 16 * sips,
        "io_to_cube": 16 * sips,
        "noc_to_ucie": 16 * sips,
        "ucie_to_noc": 16 * sips,
        "io_internal": 4 * sips,
        "pcie": 2 * sips,
    }
    assert Counter(link.kind for link in kernbench_2x4x4.links()) == expected
    assert kernbench_2x4x4.graph.number_of_edges() == 11916


def test_m_cpu_and_sram_stand_at_the_published_routers(kernbench_2x4x4: System):
    graph = kernbench_2x4x4.graph
    assert "sip1.cube3.r0c2" in graph["sip1.cube3.m_cpu"]
    assert "sip1.cube3.r3c0" in graph["sip1.cube3.sram"]


def test_positions_are_those_of_the_package(kernbench_2x4x4: System):
    assert kernbench_2x4x4.node("sip1.cube5.r1c2").pos_mm == (Fraction(55, 2), Fraction(83, 4))
    assert kernbench_2x4x4.node("sip0.cube0.pe0.pe_cpu").pos_mm == (Fraction(12, 10), Fraction(5, 4))
    assert kernbench_2x4x4.node("fabric.switch0").pos_mm is None


@pytest.mark.parametrize("name", shipped_systems())
def test_every_shipped_system_is_fine_and_every_value_says_where_it_comes_from(name: str):
    checked = check_file(name)
    assert checked.problems == []
    system = checked.system
    assert system is not None
    assert system.name == name
    origins = [o for node in system.nodes() for key, o in node.origin.items() if key not in ("kind", "pos_mm")]
    origins += [o for link in system.links() for o in link.origin.values()]
    words = {(origin.provenance, origin.source is not None) for origin in origins}
    assert words <= {(word, True) for word in ("documented", "public", "assumed", "fitted")} | {("computed", False)}


@pytest.mark.parametrize(
    ("name", "cores", "hbm_gbs", "engine_gbs", "chip_gbs"),
    [("trn1", 2, 820, "27.2", 384), ("trn2", 8, 2900, "27.2", 1280), ("trn3", 8, 4700, "38.4", 2560)],
)
def test_trainium_chips_have_the_public_numbers(
    shared: Path, name: str, cores: int, hbm_gbs: int, engine_gbs: str, chip_gbs: int
):
    system = load_system(name)
    assert system.graph.number_of_nodes() == 3 + cores + 16 * cores
    assert system.link("hbm", "noc").bw_gbs == hbm_gbs
    assert system.link("noc", f"nc{cores - 1}.dma15").bw_gbs == Fraction(engine_gbs)
    assert system.link("neuronlink", "noc").bw_gbs == chip_gbs
    rows = [line.split(",") for line in (shared / "data/trainium/hw_params.csv").read_text().splitlines()]
    column = {"trn1": 1, "trn2": 2, "trn3": 3}[name]
    printed = {row[0]: row[column] for row in rows}
    published = (cores, hbm_gbs, Fraction(engine_gbs), chip_gbs)
    keys = ("cores_per_chip", "hbm_bw", "dma_engine_theoretical", "link_bw")
    assert tuple(Fraction(printed[key]) for key in keys) == published
    hbm = system.node("hbm").parameters
    assert hbm["num_pcs"] * hbm["pc_bw_gbs"] == hbm_gbs
    core = core_parameters(system.node("nc0").parameters)
    assert not isinstance(core, list)
    assert core.psum_banks == int(printed["psum_banks"])
    assert core.coupled is (name == "trn1")


def test_a_core_may_differ_from_its_generation():
    core = core_parameters({"generation": "trn2", "ring_depths": {"10": 8}, "semaphore_latency_ns": 20})
    assert not isinstance(core, list)
    assert (core.ring_depths, core.semaphore_latency_ns, core.psum_banks) == ({10: 8}, 20, 8)
    (fault,) = core_parameters({"generation": "trn2", "psum_bank": 8})
    assert (fault.key, fault.message[:17]) == ("psum_bank", "unknown parameter")


def test_the_probe_cases_of_the_large_system_are_the_published_ones(kernbench_2x4x4: System):
    places = probe_places(kernbench_2x4x4)
    assert [place.name for place in places] == list(STANDARD_CASES)
    found = {p.name: (p.hops, p.src, p.dst) for p in places if isinstance(p, ProbePlace)}
    host, pe = "sip0.io0.pcie_ep", "sip0.cube0.pe0.pe_dma"
    for hops in (1, 2, 3, 4):
        memory = f"sip0.cube{4 * (hops - 1)}.hbm_ctrl.pe0"
        assert found[f"h2d-{hops}hop"] == (hops, host, memory)
        assert found[f"d2h-{hops}hop"] == (hops, memory, host)
    assert found["pe-local-hbm"] == (0, pe, "sip0.cube0.hbm_ctrl.pe0")
    assert found["pe-same-half-hbm"] == (0, pe, "sip0.cube0.hbm_ctrl.pe1")
    assert found["pe-cross-half-hbm"] == (0, pe, "sip0.cube0.hbm_ctrl.pe4")
    assert found["pe-cross-cube-hbm-best"] == (1, pe, "sip0.cube1.hbm_ctrl.pe0")
    assert found["pe-cross-cube-hbm-worst"] == (6, pe, "sip0.cube15.hbm_ctrl.pe0")


def test_probe_cases_follow_the_size_of_the_mesh(tmp_path: Path):
    two_wide = {p.name: p for p in probe_places(loaded(tmp_path, TRAY))}
    assert [name for name, place in two_wide.items() if isinstance(place, NoPlace)] == [
        "h2d-3hop", "h2d-4hop", "d2h-3hop", "d2h-4hop", "pe-cross-half-hbm",
    ]  # fmt: skip
    tall = TRAY.replace("{w: 2, h: 2, cube_pitch", "{w: 1, h: 5, cube_pitch").replace(", {cube: 1, side: N}", "")
    places = {p.name: p for p in probe_places(loaded(tmp_path, tall))}
    assert isinstance(places["h2d-5hop"], ProbePlace)
    best, worst = places["pe-cross-cube-hbm-best"], places["pe-cross-cube-hbm-worst"]
    assert isinstance(best, ProbePlace) and isinstance(worst, ProbePlace)
    assert (best.dst, worst.dst) == ("sip0.cube1.hbm_ctrl.pe0", "sip0.cube4.hbm_ctrl.pe0")
    assert all(isinstance(place, NoPlace) for place in probe_places(load_system("trn1")))


def test_check_remarks_on_standard_cases_without_a_place(tmp_path: Path):
    remarks = check_file(written(tmp_path, TRAY)).remarks
    assert remarks[0] == "probe case h2d-3hop has no place: a cube mesh of 2 x 2 has no row 2"


def test_a_value_comes_from_the_file_from_a_template_or_from_positions(tmp_path: Path):
    system = loaded(tmp_path, TRAY)
    router = system.node("sip0.cube0.r0c0").origin["overhead_ns"]
    assert (router.line, router.column, router.template, router.provenance) == (7, 52, "router", "given")
    memory = system.link("sip0.cube0.r0c0", "sip0.cube0.hbm_ctrl.pe0")
    assert memory.origin["length_mm"].place == f"{tmp_path}/t.yaml:36:39"
    assert memory.origin["bw_gbs"].template == "line"
    mesh = system.link("sip0.cube0.r0c0", "sip0.cube0.r0c1")
    assert (mesh.length_mm, mesh.origin["length_mm"].place) == (2, "the distance between its ends")
    (hbm,) = [stated for stated in system.stated if stated.key == "hbm_gib"]
    assert (hbm.block, hbm.value, hbm.origin.line) == ("cube.memory", 2, 31)


def test_numbers_are_exactly_what_the_file_says(tmp_path: Path):
    system = loaded(tmp_path, GRAPH.replace("bw_gbs: 100", "bw_gbs: 0.1").replace("length_mm: 1", "length_mm: 1.05"))
    link = system.link("a", "b")
    assert (link.bw_gbs, link.length_mm, system.ns_per_mm) == (Fraction(1, 10), Fraction(21, 20), Fraction(1, 100))


SET = """\
schema: kernbench.templates/1
name: mine
provenance: measured
source: on the bench
templates:
  wire: {kind: link, parameters: {bw_gbs: 5, overhead_ns: {value: 1, provenance: assumed, source: a guess}}}
  slow: {kind: link, provenance: fitted, source: a fit, parameters: {bw_gbs: 1}}
"""


def test_a_set_of_templates_in_another_file_carries_its_provenance(tmp_path: Path):
    written(tmp_path, SET, "mine.yaml")
    text = (
        HEAD
        + "use: [mine.yaml]\n"
        + (
            "graph:\n  nodes: [a, b]\n  link_template: wire\n"
            "  links: [{src: a, dst: b, both_ways: true, length_mm: 2}]\n"
        )
    )
    origin = loaded(tmp_path, text).link("b", "a").origin
    assert {key: (o.provenance, o.source, o.template, o.line) for key, o in origin.items()} == {
        "bw_gbs": ("measured", "on the bench", "mine/wire", 6),
        "overhead_ns": ("assumed", "a guess", "mine/wire", 6),
        "length_mm": ("given", None, None, 8),
    }


def test_faults_of_a_set_stand_in_its_own_file(tmp_path: Path):
    broken = SET.replace("source: on the bench\n", "").replace("fitted", "fitting").replace("name: mine", "nome: x")
    path = written(tmp_path, broken, "mine.yaml")
    problems = problems_of(tmp_path, GRAPH + "use: [mine.yaml, 3]\ntemplates: {wire: {kind: link}}\n")
    assert problems == [
        "9:18: use: expected the name of a template set, got the number 3",
        '10:19: missing key "parameters"',
        f'{path}:1:1: missing key "name"',
        f'{path}:2:1: unknown key "nome" (allowed: schema, name, templates, parts, provenance, source; '
        'did you mean "name"?)',
    ]
    path.write_text(broken.replace("nome", "name"))
    assert problems_of(tmp_path, GRAPH + "use: [mine.yaml]\n") == [
        f'{path}:5:43: measured: the key "source" is missing (where it comes from)',
        f'{path}:6:34: unknown provenance "fitting" (allowed: documented, public, measured, fitted, assumed, given; '
        'did you mean "fitted"?)',
    ]


def test_two_templates_of_one_name_are_refused(tmp_path: Path):
    written(tmp_path, SET, "mine.yaml")
    text = GRAPH + "use: [mine.yaml]\ntemplates: {slow: {kind: link, parameters: {}}}\n"
    assert problems_of(tmp_path, text) == ['10:13: a second template "slow" (the first is mine/slow)']


def test_nothing_depends_on_the_hash_seed(repository: Path, tmp_path: Path):
    path = written(tmp_path, TRAY)
    program = f"""if True:
        from topology.loader import load_system
        from topology.draw import draw_system
        from topology.routes.router import PathRouter
        system = load_system({str(path)!r})
        print([*system.nodes(), *system.links(), system.stated])
        print(*(draw_system(system, level).svg for level in ("system", "sip", "cube", "pe")))
        router = PathRouter(system)
        print([router.find_path(a, "sip1.cube3.pe1.dma").nodes for a in system.graph])
    """
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=repository,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1
