"""``kernbench topology``: checks, shows and draws."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benches.cli.conftest import Call
from tests.topology.small import GRAPH, TRAY, written


def test_check_says_fine_or_everything_that_is_wrong(kernbench: Call, tmp_path: Path):
    path = written(tmp_path, GRAPH)
    assert kernbench("topology", "check", path) == (0, "small: fine (3 parts, 4 links)\n", "")
    path = written(tmp_path, GRAPH.replace("100", "0").replace("dst: c", "dst: d"))
    code, out, err = kernbench("topology", "check", path)
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f"{path}:5:17: unreachable part: no links lead from c to the rest of the system",
        f"{path}:7:47: bw_gbs: must be above 0 GB/s, not 0",
        f'{path}:8:19: dst: no part is called "d"',
        f"{path}:8:47: bw_gbs: must be above 0 GB/s, not 0",
    ]


def test_check_takes_the_name_of_a_shipped_system_and_remarks_beside_the_result(kernbench: Call):
    code, out, err = kernbench("topology", "check", "mesh_4x4_small")
    assert (code, out) == (0, "mesh_4x4_small: fine (16 parts, 48 links)\n")
    assert all(line.startswith("note: ") for line in err.splitlines())


def test_show_counts_and_finds_a_path_with_its_bottleneck(kernbench: Call):
    ends = ("--from", "sip0.cube0.pe0.pe_dma", "--to", "sip0.cube1.hbm_ctrl.pe0")
    code, out, err = kernbench("topology", "show", "kernbench_2x4x4", *ends, "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert (report["schema"], report["nodes"], report["links"]) == ("kernbench.system/1", 3943, 11916)
    assert report["nodes_by_kind"]["hbm_controller"] == 256
    assert sum(report["nodes_by_kind"].values()) == 3943
    assert sum(report["links_by_kind"].values()) == 11916
    assert report["options"]["buffer_bytes"] is None
    assert report["address_map"]["fields"] == {"sip": [50, 47], "die": [46, 42], "offset": [41, 0]}
    assert report["address_map"]["pseudo_channel_bits"] == [10, 8]
    path = report["path"]
    assert (path["nodes"][0], path["nodes"][-1]) == (ends[1], ends[3])
    assert path["length_mm"] == 20.15
    assert path["bottleneck"] == {
        "src": "sip0.cube0.r0c5", "dst": "sip0.cube0.ucie-E.conn0", "kind": "router_to_ucie",
        "bw_gbs": 128.0, "length_mm": 1.5,
    }  # fmt: skip
    assert len(report["probe_cases"]) == 13
    assert "origin" not in report


def test_show_prints_tables(kernbench: Call):
    ends = ("--from", "sip0.cube0.m_cpu", "--to", "sip0.cube0.pe0.pe_cpu", "--edges", "all")
    code, out, _ = kernbench("topology", "show", "kernbench_2x4x4", *ends)
    assert code == 0
    for words in (
        "3943 parts, 11916 links",
        "cubes per package: 16 (4 x 4)",
        "address bits: sip 50:47, die 46:42, offset 41:0",
        "pseudo-channel of a slice: bits 10:8",
        "path over all links: 1 links",
        "bottleneck: none",
        "pe-cross-cube-hbm-worst",
    ):
        assert words in out, words


def test_show_says_where_every_value_comes_from(kernbench: Call, tmp_path: Path):
    path = written(tmp_path, TRAY)
    report = json.loads(kernbench("topology", "show", path, "--origin", "--json", "-")[1])
    rows = {(row["what"], row["key"], row["template"]): row for row in report["origin"]}
    assert rows["router", "overhead_ns", "router"] == {
        "what": "router", "key": "overhead_ns", "value": "2", "provenance": "given", "place": f"{path}:7:52",
        "template": "router", "source": None, "count": 143, "example": "fabric.switch0",
    }  # fmt: skip
    assert rows["cube.memory", "hbm_gib", None]["place"] == f"{path}:31:14"
    assert rows["system", "flit_bytes", None]["value"] == "256"
    assert rows["link router_to_router", "length_mm", None]["place"] == "the distance between its ends"
    assert "router, " in kernbench("topology", "show", path, "--origin")[1]


def test_a_path_has_two_ends_and_known_parts(kernbench: Call):
    code, out, err = kernbench("topology", "show", "trn1", "--from", "hbm")
    assert (code, out, err) == (2, "", "--to: is missing (a path has two ends)\n")
    code, out, err = kernbench("topology", "show", "trn1", "--from", "hbm", "--to", "nc0.dma99")
    assert (code, out) == (2, "")
    assert 'topology/systems/trn1.yaml: no part "nc0.dma99" ' in err
    assert 'did you mean "nc0.dma9"' in err


def test_draw_writes_the_file_or_one_named_after_the_system(kernbench: Call, tmp_path: Path, monkeypatch):
    target = tmp_path / "cube.svg"
    code, out, err = kernbench("topology", "draw", "kernbench_2x4x4", "--level", "cube", "--out", target)
    assert (code, out, err) == (0, f"{target}: kernbench_2x4x4: cube sip0.cube0\n", "")
    assert target.read_text().startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    monkeypatch.chdir(tmp_path)
    assert kernbench("topology", "draw", "trn1")[:2] == (0, "trn1-system.svg: trn1\n")
    assert (tmp_path / "trn1-system.svg").is_file()
    assert kernbench("topology", "draw", "trn1", "--level", "pe")[0] == 2
    assert kernbench("topology", "draw", "trn1", "--out", tmp_path / "no" / "x.svg")[0] == 2
