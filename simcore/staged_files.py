"""Output files that appear whole or not at all: written beside their targets, then renamed together."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from simcore.errors import InputError, Problem


class StagedFiles:
    """``with StagedFiles() as staged, staged.open(path) as file: ...``

    Each file is written under another name in its target's folder; when the outer block ends well, all are renamed to
    their targets, else none is. Raises InputError for a target that cannot be written, is a folder, is no regular
    file (a device would be replaced by a file), is opened a second time, or is ``-``, by which a caller means standard
    output.
    """

    def __init__(self) -> None:
        self._staged: list[tuple[Path, Path]] = []

    @contextmanager
    def open(self, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
        """A new binary file that is to become ``path``; an existing one keeps its permissions, a link its name."""
        shown = os.fspath(path)
        if shown == "-":
            raise InputError([Problem("standard output takes the JSON result alone (expected a file to write)", shown)])
        target = Path(os.path.realpath(path))
        if any(target == other for _, other in self._staged):
            raise InputError([Problem("is the file of another output too (allowed: a file for each)", shown)])
        # The name must never look like a trace: a package may be made of the folder at any moment.
        temporary = target.with_name(f".kernbench-{secrets.token_hex(8)}.tmp")
        try:
            mode = target.stat().st_mode if target.exists() else None
            if mode is not None and not stat.S_ISREG(mode):
                raise InputError([Problem(f"is {'a folder' if stat.S_ISDIR(mode) else 'not a regular file'}", shown)])
            with temporary.open("xb") as file:
                self._staged.append((temporary, target))
                if mode is not None:
                    os.chmod(temporary, stat.S_IMODE(mode))
                yield file
        except OSError as error:
            raise _unwritable(error, shown) from error

    def __enter__(self) -> StagedFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            while kind is None and self._staged:
                temporary, target = self._staged[0]
                try:
                    os.replace(temporary, target)
                except OSError as refused:
                    raise _unwritable(refused, os.fspath(target)) from refused
                del self._staged[0]
        finally:
            for temporary, _ in self._staged:
                temporary.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Makes ``path`` and its parents where they are missing. Raises InputError if that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError([Problem("is not a folder", os.fspath(path))]) from error
    except OSError as error:
        raise _unwritable(error, os.fspath(path)) from error


def _unwritable(error: OSError, path: str) -> InputError:
    return InputError([Problem(f"cannot be written: {error.strerror or error}", path)])
