"""Where results go: JSON whole or not at all, tables as wide as the terminal, remarks beside standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from simcore.errors import InputError, Problem
from simcore.staged_files import StagedFiles

if TYPE_CHECKING:
    from rich.console import Console

STANDARD_OUTPUT = "-"

WIDTH_WITHOUT_TERMINAL = 120
"""Columns of a table that goes into a file or a pipe and whose width nobody states."""


def emit_json(result: object, target: str, staged: StagedFiles | None = None) -> None:
    """Writes ``result`` (anything msgspec encodes) as one line of JSON to the file ``target``, or to ``-``.

    An existing file is replaced whole, or not at all, and together with those of ``staged``. Raises InputError if
    ``target`` cannot be written, or is one of those.
    """
    data = msgspec.json.encode(result) + b"\n"
    if target == STANDARD_OUTPUT:
        _check_standard_output()
        typer.echo(data, nl=False)
    elif staged is not None and (os.path.isfile(target) or not os.path.exists(target)):
        with staged.open(target) as file:
            file.write(data)
    else:
        write_whole(data, target)


def check_targets(targets: Mapping[str, str | os.PathLike[str] | None]) -> None:
    """Makes sure, before anything is written, that every file of a call can be: ``targets`` is option -> place.

    Raises InputError with every place that cannot be written, and with every file that two options name.
    """
    problems: list[Problem] = []
    taken: dict[str, str] = {}
    for option, target in targets.items():
        if target is None or (option == "--json" and os.fspath(target) == STANDARD_OUTPUT):
            continue
        place = os.path.realpath(target)
        if place in taken:
            problems.append(
                Problem(f"is the file of {taken[place]} too (allowed: a file for each)", f"{option} {target}")
            )
        elif (fault := _fault_of(option, os.fspath(target), place)) is not None:
            problems.append(fault)
        taken[place] = option
    if problems:
        raise InputError(problems)


def _fault_of(option: str, target: str, place: str) -> Problem | None:
    """Why ``target``, which is at ``place``, cannot be written."""
    folder = os.path.dirname(place)
    if not target:
        return Problem("an empty name (expected a file to write)", option)
    if target == STANDARD_OUTPUT:
        return Problem("standard output takes the JSON result alone (expected a file to write)", f"{option} {target}")
    if os.path.isdir(place):
        return Problem("is a directory (expected a file to write)", target)
    if not os.path.isdir(folder):
        return Problem("cannot be written: No such file or directory", target)
    # A file is replaced by one that was written beside it; a device or a pipe is not.
    beside = folder if os.path.isfile(place) or not os.path.exists(place) else place
    if not os.access(beside, os.W_OK) or (os.path.exists(place) and not os.access(place, os.W_OK)):
        return Problem("cannot be written: Permission denied", target)
    return None


def write_whole(data: bytes, target: str) -> None:
    """Puts ``data`` into the file ``target``, whole or not at all; a device or a pipe is written directly.

    Raises InputError if that is impossible.
    """
    path = Path(target)
    if not target:
        raise InputError([Problem("an empty name (expected a file to write)", "--json")])
    if path.is_dir():
        raise InputError([Problem("is a directory (expected a file to write)", target)])
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
    except OSError as error:
        raise InputError([Problem(f"cannot be written: {error.strerror}", target)]) from error
    with StagedFiles() as staged, staged.open(path) as file:
        file.write(data)


def console() -> Console:
    """Standard output for tables, as wide as the terminal (or as COLUMNS says)."""
    from rich.console import Console

    _check_standard_output()

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            # Rich would leave with 1, the exit code of a failed check; the command line has its own for this.
            self.quiet = True
            raise BrokenPipeError

    unknown = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    # Names and source lines come from programs: nothing in them is markup.
    width = WIDTH_WITHOUT_TERMINAL if unknown else None
    return PlainConsole(highlight=False, markup=False, emoji=False, width=width)


def _check_standard_output() -> None:
    """Raises InputError if the caller has closed it."""
    if sys.stdout is None:
        raise InputError([Problem("cannot be written: it is closed", "standard output")])


def note(text: str) -> None:
    """A remark for the user, on standard error: standard output holds the result alone."""
    typer.echo(text, err=True)


def progress(text: str) -> None:
    """Shows ``text`` on standard error in place of the last one, if a terminal shows it; nothing in a pipe."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
