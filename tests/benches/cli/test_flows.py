"""``kernbench flows``: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benches.cli.conftest import Call

FLOW_KEYS = {"name", "start_ns", "end_ns", "mean_gbs", "fair_end_ns", "fair_error_pct", "bottleneck"}
LINK_KEYS = {"src", "dst", "bytes", "utilisation"}


def test_the_result_as_json(kernbench: Call, shared: Path):
    code, out, err = kernbench("flows", shared / "cases/contention/A22-hol.json", "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert (report["schema"], report["arbitration"]) == ("kernbench.flows/1", "flow_round_robin")
    assert [flow["name"] for flow in report["flows"]] == ["a", "b", "c"]
    assert all(set(flow) >= FLOW_KEYS | {"alone_end_ns", "cost_ns"} for flow in report["flows"])
    assert all(set(link) >= LINK_KEYS | {"cost_ns"} for link in report["links"])
    assert report["flows"][0]["bottleneck"] == ["y", "p"]
    assert report["options"] == {
        "flit_bytes": 256, "arbitration": "flow_round_robin", "window_flits": 16, "buffer_bytes": None,
        "link_buffer_bytes": None,
    }  # fmt: skip


def test_tables_say_who_was_fair_to_whom(kernbench: Call, shared: Path):
    code, out, err = kernbench("flows", shared / "cases/contention/A09-parking-merge.json")
    assert (code, err) == (0, "")
    for words in (
        "A09-parking-merge on A09-parking-merge: 5 flows, flow_round_robin", "max-min fair share", "fair end ns",
        "alone ns", "slowdown", "n4 -> n5", "100.0%", "median flow off by",
    ):  # fmt: skip
        assert words in out
    assert "by ports" not in out


def test_ports_in_turn_have_their_own_columns(kernbench: Call, shared: Path, tmp_path: Path):
    content = json.loads((shared / "cases/contention/A09-parking-merge.json").read_text())
    file = tmp_path / "ports.json"
    file.write_text(json.dumps({**content, "options": {"arbitration": "port_round_robin"}}))
    code, out, _ = kernbench("flows", file)
    assert code == 0
    for words in ("by ports ns", "41943.04", "analysis of turns by router input: applies", "inputs take turns"):
        assert words in out


def test_many_flows_are_shown_by_what_others_cost_them(kernbench: Call, tmp_path: Path):
    flows = [{"name": f"f{n}", "src": f"mesh.r0c{n % 3}", "dst": "mesh.r3c3", "bytes": 2560} for n in range(50)]
    file = tmp_path / "many.json"
    file.write_text(json.dumps({"schema": "kernbench.traffic/1", "topology": "mesh_4x4_small", "flows": flows}))
    _, out, _ = kernbench("flows", file)
    assert "the 40 of 50 flows that others cost most; --json has all" in out


def test_a_picture_and_json_are_written_together_or_not_at_all(kernbench: Call, shared: Path, tmp_path: Path):
    case = shared / "cases/contention/A01-incast-02.json"
    code, out, _ = kernbench("flows", case, "--plot", tmp_path / "p.svg", "--json", tmp_path / "r.json")
    assert (code, out) == (0, "")
    assert (tmp_path / "p.svg").read_text().startswith("<svg ")
    assert json.loads((tmp_path / "r.json").read_text())["flows"]
    code, _, err = kernbench("flows", case, "--plot", tmp_path / "q.svg", "--json", tmp_path / "none" / "r.json")
    assert (code, (tmp_path / "q.svg").exists()) == (2, False)
    assert "cannot be written" in err


def test_a_broken_file_is_refused_with_its_places(kernbench: Call, tmp_path: Path):
    file = tmp_path / "t.yaml"
    file.write_text(
        "schema: kernbench.traffic/1\ntopology: mesh_4x4_small\nflows: [{name: f, src: mesh.r0c0, bytes: 1}]\n"
    )
    code, out, err = kernbench("flows", file)
    assert (code, out) == (2, "")
    assert err == f'{file}:3:9: missing key "dst"\n'
