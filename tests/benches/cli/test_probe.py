"""``kernbench probe``: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches.probe.model import Check, ProbeReport
from tests.benches.cli.conftest import Call

SCHEMA_KEYS = {
    "name", "category", "hops", "path", "actual_ns", "formula_ns", "terms", "unexplained_ns", "wire_ns", "overhead_ns",
    "drain_ns", "eff_bw_gbs", "bottleneck_bw_gbs", "util_pct", "hop_trace", "sweep",
}  # fmt: skip
STANDARD = [
    "h2d-1hop", "h2d-2hop", "h2d-3hop", "h2d-4hop", "d2h-1hop", "d2h-2hop", "d2h-3hop", "d2h-4hop", "pe-local-hbm",
    "pe-same-half-hbm", "pe-cross-half-hbm", "pe-cross-cube-hbm-best", "pe-cross-cube-hbm-worst",
]  # fmt: skip


def test_the_standard_cases_as_json(kernbench: Call):
    code, out, err = kernbench("probe", "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert (report["schema"], report["topology"], report["nbytes"]) == ("kernbench.probe/1", "kernbench_2x4x4", 32768)
    assert [case["name"] for case in report["cases"]] == STANDARD
    for case in report["cases"]:
        assert set(case) >= SCHEMA_KEYS
        assert case["unexplained_ns"] == 0
        assert case["formula_ns"] == pytest.approx(case["wire_ns"] + case["overhead_ns"] + case["drain_ns"])
        assert case["actual_ns"] == pytest.approx(case["formula_ns"] + sum(case["terms"].values()))
        assert [hop["node"] for hop in case["hop_trace"]] == case["path"]
        assert [point["nbytes"] for point in case["sweep"]] == [4096, 16384, 65536, 262144, 1048576]
    assert {check["status"] for check in report["checks"]} == {"PASS", "INFO"}
    assert {"name": "h2d-monotonic", "status": "PASS"}.items() <= report["checks"][0].items()


def test_the_numbers_of_an_own_slice(kernbench: Call):
    _, out, _ = kernbench("probe", "--case", "pe-local-hbm", "--json", "-")
    (case,) = json.loads(out)["cases"]
    assert (case["actual_ns"], case["drain_ns"], case["bottleneck_bw_gbs"]) == (137.004, 128.0, 256.0)
    assert case["terms"] == {"flit_fill": 1.0, "last_burst": 8.0, "response_leg": 0.0015, "tick_rounding": 0.001}
    assert [hop["bottleneck"] for hop in case["hop_trace"]] == [True, False, False]


def test_tables_name_columns_terms_checks_and_routes(kernbench: Call):
    code, out, err = kernbench("probe", "--case", "h2d-2hop")
    assert (code, err) == (0, "")
    for words in (
        "kernbench_2x4x4: 1 cases, 32 KiB each", "actual ns", "formula", "ovhd%", "drain%", "eff.bw", "bn.bw", "util%",
        "flit_fill", "response_leg", "unexplained", "4 KiB", "1 MiB", "[v] sweep-monotonic", "[v] nothing-unexplained",
        "sip0.io0.pcie_ep @5.00 <BN:128GB/s>", "drain:256.00ns", "response: sip0.cube4.hbm_ctrl.pe0",
    ):  # fmt: skip
        assert words in out
    assert "h2d-monotonic" not in out


def test_a_case_that_there_is_not_is_refused_with_the_nearest(kernbench: Call):
    code, out, err = kernbench("probe", "--case", "h2d-2hops")
    assert (code, out) == (2, "")
    assert err.startswith('--case: unknown probe case "h2d-2hops" (')
    assert "h2d-2hop" in err


def test_a_case_without_a_place_is_refused(kernbench: Call, tmp_path: Path):
    from importlib import resources

    text = (resources.files("topology") / "systems" / "kernbench_2x4x4.yaml").read_text()
    small = tmp_path / "small.yaml"
    assert "h: {value: 4," in text
    small.write_text(text.replace("h: {value: 4,", "h: {value: 2,", 1))
    code, out, err = kernbench("probe", "--topology", small, "--case", "h2d-4hop")
    assert (code, out) == (2, "")
    assert "probe case h2d-4hop has no place: a cube mesh of 4 x 2 has no row 3" in err


def test_a_free_graph_is_probed_along_its_ways(kernbench: Call):
    code, out, _ = kernbench("probe", "--topology", "mesh_4x4_small", "--strict", "--json", "-")
    report = json.loads(out)
    assert code == 0
    assert [(case["hops"], case["actual_ns"]) for case in report["cases"]] == [
        (1, 260.03), (2, 264.06), (3, 268.09), (4, 272.12), (5, 276.15), (6, 280.18),
    ]  # fmt: skip


def test_strict_ends_with_1_if_a_check_fails_and_only_then(kernbench: Call, monkeypatch: pytest.MonkeyPatch):
    def failing(*_: object, **__: object) -> ProbeReport:
        return ProbeReport("kernbench.probe/1", "s", 1024, [], [Check("x-monotonic", "FAIL", "2 after 3")], [], None)

    assert kernbench("probe", "--topology", "mesh_4x4_small", "--strict")[0] == 0
    monkeypatch.setattr("benches.probe.build.run_probe", failing)
    code, out, _ = kernbench("probe", "--topology", "mesh_4x4_small")
    assert code == 0
    assert "[x] x-monotonic: 2 after 3" in out
    assert kernbench("probe", "--topology", "mesh_4x4_small", "--strict")[0] == 1


def test_further_cases_reach_every_other_kind_of_traffic(kernbench: Call):
    code, out, _ = kernbench("probe", "--all", "--strict", "--json", "-")
    assert code == 0
    cases = {case["name"]: case for case in json.loads(out)["cases"]}
    assert set(cases) > set(STANDARD)
    assert cases["pe-cross-sip-hbm"]["terms"]["store_and_forward"] == 512
    assert cases["tcm-read"]["actual_ns"] == 64
    assert cases["launch-all-cubes"]["util_pct"] is None
    assert all(case["unexplained_ns"] == 0 for case in cases.values())


def test_the_comparison_with_the_predecessor(kernbench: Call):
    code, out, _ = kernbench("probe", "--case", "pe-local-hbm", "--compare", "--json", "-")
    assert code == 0
    rows = {row["name"]: row for row in json.loads(out)["comparison"]}
    assert rows["own slice, 32 KiB"]["ours_ns"] - rows["own slice, 16 KiB"]["ours_ns"] == pytest.approx(64)
    assert rows["8 PEs to one slice"]["verdict"] == "same"
    reduce = [row for name, row in rows.items() if name.startswith("all-reduce")]
    assert [(row["verdict"], row["difference_pct"]) for row in reduce] == [("same", 0)] * 8
    code, out, err = kernbench("probe", "--topology", "mesh_4x4_small", "--compare")
    assert (code, out) == (2, "")
    assert "the published numbers are of 2 packages" in err
