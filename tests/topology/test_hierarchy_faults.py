"""Everything that can be wrong with a hierarchical system is found where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.topology.small import TRAY, problems_of

LINES = TRAY.splitlines()


def line_of(begin: str) -> int:
    """The number of the first line of TRAY that begins so, after its spaces."""
    return next(n for n, line in enumerate(LINES, 1) if line.strip().startswith(begin))


def changed(*pairs: tuple[str, str]) -> str:
    """TRAY with each first text replaced by the second; a text that is not in it would test nothing."""
    text = TRAY
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


MISSING = "(nothing has a silent default: write it, or name a template that has it)"


@pytest.mark.parametrize(
    ("pairs", "begin", "column", "message"),
    [
        ([("mesh: {w: 3, h: 3", "mesh: {w: 3, h: 5")], "mesh: {w", 13,
         "3 x 5 routers do not fit: r4c2 stands at [6, 10] mm, the cube ends at [8, 8] mm"),
        ([("size_mm: [8, 8]", "size_mm: [5, 8]")], "mesh: {w", 13,
         "3 x 3 routers do not fit: r2c2 stands at [6, 6] mm, the cube ends at [5, 8] mm"),
        ([("holes: [r1c1]", "holes: [r1c3]")], "mesh: {w", 30,
         "r1c3 is outside the 3 x 3 mesh (allowed: r0c0 to r2c2)"),
        ([("holes: [r1c1]", "holes: [r1c1, r0c0]")], "sides:", 17, "r0c0 is a hole of the mesh"),
        ([("mesh: {w: 3, h: 3, holes: [r1c1]", "mesh: {w: 1, h: 1, holes: [r0c0]")], "mesh: {w", 29,
         "holes: no router is left"),
        ([("mesh: {w: 3, h: 3", "mesh: {w: 3000, h: 3")], "mesh: {w", 13,
         "9000 routers in one cube (allowed: up to 4096)"),
        ([("at: [r0c0, r2c2]", "at: [r0c0, r1c1]")], "pes:", 20, "r1c1 is a hole of the mesh"),
        ([("at: [r0c0, r2c2]", "at: [r0c0, r3c0]")], "pes:", 20,
         "r3c0 is outside the 3 x 3 mesh (allowed: r0c0 to r2c2)"),
        ([("at: [r0c0, r2c2]", "at: [r0c0]")], "hbm_slices", 17,
         "hbm_slices: 2 slices for 1 PE tiles (one slice each)"),
        ([("E: [[r0c2, r1c2]", "E: [[r0c2, r1c0]")], "sides:", 98, "r1c0 is not on side E of the mesh"),
        ([("E: [[r0c2, r1c2], [r2c2]]", "E: [[r0c2]]")], "sides:", 70,
         "sides: 1 connections on side E face 2 on side W of the next cube"),
        ([("W: [[r0c0, r1c0], [r2c0]], E: [[r0c2, r1c2], [r2c2]]", "X: [[r0c0]]")], "sides:", 67,
         "unknown side X (allowed: N, E, S, W)"),
        ([("cube_mesh: {w: 2, h: 2", "cube_mesh: {w: 2, h: 9")], "cube_mesh", 3,
         "18 cubes (the address has 16)"),
        ([("hbm_gib: 2\n", "hbm_gib: 300\n")], "hbm_gib", 5,
         "hbm_gib: 300 GiB in one cube (its addresses reach 256 GiB)"),
        ([("sram_offset_gib: 128", "sram_offset_gib: 1")], "hbm_gib", 5,
         "sram_offset_gib: the SRAM would lie in the HBM, which ends at 2 GiB"),
        ([("num_pcs: 8", "num_pcs: 6")], "controller:", 52,
         "num_pcs: must be a power of two, which bits of the address choose, not 6"),
        ([("{cube: 1, side: N}", "{cube: 1, side: W}")], "attach:", 52, "side: side W of cube 1 faces another cube"),
        ([("{cube: 1, side: N}", "{cube: 4, side: N}")], "attach:", 43,
         "cube: 4 is outside the package (allowed: 0 to 3)"),
        ([("{cube: 1, side: N}", "{cube: 0, side: N}")], "attach:", 36,
         "side N of cube 0 is taken by another port"),
        ([("topology: ring_1d", "topology: ring")], "sips:", 28,
         'topology: unknown word "ring" (allowed: ring_1d, torus_2d, mesh_2d_no_wrap; did you mean "ring_1d"?)'),
        ([("count: 2, topology: ring_1d", "count: 5, topology: torus_2d")], "sips:", 15,
         "count: 5 packages make no square: write w and h"),
        ([("count: 2, topology: ring_1d", "count: 6, topology: torus_2d, w: 4")], "sips:", 15,
         "count: 6 packages do not fill 4 x 1"),
        ([("switch: {template: router}\n", "")], "switch: {", 7,
         "2 packages need a switch and an IO chiplet each to reach one another"),
        ([("    switch_link: {template: uplink}\n", "")], "- name: io0", 5, 'missing key "switch_link"'),
        ([(", length_mm: 5", "")], "switch_link", 18,
         'link: "length_mm" is missing, in mm (the switch has no position to measure from)'),
        ([("pos_mm: [3.9, 2], ", "")], "m_cpu", 10, 'm_cpu: "pos_mm" is missing, in mm'),
        ([("pos_mm: [2, 4]", "pos_mm: [2]")], "sram:", 30, "pos_mm: expected two numbers of mm, [x, y], got a list"),
        ([("router_part: dma", "router_part: dmi")], "router_part", 16,
         'router_part: no part of the tile is called "dmi" (allowed: cpu, dma; did you mean "dma"?)'),
        ([("between: [cpu, dma]", "between: [cpu, dmx]")], "wires:", 27,
         'between: no part of the tile is called "dmx" (allowed: cpu, dma; did you mean "dma"?)'),
        ([("offset_mm: [0, 0]", "offset_mm: [0, .nan]")], "dma:", 34, "offset_mm: expected a number of mm, got NaN"),
        ([("link: {template: line, length_mm: 0}", "link: {template: wire, length_mm: 0}")], "link: {template: line, l",
         22, "template wire is for wire, not for link"),
        ([("link: {template: line, length_mm: 0}", "link: {template: lin, length_mm: 0}")], "link: {template: line, l",
         22, 'unknown template "lin" (allowed: line, router, uplink, wire; did you mean "line"?)'),
        ([("overhead_ns: 1}", "overhead_ns: 1, speed: 3}")], "line: {kind", 63,
         'unknown key "speed" (allowed: bw_gbs, overhead_ns, length_mm, routing_weight_mm, impl)'),
        ([("bw_gbs: 64, ", "")], "mesh: {w", 71, f'link: "bw_gbs" is missing, in GB/s {MISSING}'),
        ([("cube_pitch_mm: [10, 10]", "cube_pitch_mm: [10, 0]")], "cube_mesh", 42,
         "cube_pitch_mm: must be above 0 mm, not [10, 0]"),
        ([("\nsips: {count: 2, topology: ring_1d}", "")], "schema", 1, 'missing key "sips"'),
        ([("wires: [{between: [cpu, dma], template: wire}]", "wires: []"), (", command_link: {template: wire}", "")],
         "cpu:", 17, "unreachable part: no links lead from sip0.cube0.pe0.cpu to the rest of the system "
         "(nor from 15 more like it)"),
    ],
)  # fmt: skip
def test_a_fault_is_named_where_it_stands(
    tmp_path: Path, pairs: list[tuple[str, str]], begin: str, column: int, message: str
):
    found = problems_of(tmp_path, changed(*pairs))
    assert f"{line_of(begin)}:{column}: {message}" in found, found


def test_a_misspelt_section_is_named_with_the_nearest_one(tmp_path: Path):
    text = changed(("\n  ucie:\n    port", "\n  ucei:\n    port"))
    assert (
        '39:3: unknown key "ucei" (allowed: geometry, mesh, pes, memory, m_cpu, sram, ucie; did you mean "ucie"?)'
        in problems_of(tmp_path, text)
    )


def test_a_probe_case_must_have_a_place_if_the_file_names_it(tmp_path: Path):
    text = TRAY + "probe:\n  cases: [h2d-2hop, h2d-3hop, pe-cross-half-hbm, pe-local-hbn, 3, h2d-2hop]\n"
    assert problems_of(tmp_path, text) == [
        "52:64: cases: expected the name of a probe case, got the number 3",
        '52:67: cases: "h2d-2hop" stands twice in the list',
    ]
    text = text.replace(", 3, h2d-2hop", "")
    assert problems_of(tmp_path, text) == [
        "52:21: probe case h2d-3hop has no place: a cube mesh of 2 x 2 has no row 2",
        "52:31: probe case pe-cross-half-hbm has no place: a cube of 2 PE tile(s) has no far half",
        '52:50: unknown probe case "pe-local-hbn" (allowed: h2d-1hop, h2d-2hop, h2d-3hop, h2d-4hop, d2h-1hop, '
        "d2h-2hop, d2h-3hop, d2h-4hop, pe-local-hbm, pe-same-half-hbm, pe-cross-half-hbm, pe-cross-cube-hbm-best, "
        'pe-cross-cube-hbm-worst; did you mean "pe-local-hbm"?)',
    ]
