"""JSON text: its syntax errors and repeated keys as problems, a walk over its values, and the places of given paths."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

from simcore.errors import InputError, Problem
from simcore.program.faults import Path
from simcore.program.stream.wanted import Place, Wanted

NESTING_LIMIT = 256
"""Deepest bracket nesting of a document, in JSON and YAML alike (64 nested loops need about 140)."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def json_text(data: bytes, file: str) -> str:
    """``data`` as text. Raises InputError if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        begin = data.rfind(b"\n", 0, error.start) + 1
        place = (data.count(b"\n", 0, error.start) + 1, len(data[begin : error.start].decode("utf-8")) + 1)
        raise InputError([Problem(f"not UTF-8 text: {error.reason}", file, *place)]) from error


def decode_json(text: str, file: str) -> Any:
    """The document in ``text``. Raises InputError for syntax errors, repeated keys and too deep nesting."""
    return _decode(text, file, keep=True)


def check_json(text: str, file: str) -> None:
    """Raises the errors of :func:`decode_json`, without ever holding the document."""
    _decode(text, file, keep=False)


def _decode(text: str, file: str, *, keep: bool) -> Any:
    repeats = False

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
        nonlocal repeats
        result = dict(pairs)
        repeats = repeats or len(result) != len(pairs)
        return result if keep else None

    try:
        document = json.loads(text, object_pairs_hook=mapping)
    except json.JSONDecodeError as error:
        raise InputError([_syntax_problem(error, file)]) from error
    except RecursionError as error:
        raise InputError([_too_deep(text, file)]) from error
    except ValueError as error:
        raise InputError([_unreadable_number(text, file)]) from error
    if repeats:
        raise InputError(_repeated_keys(text, file))
    return document


def _syntax_problem(error: json.JSONDecodeError, file: str) -> Problem:
    truncated = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    message = "the file ends inside the document (truncated?)" if truncated else f"not valid JSON: {error.msg}"
    return Problem(message, file, error.lineno, error.colno)


def _too_deep(text: str, file: str) -> Problem:
    """The problem of a document that nests too deep, at the place where it does."""
    depth = 0
    for match in _TOKEN.finditer(text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match.group(), 0)
        if depth > NESTING_LIMIT:
            return Problem(f"nested deeper than {NESTING_LIMIT} brackets", file, *Lines(text).place(match.start()))
    return Problem(f"nested deeper than {NESTING_LIMIT} brackets", file)


def _unreadable_number(text: str, file: str) -> Problem:
    """The problem of a whole number with more digits than Python reads."""
    limit = sys.get_int_max_str_digits()
    long = (m for m in _TOKEN.finditer(text) if len(m.group()) > limit and m.group().lstrip("-").isdigit())
    place = Lines(text).place(next(long).start())
    return Problem(f"not valid JSON: a number of more than {limit} digits", file, *place)


def _repeated_keys(text: str, file: str) -> list[Problem]:
    """A problem for each key that its mapping already has."""
    problems, lines = [], Lines(text)
    seen: list[set[str]] = []
    last, last_at = "", 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "{[":
            seen.append(set())
        elif token in "}]":
            seen.pop()
        elif token == ":":
            key = json.loads(last)
            if key in seen[-1]:
                message = f"the key {json.dumps(key)} stands twice in one mapping"
                problems.append(Problem(message, file, *lines.place(last_at)))
            seen[-1].add(key)
        last, last_at = token, match.start()
    return problems


Visit = Callable[[str | int, int | None, int], int | None]
"""Gets a member's key or position, where its key begins and where its value does.

Returns where the value ends, or None to have it passed over.
"""


def walk(text: str, at: int, visit: Visit) -> int:
    """Visits what the object or list that begins at ``at`` holds; returns where it ends. ``text`` must be valid."""
    is_object = text[at] == "{"
    key_at: int | None = None
    index = 0
    at = after_space(text, at + 1)
    while text[at] not in "}]":
        step: str | int = index
        if is_object:
            key_at = at
            step, at = _DECODER.raw_decode(text, at)
            at = after_space(text, after_space(text, at) + 1)
        end = visit(step, key_at, at)
        if end is None:
            end = value_at(text, at)[1]
        at = after_space(text, end)
        if text[at] == ",":
            at = after_space(text, at + 1)
        index += 1
    return at + 1


def value_at(text: str, at: int) -> tuple[Any, int]:
    """The value that begins at ``at``, and where it ends."""
    value, end = _DECODER.raw_decode(text, at)
    return value, end


def after_space(text: str, at: int) -> int:
    """The offset of what follows the white space at ``at``."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def locate_json(text: str, paths: Iterable[Path]) -> Wanted:
    """The places of ``paths`` in ``text``, a valid document."""
    root, lines = Wanted.tree(paths), Lines(text)
    begin = after_space(text, 0)
    root.place = Place(lines.place(begin), None)
    _locate(text, begin, root, lines)
    return root


def _locate(text: str, at: int, wanted: Wanted, lines: Lines) -> int | None:
    if not wanted.children or text[at] not in "{[":
        return None

    def visit(step: str | int, key_at: int | None, value_at: int) -> int | None:
        child = wanted.children.get(step)
        if child is None:
            return None
        key_place = None if key_at is None else lines.place(key_at)
        child.place = Place(lines.place(value_at), key_place)
        return _locate(text, value_at, child, lines)

    return walk(text, at, visit)


class Lines:
    """Turns offsets, given in ascending order, into lines and columns."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def place(self, offset: int) -> tuple[int, int]:
        """1-based line and column (in characters)."""
        self._line += self._text.count("\n", self._at, offset)
        self._at = offset
        return self._line, offset - self._text.rfind("\n", 0, offset)
