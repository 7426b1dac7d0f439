"""``kernbench experiment``: what it runs, what it prints, and its exit codes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benches.experiments import catalogue
from tests.benches.cli.conftest import Call, kernbench

__all__ = ["kernbench"]

EXPERIMENT = """\
schema: kernbench.experiment/1
id: two-reads
title: Two reads at once
base:
  work: requests
  part: tcm
  parameters: {read_bw_gbs: 3}
  requests:
  - {name: a, direction: read, nbytes: 1, repeat: 2, window: 2}
variants:
  shipped: {}
  banks: {impl: two_banks}
claims:
- says: One after the other
  formula: 0.667 < finish_ns(shipped) < 2/3 + 1/500
- says: Faster than the bandwidth
  formula: throughput_gbs(each) > 3 or finish_ns(each) == 1
"""

HELD = """\
two-reads: Two reads at once
x.yaml
                shipped    banks
finish_ns         0.668    0.334
throughput_gbs  2.99401  5.98802
PASS  One after the other
      0.667 < finish_ns(shipped): 0.667 < 0.668
      finish_ns(shipped) < 2/3 + 1/500: 0.668 < 1003/1500 (about 0.668667)
FAIL  Faster than the bandwidth
      throughput_gbs(each) > 3 or finish_ns(each) == 1
        shipped  500/167 > 3 (about 2.99401); 0.668 == 1  <- fails
        banks    1000/167 > 3 (about 5.98802)

1 experiment, 2 claims: 1 fails
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.yaml"
    path.write_text(EXPERIMENT)
    return path


def test_a_table_and_every_claim_with_both_sides_and_exit_code_1_if_one_fails(kernbench: Call, file: Path):
    code, out, err = kernbench("experiment", "x.yaml")
    assert (code, err) == (1, "")
    assert [line.rstrip() for line in out.splitlines()] == HELD.splitlines()


def test_exit_code_0_if_all_hold(kernbench: Call, file: Path):
    file.write_text(EXPERIMENT.replace("> 3 or", "> 2 or"))
    code, out, err = kernbench("experiment", file)
    assert (code, err) == (0, "")
    assert out.endswith("1 experiment, 2 claims: all hold\n")


def test_the_json_holds_everything_and_exact_values(kernbench: Call, file: Path):
    code, out, err = kernbench("experiment", "x.yaml", "--json", "-")
    assert (code, err) == (1, "")
    report = json.loads(out)
    assert (report["schema"], report["holds"]) == ("kernbench.experiment/1", False)
    (experiment,) = report["experiments"]
    assert {key: experiment[key] for key in ("id", "title", "adr", "file", "work", "holds", "rows")} == {
        "id": "two-reads",
        "title": "Two reads at once",
        "adr": None,
        "file": "x.yaml",
        "work": "requests",
        "holds": False,
        "rows": [["finish_ns", None], ["throughput_gbs", None]],
    }
    assert experiment["variants"][1] == {
        "name": "banks",
        "given": {},
        "metrics": {"finish_ns": 0.334, "moved_bytes": 2, "throughput_gbs": 1000 / 167},
        "by": {
            "end_ns": {"a": 0.334},
            "latency_ns": {"a": 0.334},
            "busy_ns": {"read": 0.668, "write": 0},
            "wait_ns": {"read": 0, "write": 0},
        },
    }
    first, second = experiment["claims"]
    assert (first["says"], first["holds"]) == ("One after the other", True)
    assert first["verdicts"][0]["compared"][1] == {
        "left": "finish_ns(shipped)",
        "left_value": 0.668,
        "operator": "<",
        "right": "2/3 + 1/500",
        "right_value": 1003 / 1500,
        "exact": ["167/250", "1003/1500"],
        "holds": True,
    }
    assert [(v["variant"], v["holds"]) for v in second["verdicts"]] == [("shipped", False), ("banks", True)]


def test_bad_input_is_exit_code_2_with_nothing_on_standard_output(kernbench: Call, file: Path):
    file.write_text(EXPERIMENT.replace("finish_ns(shipped)", "finish_ns(shiped)").replace("tcm", "tmc"))
    code, out, err = kernbench("experiment", "x.yaml", "--json", "-")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        'x.yaml:6:9: no requests can be sent to "tmc" (allowed: tcm; did you mean "tcm"?)',
        'x.yaml:15:30: unknown variant "shiped" (allowed: shipped, banks, each; did you mean "shipped"?)',
    ]


def test_a_claim_that_divides_by_zero_is_bad_input(kernbench: Call, file: Path):
    file.write_text(EXPERIMENT.replace("2/3 + 1/500", "2/(3 - 3)"))
    code, out, err = kernbench("experiment", "x.yaml")
    assert (code, out, err) == (2, "", 'x.yaml:15:44: division by zero: "3 - 3" is 0\n')


def test_a_file_that_is_not_there_is_bad_input(kernbench: Call, file: Path):
    assert kernbench("experiment", "y.yaml") == (2, "", "y.yaml: cannot be read: No such file or directory\n")


@pytest.mark.parametrize("target", ["0022", "22", "ADR-0022", "adr22"])
def test_a_record_is_found_by_its_number_from_wherever_one_stands(kernbench: Call, file: Path, target: str):
    code, out, _ = kernbench("experiment", target)
    assert code == 0
    assert out.splitlines()[:2] == [
        "engine-coupling (ADR-0022): Pool and DVE on one issue port, by generation",
        "docs/adr/0022-engine-coupling.experiment.yaml",
    ]


def test_a_record_with_several_experiments_runs_them_all(kernbench: Call):
    out = json.loads(kernbench("experiment", "0040", "--json", "-")[1])
    assert [experiment["id"] for experiment in out["experiments"]] == ["tcm-dual-channel", "tcm-streams"]


def test_a_record_without_an_experiment_is_told_with_those_that_have_one(kernbench: Call):
    code, out, err = kernbench("experiment", "0001")
    assert (code, out) == (2, "")
    assert err.startswith("0001: no experiment of record 0001 in docs/adr (there are some of: 0022, 0023, 0024, 0027, ")


def folder_of_records(parent: Path, monkeypatch: pytest.MonkeyPatch, *texts: str) -> None:
    """Stands in for the source tree's records."""
    for k, text in enumerate(texts):
        (parent / f"000{k}-x.experiment.yaml").write_text(text)
    monkeypatch.setattr(catalogue, "records", lambda: parent)


def test_all_runs_every_record_in_the_order_of_their_files(
    kernbench: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    holds = EXPERIMENT.replace("> 3 or", "> 2 or")
    folder_of_records(tmp_path, monkeypatch, holds, EXPERIMENT, holds.replace("two-reads", "last"))
    code, out, _ = kernbench("experiment", "all")
    assert code == 1
    lines = out.splitlines()
    assert [line for line in lines if line.startswith("docs/adr/")] == [
        f"docs/adr/000{k}-x.experiment.yaml" for k in range(3)
    ]
    assert lines[-1] == "3 experiments, 6 claims: 1 fails"


def test_all_reports_the_faults_of_every_file_before_it_runs_any(
    kernbench: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder_of_records(tmp_path, monkeypatch, EXPERIMENT, "[", EXPERIMENT.replace("window", "windows"))
    code, out, err = kernbench("experiment", "all")
    assert (code, out) == (2, "")
    assert [line.partition(" ")[0] for line in err.splitlines()] == [
        "docs/adr/0001-x.experiment.yaml:2:1:",
        "docs/adr/0002-x.experiment.yaml:9:54:",
    ]


def test_installed_without_its_source_tree_it_says_where_the_records_are(repository: Path, tmp_path: Path):
    for package in ("simcore", "components", "topology", "benches"):
        (tmp_path / "site").mkdir(exist_ok=True)
        shutil.copytree(
            repository / package, tmp_path / "site" / package, ignore=shutil.ignore_patterns("__pycache__", "*.gz")
        )
    (tmp_path / "x.yaml").write_text(EXPERIMENT)
    run = [sys.executable, "-m", "benches.cli.main", "experiment"]
    settings = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
    for target in ("all", "0040"):
        done = subprocess.run([*run, target], cwd=tmp_path, env=settings, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "experiment: the experiments of the decision records are in docs/adr of the source tree, and "
            f"{tmp_path / 'site' / 'docs' / 'adr'} is not there: this is an installed package; "
            "name an experiment's file instead\n"
        )
    done = subprocess.run([*run, "x.yaml"], cwd=tmp_path, env=settings, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")


def test_the_output_is_the_same_whatever_the_hash_seed(repository: Path):
    outputs = []
    for seed in ("1", "4242"):
        for options in ([], ["--json", "-"]):
            done = subprocess.run(
                [sys.executable, "-m", "benches.cli.main", "experiment", "0040", *options],
                cwd=repository,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
            )
            assert done.returncode == 0, done.stderr
            outputs.append(done.stdout)
    assert outputs[:2] == outputs[2:]


def test_a_table_wider_than_the_terminal_is_cut_into_several(
    kernbench: Call, file: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "26")
    out = kernbench("experiment", "x.yaml")[1]
    assert [line.rstrip() for line in out.splitlines()[2:8]] == [
        "                shipped",
        "finish_ns         0.668",
        "throughput_gbs  2.99401",
        "                  banks",
        "finish_ns         0.334",
        "throughput_gbs  5.98802",
    ]
