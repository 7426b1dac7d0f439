"""Writing results: whole or not at all, and never where they do not belong."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benches.cli.output import WIDTH_WITHOUT_TERMINAL, console, emit_json, note
from simcore.errors import InputError


def test_a_dash_is_standard_output_and_gets_the_json_alone(capfd):
    emit_json({"a": [1, 2], "b": None}, "-")
    assert capfd.readouterr() == ('{"a":[1,2],"b":null}\n', "")


def test_a_file_is_written_with_the_usual_rights(tmp_path: Path):
    emit_json([1], str(tmp_path / "new.json"))
    beside = tmp_path / "beside"
    beside.touch()
    assert (tmp_path / "new.json").read_bytes() == b"[1]\n"
    assert (tmp_path / "new.json").stat().st_mode == beside.stat().st_mode
    assert sorted(p.name for p in tmp_path.iterdir()) == ["beside", "new.json"]


def test_an_existing_file_is_replaced_and_keeps_its_rights(tmp_path: Path):
    target = tmp_path / "old.json"
    target.write_text("a much longer text than the new one")
    target.chmod(0o640)
    emit_json({}, str(target))
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"{}\n", 0o640)


def test_a_link_stays_a_link(tmp_path: Path):
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    emit_json([], str(tmp_path / "link.json"))
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "[]\n"


def test_a_device_is_written_to_and_not_replaced():
    emit_json([], os.devnull)
    assert not Path(os.devnull).is_file()


def test_a_result_that_cannot_be_encoded_leaves_the_old_file(tmp_path: Path):
    target = tmp_path / "old.json"
    target.write_text("old")
    with pytest.raises(TypeError):
        emit_json(object(), str(target))
    assert (target.read_text(), len(list(tmp_path.iterdir()))) == ("old", 1)


def test_a_write_that_fails_leaves_the_old_file_and_no_part(tmp_path: Path, monkeypatch):
    target = tmp_path / "old.json"
    target.write_text("old")

    def full(*_places: object) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match=r"old\.json: cannot be written: No space left on device"):
        emit_json([1, 2, 3], str(target))
    assert (target.read_text(), len(list(tmp_path.iterdir()))) == ("old", 1)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "--json: an empty name (expected a file to write)"),
        (".", ".: is a directory (expected a file to write)"),
        ("no/such/out.json", "no/such/out.json: cannot be written: No such file or directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_an_input_error(tmp_path, monkeypatch, target, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refused:
        emit_json([], target)
    assert [str(p) for p in refused.value.problems] == [message]


def test_a_remark_goes_beside_standard_output(capfd):
    note("look here")
    assert capfd.readouterr() == ("", "look here\n")


def test_tables_are_as_wide_as_the_terminal_and_a_file_has_a_fixed_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "77")
    assert console().width == 77
    monkeypatch.delenv("COLUMNS")
    assert not sys.stdout.isatty()
    assert console().width == WIDTH_WITHOUT_TERMINAL
