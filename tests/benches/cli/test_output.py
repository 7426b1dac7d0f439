"""Places of results: what cannot be written is told before anything is, for every output of a call."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benches.cli.output import check_targets, console, emit_json
from simcore.errors import InputError, Problem
from tests.benches.cli.conftest import Call

CALLS = (("flows", "cases/contention/A01-incast-02.json"), ("collective", "all_gather"))


def call_of(shared: Path, command: str, what: str) -> list[object]:
    if command == "flows":
        return [command, shared / what]
    return [command, what, "--topology", "mesh_4x4_small", "--bytes", "256"]


@pytest.mark.parametrize(("command", "what"), CALLS)
def test_a_folder_for_one_output_keeps_the_other_from_being_written(
    kernbench: Call, shared: Path, tmp_path: Path, command: str, what: str
):
    call = call_of(shared, command, what)
    plot = tmp_path / "p.svg"
    assert kernbench(*call, "--plot", plot, "--json", tmp_path) == (
        2, "", f"{tmp_path}: is a directory (expected a file to write)\n",
    )  # fmt: skip
    assert not plot.exists()


@pytest.mark.parametrize(("command", "what"), CALLS)
def test_a_device_that_takes_nothing_keeps_the_picture_from_appearing(
    kernbench: Call, shared: Path, tmp_path: Path, command: str, what: str
):
    plot = tmp_path / "p.svg"
    code, out, err = kernbench(*call_of(shared, command, what), "--plot", plot, "--json", "/dev/full")
    assert (code, out) == (2, "")
    assert err.startswith("/dev/full: cannot be written: ")
    assert list(tmp_path.iterdir()) == []


def test_the_report_on_a_bundle_does_not_take_the_place_of_the_bundle(kernbench: Call, shared: Path, tmp_path: Path):
    profile = shared / "data/trn2-profiles/fused_fp32_s512.json.gz"
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    code, out, err = kernbench("calibrate", "train", profile, "--out", bundle, "--json", bundle / "learned.json")
    assert (code, out) == (2, "")
    assert err == f"{bundle / 'learned.json'}: is the file of another output too (allowed: a file for each)\n"
    assert list(bundle.iterdir()) == []


def test_a_fault_is_told_once():
    fault = Problem("is wrong", "f", 1)
    assert str(InputError([fault, Problem("is wrong", "f", 2), fault])) == "f:1: is wrong\nf:2: is wrong"


def test_all_places_that_cannot_be_written_come_at_once(tmp_path: Path):
    nowhere = tmp_path / "no" / "f"
    with pytest.raises(InputError) as caught:
        check_targets({"--json": "", "--plot": "-", "--html": tmp_path, "--metrics": nowhere})
    assert str(caught.value) == (
        "--json: an empty name (expected a file to write)\n"
        "--plot -: standard output takes the JSON result alone (expected a file to write)\n"
        f"{tmp_path}: is a directory (expected a file to write)\n"
        f"{nowhere}: cannot be written: No such file or directory"
    )


def test_standard_output_that_is_closed_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InputError, match="standard output: cannot be written: it is closed"):
        console()
    with pytest.raises(InputError, match="standard output: cannot be written: it is closed"):
        emit_json({}, "-")
