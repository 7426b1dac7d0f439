"""``kernbench calibrate train`` and ``evaluate``, and ``--timing learned:DIR`` wherever costs are asked for."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.simcore.oracle.learned.small_profiles import copies, written
from tests.simcore.program.profile.small import row


@pytest.fixture
def profiles(tmp_path: Path) -> list[Path]:
    """Three profiles of copies that take 100 ns and 2 ns per element."""
    return [
        written(tmp_path, "a.json", copies(64, 128, 256)),
        written(tmp_path, "b.json", copies(64, 512)),
        written(tmp_path, "c.json", copies(128, 300)),
    ]


@pytest.fixture
def bundle(kernbench, profiles: list[Path], tmp_path: Path) -> Path:
    """A bundle fitted to the first two."""
    folder = tmp_path / "bundle"
    assert kernbench("calibrate", "train", *profiles[:2], "--out", folder)[0] == 0
    return folder


def test_train_shows_the_laws_and_the_judgement(kernbench, profiles, tmp_path):
    code, out, _ = kernbench("calibrate", "train", *profiles, "--out", tmp_path / "new")
    assert code == 0
    assert "TensorCopy  100 + 2*elements" in out
    assert "The learned oracle beats hwm" in out
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["latency_models_102.npy", "learned.json"]


def test_one_profile_leaves_none_to_judge_by(kernbench, profiles, tmp_path):
    code, out, _ = kernbench("calibrate", "train", profiles[0], "--out", tmp_path / "new")
    assert code == 0
    assert "nothing says how good the laws are elsewhere" in out
    assert json.loads((tmp_path / "new" / "learned.json").read_text())["held_out"] is None


def test_a_bundle_of_more_instructions_is_replaced_only_by_force(kernbench, profiles, bundle):
    code, _, err = kernbench("calibrate", "train", profiles[0], "--out", bundle)
    assert (code, err) == (
        2,
        f"{bundle}: holds a fit of 5 points; refusing to replace it with one of 3 (--force does)\n",
    )
    assert kernbench("calibrate", "train", profiles[0], "--out", bundle, "--force")[0] == 0


def test_evaluate_tells_unseen_profiles_from_left_out_ones(kernbench, profiles, bundle):
    code, out, _ = kernbench("calibrate", "evaluate", bundle, *profiles, "--json", "-")
    report = json.loads(out)
    assert code == 0
    assert report["profiles"] == dict(zip(map(str, profiles), ("left out", "left out", "unseen"), strict=True))
    assert report["held_out"]["overall"]["instructions"] == 7
    assert report["verdict"].startswith("The learned oracle beats hwm (mean error ")


def test_evaluate_prints_a_row_for_each_opcode_and_profile(kernbench, profiles, bundle):
    code, out, _ = kernbench("calibrate", "evaluate", bundle, profiles[2])
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    (copy,) = [cells for cells in rows if cells[:1] == ["TensorCopy"]]
    assert copy[:5] == ["TensorCopy", "2", "0.0", "/", "0.0"]
    assert any(cells[:1] == ["c.json"] for cells in rows)


def test_a_profile_of_the_fit_needs_the_others_of_the_fit(kernbench, profiles, bundle):
    code, _, err = kernbench("calibrate", "evaluate", bundle, profiles[0])
    assert code == 2
    assert "give its other profiles too, to fit without it (missing: b.json)" in err


def test_every_fault_of_the_profiles_is_told_at_once(kernbench, profiles, tmp_path):
    stream = tmp_path / "p.json"
    stream.write_text(
        '{"schema": "kernbench.stream/1", "name": "p", "arch": "gen3", "functions": [{"name": "main", "blocks": []}]}'
    )
    empty = written(tmp_path, "empty.json", {})
    code, _, err = kernbench(
        "calibrate", "train", profiles[0], tmp_path / "none.json", stream, profiles[0], empty, "--out", tmp_path / "new"
    )
    assert code == 2
    assert f"{tmp_path / 'none.json'}: cannot be read: No such file or directory" in err
    assert f"{stream}: holds no measurements (expected a neuron-profile JSON)" in err
    assert f"{profiles[0]}: is the same profile as {profiles[0]} (allowed: once)" in err
    assert str(empty) in err
    assert not (tmp_path / "new").exists()


def test_both_models_stay_equal_under_learned_costs(kernbench, shared, tmp_path):
    paths = sorted((shared / "data" / "trn2-profiles").glob("*.json.gz"))
    assert kernbench("calibrate", "train", *paths, "--out", tmp_path / "b")[0] == 0
    code, out, _ = kernbench("crosscheck", *paths, "--timing", f"learned:{tmp_path / 'b'}")
    assert code == 0
    assert out.count("equal") == 4
    code, out, _ = kernbench("run", paths[3], "--timing", f"learned:{tmp_path / 'b'}", "--json", "-")
    report = json.loads(out)
    assert (code, report["difference_ns"], report["provenance"]["fitted"]) == (0, 0, 1.0)


def test_perfsim_reports_and_logs_where_laws_differ(kernbench, bundle, tmp_path):
    document = copies(64, 128)
    document["instruction"].append(row(9, "I-9", 5000, opcode="RECIPROCAL"))
    program = written(tmp_path, "p.json", document)
    log = tmp_path / "log.csv"
    timing = f"learned:{bundle}"
    code, out, _ = kernbench("perfsim", program, "--timing", timing, "--learned-log", log, "--json", "-")
    learned = json.loads(out)["learned"]
    assert code == 0
    assert (learned["analytic"], learned["instructions"], learned["differing"]) == ("hwm", 3, 2)
    assert learned["confidence"] == {"UNCALIBRATED": 1, "EXACT": 2}
    copy, reciprocal = sorted(learned["opcodes"], key=lambda r: not r["has_law"])
    assert (copy["opcode"], copy["learned_ns"], copy["differing"]) == ("TensorCopy", 228 + 356, 2)
    assert copy["median_ratio"] > 1
    assert (reciprocal["opcode"], reciprocal["median_ratio"], reciprocal["differing"]) == ("Reciprocal", 1.0, 0)
    rows = list(csv.DictReader(log.read_text().splitlines()))
    assert [(r["name"], r["learned_ns"], r["confidence"]) for r in rows] == [
        ("I-0", "228", "EXACT"),
        ("I-1", "356", "EXACT"),
    ]
    _, text, _ = kernbench("perfsim", program, "--timing", timing)
    assert "learned costs: 2 of 3 differ from hwm; 1 UNCALIBRATED, 2 EXACT" in text
    assert "hwm (no law)" in text


def test_a_log_needs_learned_costs(kernbench, profiles, tmp_path):
    code, _, err = kernbench("perfsim", profiles[0], "--learned-log", tmp_path / "log.csv")
    assert (code, err) == (2, "--learned-log: needs --timing learned:DIR (whose costs it compares)\n")


def test_whatif_diff_and_oracle_cost_take_learned_costs(kernbench, profiles, bundle):
    timing = f"learned:{bundle}"
    code, out, _ = kernbench("whatif", profiles[2], "--set", f"timing={timing}", "--json", "-")
    assert (code, json.loads(out)["change"]["after_ns"]) == (0, 356 + 700 - 100)
    code, out, _ = kernbench("diff", profiles[0], profiles[2], "--timing", timing)
    assert code == 0
    assert timing in out
    code, out, _ = kernbench("oracle", "cost", profiles[2], "--timing", timing, "--json", "-")
    assert (code, [i["total_ns"] for i in json.loads(out)["blocks"][0]["instructions"]]) == (0, [356, 700])


@pytest.mark.parametrize(
    ("timing", "said"),
    [
        ("learned", '--timing: "learned" names no bundle (expected learned:DIR'),
        ("lerned:x", 'did you mean "learned"?'),
        ("learned:nowhere", "nowhere: is no learned oracle"),
    ],
)
@pytest.mark.parametrize("command", ["perfsim", "run", "crosscheck", "diff"])
def test_a_bundle_that_is_not_there_is_an_input_error(kernbench, profiles, command, timing, said):
    files = profiles[:2] if command == "diff" else profiles[:1]
    code, _, err = kernbench(command, *files, "--timing", timing)
    assert code == 2
    assert said in err


def test_a_bundle_is_no_table_to_show(kernbench, bundle):
    code, _, err = kernbench("oracle", "show", "--arch", "trn2", "--timing", f"learned:{bundle}")
    assert code == 2
    assert "is a bundle of laws, not a cost table (allowed: hwm, public)" in err
