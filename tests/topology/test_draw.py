"""Drawings are well-formed, show what is there, and are the same every time."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from simcore.errors import InputError
from tests.topology.small import GRAPH, TRAY, loaded
from topology.draw import draw_system
from topology.loader import load_system
from topology.system import System

SVG = "{http://www.w3.org/2000/svg}"


def words_of(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("level", "name", "some"),
    [
        (None, "kernbench_2x4x4-system", ["fabric.switch0", "sip0.io0", "sip1: 4 x 4 cubes", "15", "128 GB/s"]),
        ("sip", "kernbench_2x4x4-sip", ["cube15", "8 PE tiles", "4 x 128 GB/s", "pcie_ep", "io_cpu", "io_noc"]),
        ("cube", "kernbench_2x4x4-cube", ["r0c0", "r5c5", "pe7", "slice 7", "M_CPU", "SRAM", "N.conn3", "W.conn0"]),
        ("pe", "kernbench_2x4x4-pe", ["pe_cpu", "2 ns", "pe_tcm", "pe_fetch_store", "router r0c0", "M_CPU"]),
    ],
)
def test_each_level_shows_its_parts(kernbench_2x4x4: System, level: str | None, name: str, some: list[str]):
    drawing = draw_system(kernbench_2x4x4, level)
    assert drawing.name == name
    words = words_of(drawing.svg)
    assert words[0] == drawing.title
    assert set(some) <= set(words)
    assert draw_system(kernbench_2x4x4, level).svg == drawing.svg


def test_a_cube_shows_every_router_once_and_none_in_the_hole(kernbench_2x4x4: System):
    words = words_of(draw_system(kernbench_2x4x4, "cube").svg)
    routers = [word for word in words if len(word) == 4 and word[0] == "r" and word[2] == "c"]
    assert len(routers) == len(set(routers)) == 32
    assert not {"r2c2", "r2c3", "r3c2", "r3c3"} & set(routers)


def test_parts_that_are_alike_share_a_box_in_a_free_graph():
    words = words_of(draw_system(load_system("trn2")).svg)
    assert [word for word in words if ".dma" in word] == [f"nc{core}.dma0..15" for core in range(8)]
    assert words.count("16 x 27.2 GB/s") == 16
    assert "2900 GB/s" in words


def test_positions_are_kept_if_all_parts_have_one(mesh_4x4_small: System):
    root = ET.fromstring(draw_system(mesh_4x4_small).svg)
    at = {
        element.text: (float(element.get("x", 0)), float(element.get("y", 0)))
        for element in root.iter(f"{SVG}text")
        if (element.text or "").startswith("mesh.")
    }
    assert at["mesh.r0c0"] == (0, 0)
    assert at["mesh.r3c1"] == (150, 450)


def test_names_are_escaped_and_one_way_links_marked(tmp_path: Path):
    text = GRAPH.replace("name: small", 'name: "a < b & c"').replace("both_ways: true", "one_way: true")
    words = words_of(draw_system(loaded(tmp_path, text)).svg)
    assert words[0] == "a < b & c"
    assert words.count("100 GB/s ->") == 2


@pytest.mark.parametrize("level", ["system", "sip", "cube", "pe"])
def test_a_small_hierarchy_is_drawn_at_every_level(tmp_path: Path, level: str):
    assert "tray" in words_of(draw_system(loaded(tmp_path, TRAY), level).svg)[0]


def test_a_level_that_there_is_not_is_refused(kernbench_2x4x4: System):
    with pytest.raises(InputError, match=r'no level cubes \(allowed: system, sip, cube, pe; did you mean "cube"\?\)'):
        draw_system(kernbench_2x4x4, "cubes")
    with pytest.raises(InputError, match=r"a free graph has no level cube \(allowed: system\)"):
        draw_system(load_system("trn1"), "cube")
