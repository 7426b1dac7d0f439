"""Where results go: JSON whole or not at all, tables as wide as the terminal, remarks beside standard output."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from simcore.errors import InputError, Problem

if TYPE_CHECKING:
    from rich.console import Console

STANDARD_OUTPUT = "-"

WIDTH_WITHOUT_TERMINAL = 120
"""Columns of a table that goes into a file or a pipe and whose width nobody states."""


def emit_json(result: object, target: str) -> None:
    """Writes ``result`` (anything msgspec encodes) as one line of JSON to the file ``target``, or to ``-``.

    An existing file is replaced whole, or not at all. Raises InputError if ``target`` cannot be written.
    """
    data = msgspec.json.encode(result) + b"\n"
    if target == STANDARD_OUTPUT:
        typer.echo(data, nl=False)
    else:
        write_whole(data, target)


def write_whole(data: bytes, target: str) -> None:
    """Puts ``data`` into the file ``target``: written beside it, then renamed, so a reader never sees a part of it.

    A device or a pipe is written directly; a link is followed. Raises InputError if that is impossible.
    """
    path = Path(os.path.realpath(target)) if target else Path(target)
    if not target or path.is_dir():
        message = "is a directory (expected a file to write)" if target else "an empty name (expected a file to write)"
        raise InputError([Problem(message, target or "--json")])
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        try:
            beside.write_bytes(data)
            if path.exists():
                shutil.copymode(path, beside)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise InputError([Problem(f"cannot be written: {error.strerror}", target)]) from error


def console() -> Console:
    """Standard output for tables, as wide as the terminal (or as COLUMNS says)."""
    from rich.console import Console

    unknown = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    # Names and source lines come from programs: nothing in them is markup.
    width = WIDTH_WITHOUT_TERMINAL if unknown else None
    return Console(highlight=False, markup=False, emoji=False, width=width)


def note(text: str) -> None:
    """A remark for the user, on standard error: standard output holds the result alone."""
    typer.echo(text, err=True)
