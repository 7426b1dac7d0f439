"""Reads a user's own Python files that register parts, so that a topology or an experiment can name them."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from components.registry import (
    Registered,
    RegistrationError,
    kinds,
    known_parts,
    lookup,
    parts_kept_only_on_success,
)
from simcore.errors import InputError, Problem

_loaded: dict[Path, list[Registered]] = {}


def load_parts(path: str | Path) -> list[Registered]:
    """Runs the Python file at ``path`` and returns the parts that it registered, sorted by kind and impl.

    A file that was read before is not run again. Raises InputError with file and line if it cannot be read or run, or
    registers nothing; then none of its parts is known.
    """
    home = Path(path).resolve()
    if home not in _loaded:
        shipped = known_parts()
        with parts_kept_only_on_success():
            _run(path, home)
            added = [entry for entry in known_parts() if entry not in shipped]
            if not added:
                raise _fault(path, "registers no part (put @register(kind, impl) before its class)")
        _loaded[home] = added
    return list(_loaded[home])


def load_listed_parts(names: Sequence[str], folder: Path, at_entry: Callable[[int, str], None]) -> list[Problem]:
    """Loads every file of the list ``names``, sought in ``folder``, and returns what is wrong inside of them.

    What is wrong with a file as a whole (it is not there, it registers nothing) is told to ``at_entry``, with the
    number of its entry in the list, from 0 on. A fault of one file does not keep the others from being loaded.
    """
    inside: list[Problem] = []
    for number, name in enumerate(names):
        try:
            load_parts(folder / name)
        except InputError as error:
            for problem in error.problems:
                if problem.line is not None:
                    inside.append(problem)
                else:
                    at_entry(number, f"{problem.file}: {problem.message}")
    return inside


def is_own(kind: str, impl: str | None) -> bool:
    """Whether the part that ``impl`` of ``kind`` names (None: the default) comes from a user's file."""
    own = {(entry.kind, entry.impl) for entries in _loaded.values() for entry in entries}
    if impl is not None or not own:
        return (kind, impl) in own
    return kind in kinds() and (kind, lookup(kind).impl) in own


def own_fault(error: BaseException) -> Problem | None:
    """``error`` as a fault of the user's file that it came through last; None if it came through none."""
    files = {str(home) for home in _loaded}
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in files:
            return Problem(f"{type(error).__name__}: {error}", frame.filename, frame.lineno)
    return None


def _run(path: str | Path, home: Path) -> None:
    """Runs the file as a module of its own, which stays known: the annotations of its classes are looked up there.

    It is compiled here instead of by the import system, which would leave its byte code beside the user's file.
    """
    try:
        source = home.read_bytes()
    except OSError as error:
        raise _fault(path, f"cannot be read: {error.strerror}") from error
    module = ModuleType(f"user_parts_{len(_loaded)}_{home.stem}")
    module.__file__ = str(home)
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, home, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise _at_line(path, home, error) from error


def _at_line(path: str | Path, home: Path, error: BaseException) -> InputError:
    """What the file raised, at the last of its own lines on the way."""
    if isinstance(error, SyntaxError) and error.filename == str(home):
        return _fault(path, f"is not Python: {error.msg}", error.lineno, error.offset)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(home)]
    text = " ".join(str(error).split())
    said = text if isinstance(error, RegistrationError) else f"{type(error).__name__}: {text}".removesuffix(": ")
    return _fault(path, said, lines[-1] if lines else None)


def _fault(path: str | Path, message: str, line: int | None = None, column: int | None = None) -> InputError:
    return InputError([Problem(message, str(path), line, column)])
