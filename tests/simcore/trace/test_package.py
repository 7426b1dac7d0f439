"""The trace package: which files, in which order, and the same bytes for the same files."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from simcore.errors import InputError
from simcore.trace.package import package


def fill(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(f"content of {name}")
    return folder


def contents(path: Path) -> dict[str, bytes]:
    with tarfile.open(path, "r:gz") as archive:
        return {m.name: archive.extractfile(m).read() for m in archive}


def test_members_are_the_files_of_the_folder_whose_names_hold_the_pattern(tmp_path: Path):
    members = ["a.perf_sim.b.json.gz", "perf_sim..json", "perf_sim.m.f.b.json"]
    others = ["perf_sim.txt", "perf_sim_at_end_trace.m.json", "ps_trace.m.json", "perf_simx.json", "m.json.perf_sim."]
    folder = fill(tmp_path / "t", *members, *others)
    fill(folder / "below", "perf_sim.below.json")
    (folder / "perf_sim.folder.json").mkdir()
    out = tmp_path / "out.perf-sim"
    assert package(folder, out) == members
    assert contents(out) == {name: f"content of {name}".encode() for name in members}


def test_a_link_to_a_file_is_packed_as_the_file_and_one_to_nothing_is_not(tmp_path: Path):
    folder = fill(tmp_path / "t", "x")
    (folder / "perf_sim.link.json").symlink_to("x")
    (folder / "perf_sim.dangling.json").symlink_to("nowhere")
    assert package(folder, tmp_path / "p") == ["perf_sim.link.json"]
    assert contents(tmp_path / "p") == {"perf_sim.link.json": b"content of x"}


def test_nothing_of_this_machine_is_in_the_package(tmp_path: Path):
    one = fill(tmp_path / "one", "perf_sim.b.json", "perf_sim.a.json")
    two = fill(tmp_path / "two", "perf_sim.a.json", "perf_sim.b.json")
    os.utime(two / "perf_sim.a.json", (1, 1))
    (two / "perf_sim.b.json").chmod(0o600)
    package(one, tmp_path / "first")
    package(two, tmp_path / "second name")
    packed = (tmp_path / "first").read_bytes()
    assert packed == (tmp_path / "second name").read_bytes()
    assert packed[:4] == b"\x1f\x8b\x08\x00"  # gzip, deflated, without a name
    assert packed[4:8] == bytes(4)  # nor a time
    with tarfile.open(tmp_path / "first") as archive:
        assert [(m.name, m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) for m in archive] == [
            ("perf_sim.a.json", 0, 0, 0, "", "", 0o644),
            ("perf_sim.b.json", 0, 0, 0, "", "", 0o644),
        ]


def test_names_that_an_old_tar_cannot_hold_are_pax_headers(tmp_path: Path):
    long, foreign = f"perf_sim.{'n' * 150}.json", "perf_sim.ядро.json"
    folder = fill(tmp_path / "t", long, foreign)
    assert package(folder, tmp_path / "p") == [long, foreign]
    with tarfile.open(tmp_path / "p") as archive:
        assert [m.pax_headers for m in archive] == [{"path": long}, {"path": foreign}]


def test_without_a_trace_nothing_is_written_and_that_is_said(tmp_path: Path):
    folder = fill(tmp_path / "t", "other.json")
    assert package(folder, tmp_path / "p") is None
    assert not (tmp_path / "p").exists()
    (tmp_path / "p").write_text("an older one")
    assert package(folder, tmp_path / "p") is None
    assert (tmp_path / "p").read_text() == "an older one"


def test_the_package_is_called_file_perf_sim_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path / "t", "perf_sim.a.json")
    assert package("t") == ["perf_sim.a.json"]
    assert contents(tmp_path / "file.perf-sim") == {"perf_sim.a.json": b"content of perf_sim.a.json"}


def test_packing_again_into_the_same_folder_packs_the_same(tmp_path: Path):
    folder = fill(tmp_path / "t", "perf_sim.a.json")
    out = folder / "file.perf-sim"
    assert package(folder, out) == ["perf_sim.a.json"]
    first = out.read_bytes()
    assert package(folder, out) == ["perf_sim.a.json"]
    assert out.read_bytes() == first
    assert sorted(p.name for p in folder.iterdir()) == ["file.perf-sim", "perf_sim.a.json"]


def test_a_missing_folder_is_an_error(tmp_path: Path):
    with pytest.raises(InputError) as error:
        package(tmp_path / "none", tmp_path / "p")
    assert str(error.value) == f"{tmp_path / 'none'}: no folder of traces: No such file or directory"
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="no folder of traces: Not a directory"):
        package(tmp_path / "file", tmp_path / "p")
    assert not (tmp_path / "p").exists()


def test_a_package_that_the_next_one_would_pack_is_refused(tmp_path: Path):
    folder = fill(tmp_path / "t", "perf_sim.a.json")
    with pytest.raises(InputError, match="would be a member of itself"):
        package(folder, folder / "perf_sim.all.json.tgz")
    assert [p.name for p in folder.iterdir()] == ["perf_sim.a.json"]


def test_a_package_that_cannot_be_written_leaves_nothing(tmp_path: Path):
    folder = fill(tmp_path / "t", "perf_sim.a.json")
    with pytest.raises(InputError, match="is a folder"):
        package(folder, tmp_path)
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        package(folder, tmp_path / "none" / "p")
    assert [p.name for p in tmp_path.iterdir()] == ["t"]


def test_a_member_that_shrinks_while_it_is_read_leaves_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = fill(tmp_path / "t", "perf_sim.a.json")
    monkeypatch.setattr("simcore.trace.package.os.fstat", lambda _: SimpleNamespace(st_size=1000))
    with pytest.raises(InputError, match="cannot be written: unexpected end of data"):
        package(folder, tmp_path / "p")
    assert [p.name for p in tmp_path.iterdir()] == ["t"]
