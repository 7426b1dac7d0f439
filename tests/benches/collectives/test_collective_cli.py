"""``kernbench collective``: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benches.cli.conftest import Call, kernbench

__all__ = ["kernbench"]

SMALL = ("--topology", "mesh_4x4_small")


def test_a_sweep_has_a_row_for_every_size_and_the_phases_of_the_largest(kernbench: Call):
    code, out, err = kernbench("collective", "all_reduce", *SMALL, "--algorithm", "torus", "--sweep", "1KiB:4KiB")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "all_reduce by torus on mesh_4x4_small: 16 ranks in a grid of 4x4"
    assert "no queue slots; reductions take 0 ns per byte (free)" in lines
    assert [line.split()[:2] for line in lines if " KiB  " in line] == [["1", "KiB"], ["2", "KiB"], ["4", "KiB"]]
    assert "4 KiB:" in lines
    for phase in ("reduce_scatter_rows", "reduce_scatter_columns", "all_gather_columns", "all_gather_rows"):
        assert sum(line.startswith(phase) for line in lines) == 1


def test_json_has_the_result_alone_and_is_the_same_every_time(kernbench: Call):
    call = ("collective", "all_reduce", *SMALL, "--algorithm", "hierarchical", "--bytes", "4096", "--root", "centre")
    call += ("--streams", "gen3", "--tier", "hbm", "--reduce-ns-per-byte", "1/64", "--json", "-")
    code, out, _ = kernbench(*call)
    report = json.loads(out)
    assert code == 0
    assert report["schema"] == "kernbench.collective/1"
    assert (report["root"], report["tier"], report["reduce_ns_per_byte"]) == (10, "hbm", 1 / 64)
    assert report["streams"] == {"0": 0.75, "1": 0.25}
    assert [place["steps"] for place in report["roots"]] == [12, 8]
    assert kernbench(*call)[1] == out


def test_everything_that_is_wrong_is_said_at_once_and_nothing_is_written(kernbench: Call, tmp_path: Path):
    target = tmp_path / "none" / "x.json"
    code, out, err = kernbench(
        *("collective", "all_reduced", "--algorithm", "rings", "--bytes", "3Kb", "--streams", "7", "--ranks", "pe9"),
        *("--tier", "hmb", "--reduce-ns-per-byte", "free", "--sweep", "1", "--json", target),
    )
    assert (code, out) == (2, "")
    assert [line.partition(":")[0] for line in err.splitlines()] == [
        "KIND",
        "--algorithm",
        "--sweep",
        "--sweep",
        "--ranks",
        "--streams",
        "--tier",
        "--reduce-ns-per-byte",
        str(target),
    ]
    assert 'did you mean "all_reduce"' in err and 'did you mean "hbm"' in err


def test_what_does_not_go_together_is_refused_before_anything_is_written(kernbench: Call, tmp_path: Path):
    target = tmp_path / "plot.svg"
    call = ("collective", "all_reduce", "--topology", "trn2", "--plot", target)
    assert kernbench(*call, "--algorithm", "torus")[0] == 2
    code, _, err = kernbench(*call, "--root", "3")
    assert (code, err.partition(":")[0]) == (2, "--root")
    assert not target.exists()
    code, _, err = kernbench("collective", "all_reduce", "--topology", "mesh_4x4_smal")
    assert code == 2 and 'did you mean "mesh_4x4_small"' in err


@pytest.mark.parametrize(
    ("given", "start"),
    [
        (("--bytes", ""), '--bytes: "" (expected bytes, 1 or more'),
        (("--bytes", "0"), '--bytes: "0" (expected bytes, 1 or more'),
        (("--bytes", "9" * 5000), '--bytes: "999'),
        (("--bytes", "99999999999999999999GiB"), "--bytes, --sweep: 23592959999999999999764070400 flits to serve"),
        (("--sweep", "1:99999GiB"), "--bytes, --sweep: "),
        (("--reduce-ns-per-byte", "9" * 5000), '--reduce-ns-per-byte: "999'),
        (("--reduce-ns-per-byte", "1/0"), '--reduce-ns-per-byte: "1/0" (expected a number'),
    ],
)
def test_no_size_is_empty_endless_or_taken_for_another(kernbench: Call, given: tuple[str, str], start: str):
    code, out, err = kernbench("collective", "all_reduce", *SMALL, *given)
    assert (code, out) == (2, "")
    assert err.startswith(start)


def test_a_generation_may_be_called_by_either_name(kernbench: Call):
    call = ("collective", "all_reduce", *SMALL, "--bytes", "4KiB", "--json", "-", "--streams")
    assert kernbench(*call, "trn2") == kernbench(*call, "gen3")


def test_cores_of_a_chip_take_part_with_a_drawing_beside(kernbench: Call, tmp_path: Path):
    target = tmp_path / "plot.svg"
    call = ("collective", "broadcast", "--topology", "trn2", "--grid", "4x2", "--algorithm", "torus", "--root", "5")
    code, out, _ = kernbench(*call, "--plot", target)
    assert code == 0
    assert "root: rank 5" in out.splitlines()
    assert target.read_text().startswith("<svg ")
