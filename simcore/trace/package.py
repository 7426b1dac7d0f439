"""The trace package: the estimate traces of one folder as a tar archive that is the same for the same files."""

from __future__ import annotations

import gzip
import os
import re
import tarfile
from pathlib import Path

from simcore.errors import InputError, Problem
from simcore.staged_files import StagedFiles

PACKAGE_NAME = "file.perf-sim"

MEMBER_PATTERN = re.compile(r"perf_sim\..*\.json")
"""Searched for in a file's name, not matched against the whole: ``x.perf_sim.y.json.gz`` is a member too."""


def package(folder: str | os.PathLike[str], out: str | os.PathLike[str] = PACKAGE_NAME) -> list[str] | None:
    """Packs the traces of ``folder`` into ``out`` and returns their names; None, and no file, if there are none.

    Members are the regular files (or links to one) in the folder itself, not below it, whose names match
    :data:`MEMBER_PATTERN`; a PAX tar, gzip-compressed, in the order of their names, without times, owners or modes of
    this machine. Raises InputError for a missing folder, or a member or package that cannot be read or written.
    """
    members = _members(Path(folder))
    if not members:
        return None
    target = Path(out)
    if MEMBER_PATTERN.search(target.name) and target.resolve().parent == Path(folder).resolve():
        raise InputError([Problem("the package would be a member of itself: choose another name", os.fspath(out))])
    # Without a name and a time in its header, compressed data depend on nothing but the content.
    with (
        StagedFiles() as staged,
        staged.open(target) as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8") as archive,
    ):
        for member in members:
            _add(archive, member)
    return [m.name for m in members]


def _members(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [e.name for e in entries if MEMBER_PATTERN.search(e.name) and e.is_file()]
    except OSError as error:
        raise InputError([Problem(f"no folder of traces: {error.strerror}", os.fspath(folder))]) from error
    return [folder / name for name in sorted(names, key=os.fsencode)]


def _add(archive: tarfile.TarFile, path: Path) -> None:
    try:
        content = path.open("rb")
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", os.fspath(path))]) from error
    with content:
        info = tarfile.TarInfo(path.name)
        info.size = os.fstat(content.fileno()).st_size
        archive.addfile(info, content)
