"""Reading files that must be profiles: one that is none, or is cut off, is told in terms of a profile's tables."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from simcore.errors import InputError, Problem
from simcore.program.profile.tables import REQUIRED
from simcore.program.program import Program
from simcore.program.read import load_program, program_from_bytes

_GZIP = b"\x1f\x8b"
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:]', re.DOTALL)


def load_profile(path: str | os.PathLike[str]) -> Program:
    """The program and measurement in ``path``. Raises InputError with every fault; what is cut off, with its table."""
    file = os.fspath(path)
    try:
        return load_program(file)
    except InputError as error:
        try:
            data = Path(file).read_bytes()
        except OSError:
            raise error from None  # it has said why
        raise InputError([*error.problems, *_in_tables(data, file)]) from error


def load_profiles(paths: Iterable[str | os.PathLike[str]]) -> list[Program]:
    """The profiles in ``paths``. Raises InputError with the faults of all of them."""
    found: list[Program] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            found.append(load_profile(path))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def profile_from_bytes(data: bytes, file: str) -> Program:
    """As :func:`load_profile`, of a file's bytes; ``file`` is its name in messages."""
    try:
        return program_from_bytes(data, file)
    except InputError as error:
        raise InputError([*error.problems, *_in_tables(data, file)]) from error


def _in_tables(data: bytes, file: str) -> list[Problem]:
    """What a broken file lacks as a profile; nothing if it is not JSON, or if its tables are there."""
    try:
        text = zlib.decompressobj(31).decompress(data) if data[:2] == _GZIP else data
    except zlib.error:
        return []
    needs = f"(a profile needs: {', '.join(REQUIRED)})"
    if not text.strip():
        return [Problem(f"no table at all {needs}", file)]
    if not text.lstrip().startswith(b"{"):
        return []
    try:
        document = msgspec.json.decode(text)
    except msgspec.DecodeError:
        table = _open_table(text)
        return [] if table is None else [Problem(f'the table "{table}" is cut off {needs}', file)]
    if document.keys() & {*REQUIRED, "schema", "functions"}:
        return []
    return [Problem(f'the table "{table}" is missing {needs}', file) for table in REQUIRED]


def _open_table(text: bytes) -> str | None:
    """The key of the outermost mapping whose value ``text`` ends in; None if none is open."""
    depth, key, before = 0, None, b""
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in b"{[":
            depth += 1
        elif token in b"}]":
            depth -= 1
        elif token == b":" and depth == 1:
            key = before[1:-1].decode(errors="replace")
        before = token
    return key if depth > 0 else None
