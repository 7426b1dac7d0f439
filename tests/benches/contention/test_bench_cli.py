"""``kernbench run --bench``: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches.contention.cases import duplex
from tests.benches.cli.conftest import Call, kernbench

__all__ = ["kernbench"]


def test_a_bench_shows_measured_beside_analytic_and_a_verdict(kernbench: Call):
    code, out, err = kernbench("run", "--bench", "duplex", "--set", "kib=64", "--set", "gbs=32")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("duplex: Both directions of a connection at once")
    assert lines[1] == "kib=64 gbs=32"
    assert lines[3].split() == ["quantity", "measured", "analytic", "error", "tolerance", "unit", "verdict"]
    assert "full duplex: a to b ends" in out
    assert [line.split()[-1] for line in lines[4:8]] == ["PASS"] * 4
    assert any(line.startswith("PASS: all hold. The two directions of a link do not meet") for line in lines)


def test_json_has_the_result_alone_and_in_full(kernbench: Call):
    code, out, err = kernbench("run", "--bench", "duplex", "--set", "kib=64", "--json", "-")
    report = json.loads(out)
    assert (code, err) == (0, "")
    assert report["schema"] == "kernbench.bench/1"
    assert report["parameters"] == {"kib": "64", "gbs": "64"}
    assert report["rows"][0] == {
        "quantity": "full duplex: a to b ends",
        "measured": 1024,
        "analytic": 1024,
        "error": 0,
        "error_pct": 0.0,
        "tolerance": 0.001,
        "unit": "ns",
        "verdict": "PASS",
    }
    assert report["verdict"] == "PASS"


def test_a_row_that_is_off_ends_with_exit_code_1(kernbench: Call, monkeypatch: pytest.MonkeyPatch):
    right = duplex.ends_ns
    monkeypatch.setattr(duplex, "ends_ns", lambda traffic: [end + 1 for end in right(traffic)])
    code, out, _ = kernbench("run", "--bench", "duplex")
    assert code == 1
    assert "FAIL: 2 of 4 fail." in out
    code, out, _ = kernbench("run", "--bench", "duplex", "--json", "-")
    assert (code, json.loads(out)["verdict"]) == (1, "FAIL")


def test_a_bench_runs_on_another_system(kernbench: Call):
    call = ("run", "--bench", "hot-target", "--set", "issuers=1", "--set", "kib=4", "--topology", "mesh_4x4_small")
    code, out, _ = kernbench(*call)
    assert code == 0
    assert "topology=mesh_4x4_small" in out.splitlines()[1]


def test_everything_wrong_with_the_parameters_is_said_at_once(kernbench: Call, tmp_path: Path):
    target = tmp_path / "x.json"
    code, out, err = kernbench("run", "--bench", "duplex", "--set", "kb=1", "--set", "gbs=fast", "--json", target)
    assert (code, out, target.exists()) == (2, "", False)
    assert err.splitlines() == [
        '--set kb=1: bench duplex has no parameter "kb" (allowed: kib, gbs; did you mean "kib"?)',
        '--set gbs=fast: gbs: "fast" (expected a number)',
        "bench duplex takes: kib: whole number, 1 to 65536 = 256",
        "bench duplex takes: gbs: number, above 0, up to 1000000 = 64",
    ]


def test_an_unknown_bench_is_refused_with_the_nearest_name(kernbench: Call):
    code, _, err = kernbench("run", "--bench", "parkinglot")
    assert code == 2
    assert err.startswith('--bench: no bench "parkinglot"') and 'did you mean "parking-lot"' in err


def test_options_of_programs_are_refused_by_name_beside_a_bench(kernbench: Call, tmp_path: Path):
    call = ("run", tmp_path / "x.json", "--bench", "duplex", "--events", "--timing", "hwm", "--trace", "t.json")
    code, out, err = kernbench(*call)
    assert (code, out) == (2, "")
    names = [line.partition(": ")[0] for line in err.splitlines()]
    assert names == ["PROGRAM", "--timing", "--events", "--trace"]
    assert "does not go with --bench (allowed beside it: " in err


def test_a_program_or_a_bench_is_needed(kernbench: Call):
    code, _, err = kernbench("run")
    assert code == 2
    assert err == "PROGRAM: missing (give a program file, or --bench NAME; kernbench list names them)\n"


def test_settings_of_a_bench_are_refused_beside_a_program(kernbench: Call, tmp_path: Path):
    code, _, err = kernbench("run", tmp_path / "x.json", "--set", "kib=1")
    assert (code, err) == (2, "--set: goes with --bench only\n")
