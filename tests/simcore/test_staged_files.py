"""Output files appear whole, all together, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.staged_files import StagedFiles, make_folder


def test_a_file_appears_when_the_block_ends(tmp_path: Path):
    path = tmp_path / "x"
    path.write_text("old")
    with StagedFiles() as staged, staged.open(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_if_anything_fails_no_file_of_the_group_changes(tmp_path: Path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(ZeroDivisionError), StagedFiles() as staged:
        with staged.open(tmp_path / "a") as file:
            file.write(b"new")
        with staged.open(tmp_path / "b") as file:
            file.write(b"new" + bytes(1 // 0))
    assert (tmp_path / "a").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_target_that_became_a_folder_meanwhile_leaves_no_temporary_file(tmp_path: Path):
    path = tmp_path / "x"
    with pytest.raises(InputError, match="cannot be written"), StagedFiles() as staged:
        with staged.open(path) as file:
            file.write(b"new")
        path.mkdir()
    assert list(tmp_path.iterdir()) == [path]


def test_an_existing_file_keeps_its_permissions_and_a_link_stays_one(tmp_path: Path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to("real")
    with StagedFiles() as staged, staged.open(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_device_is_not_replaced_by_a_file(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    pipe, message = tmp_path / "pipe", "pipe: is not a regular file"
    with pytest.raises(InputError, match=message), StagedFiles() as staged, staged.open(pipe):
        pytest.fail("the pipe was opened")
    assert (tmp_path / "pipe").is_fifo()


def test_a_folder_or_a_path_below_a_file_is_refused(tmp_path: Path):
    (tmp_path / "f").write_text("")
    with pytest.raises(InputError, match="is a folder"), StagedFiles() as staged, staged.open(tmp_path):
        pytest.fail("the folder was opened")
    with pytest.raises(InputError, match="Not a directory"), StagedFiles() as staged, staged.open(tmp_path / "f" / "x"):
        pytest.fail("a file below a file was opened")
    with pytest.raises(InputError, match="cannot be written"):
        make_folder(tmp_path / "f" / "x")


def test_a_dash_makes_no_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught, StagedFiles() as staged, staged.open(Path("-")) as file:
        file.write(b"x")
    assert str(caught.value) == "-: standard output takes the JSON result alone (expected a file to write)"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_opened_twice_is_refused_and_nothing_appears(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(InputError, match=r"link: is the file of another output too"), StagedFiles() as staged:
        with staged.open(tmp_path / "a") as file:
            file.write(b"1")
        with staged.open(tmp_path / "link") as file:
            file.write(b"2")
    assert [path.name for path in tmp_path.iterdir()] == ["link"]
