"""``kernbench list``: everything that is registered or stored somewhere, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches.calibrate_report.run_fit import FORMS
from benches.contention.registry import all_benches
from benches.list_report import build
from benches.list_report.build import FORM_MEANS, SECTIONS, TIMING_MEANS, report_of
from components.registry import known_parts
from simcore.errors import InputError, Problem
from simcore.oracle.timing_names import LEARNED, PLATFORM, TIMINGS
from tests.benches.cli.conftest import Call, kernbench
from topology.loader import shipped_systems

__all__ = ["kernbench"]


def test_everything_there_is_is_listed(kernbench: Call, repository: Path):
    code, out, err = kernbench("list", "--json", "-")
    listed = json.loads(out)
    assert (code, err, listed.pop("schema")) == (0, "", "kernbench.list/1")
    assert list(listed) == list(SECTIONS)
    assert [row["name"] for row in listed["benches"]] == [found.name for found in all_benches()]
    assert [row["name"] for row in listed["systems"]] == list(shipped_systems())
    assert all(row["summary"] for row in listed["systems"])
    files = sorted(f"docs/adr/{path.name}" for path in (repository / "docs" / "adr").glob("*.experiment.yaml"))
    assert [row["file"] for row in listed["experiments"]] == files
    kernels = sorted(path.name for path in (repository / "benches" / "kernels").glob("*.yaml"))
    assert [Path(row["file"]).name for row in listed["kernels"]] == kernels
    assert [(row["kind"], row["impl"]) for row in listed["parts"]] == [(p.kind, p.impl) for p in known_parts()]
    assert [row["word"] for row in listed["timings"]] == [
        *TIMINGS,
        "learned:DIR",
        "platform:trn2",
        "platform:DIR",
        *FORMS,
    ]


def test_benches_come_with_their_parameters(kernbench: Call):
    code, out, _ = kernbench("list", "benches", "--json", "-")
    rows = {row["name"]: row for row in json.loads(out)["benches"]}
    assert code == 0
    assert rows["duplex"]["parameters"] == [
        {"name": "kib", "kind": "whole number, 1 to 65536", "default": "256"},
        {"name": "gbs", "kind": "number, above 0, up to 1000000", "default": "64"},
    ]


def test_people_get_a_table_for_each_section(kernbench: Call):
    code, out, _ = kernbench("list")
    assert code == 0
    for text in (
        "hot-target         issuers=1..8,16 kib=256 arbitration=flow_round_robin topology=kernbench_2x4x4",
        "systems (--topology NAME)",
        "0023  ring-depth         Throughput of a descriptor ring by its depth",
        "fused_attention_fp32_s512  gen3",
        "unbounded_tlb *",
        "learned:DIR",
    ):
        assert text in out


def test_one_section_can_be_asked_for(kernbench: Call):
    code, out, _ = kernbench("list", "systems")
    assert (code, out.splitlines()[0]) == (0, "systems (--topology NAME)")
    assert "hot-target" not in out


def test_an_unknown_section_is_refused_with_the_nearest_one(kernbench: Call):
    code, _, err = kernbench("list", "bench")
    assert code == 2
    assert err.startswith('WHAT: nothing is called "bench"') and 'did you mean "benches"' in err


def test_every_timing_and_every_law_is_explained():
    assert set(TIMING_MEANS) == {*TIMINGS, LEARNED, PLATFORM}
    assert set(FORM_MEANS) == set(FORMS)


def test_without_a_source_tree_all_else_is_listed_and_a_note_says_why(monkeypatch: pytest.MonkeyPatch):
    def missing(target: str) -> None:
        raise InputError([Problem("not there", "experiment")])

    monkeypatch.setattr("benches.experiments.catalogue.experiment_files", missing)
    report = report_of(["systems", "experiments"])
    assert (report.experiments, report.notes) == ([], ["experiment: not there"])
    assert report.systems
    assert report.benches is None
    assert build.SECTIONS == SECTIONS
