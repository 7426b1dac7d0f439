"""JSON text: decoding with syntax errors and repeated keys as problems, and the places of given paths."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from simcore.errors import InputError, Problem
from simcore.program.faults import Path
from simcore.program.stream.wanted import Place, Wanted

NESTING_LIMIT = 256
"""Deepest bracket nesting of a document, in JSON and YAML alike (64 nested loops need about 140)."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def decode_json(data: bytes, file: str) -> Any:
    """The document in ``data``. Raises InputError for syntax errors, repeated keys and too deep nesting."""
    repeats = False

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeats
        result = dict(pairs)
        repeats = repeats or len(result) != len(pairs)
        return result

    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=mapping)
    except UnicodeDecodeError as error:
        raise InputError([Problem(f"not UTF-8 text: {error.reason} at byte {error.start}", file)]) from error
    except json.JSONDecodeError as error:
        truncated = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
        message = "the file ends inside the document (truncated?)" if truncated else f"not valid JSON: {error.msg}"
        raise InputError([Problem(message, file, error.lineno, error.colno)]) from error
    except RecursionError as error:
        raise InputError([too_deep(data, file)]) from error
    except ValueError as error:
        raise InputError([Problem(f"not valid JSON: {error}", file)]) from error
    if repeats:
        raise InputError([Problem(m, file, *line_and_column(data, at)) for m, at in _repeated_keys(data)])
    return document


def too_deep(data: bytes, file: str) -> Problem:
    """The problem of a document that nests deeper than :data:`NESTING_LIMIT`, with the place where it does."""
    depth = 0
    for match in _TOKEN.finditer(data):
        depth += {0x7B: 1, 0x5B: 1, 0x7D: -1, 0x5D: -1}.get(match.group()[0], 0)
        if depth > NESTING_LIMIT:
            return Problem(f"nested deeper than {NESTING_LIMIT} brackets", file, *line_and_column(data, match.start()))
    return Problem(f"nested deeper than {NESTING_LIMIT} brackets", file)


def _repeated_keys(data: bytes) -> Iterator[tuple[str, int]]:
    """(message, offset) of each key that its mapping already has."""
    seen: list[set[bytes]] = []
    last, last_at = b"", 0
    for match in _TOKEN.finditer(data):
        text = match.group()
        if text in (b"{", b"["):
            seen.append(set())
        elif text in (b"}", b"]"):
            seen.pop()
        elif text == b":":
            if last in seen[-1]:
                yield f"the key {json.loads(last)!r} stands twice in one mapping", last_at
            seen[-1].add(last)
        last, last_at = text, match.start()


def locate_json(data: bytes, paths: Iterable[Path]) -> Wanted:
    """Places (byte offsets) of ``paths`` in ``data``, a valid document, by one scan that keeps no tree of it."""
    root = Wanted.tree(paths)
    outer: list[tuple[bool, int, Wanted | None]] = []
    is_object, index, inside = False, 0, None
    key: str | None = None
    key_at: int | None = None
    expects_key = False
    for match in _TOKEN.finditer(data):
        text = match.group()
        first = text[0]
        if first == 0x2C:
            index += 1
            expects_key = is_object
        elif first in b"}]":
            is_object, index, inside = outer.pop()
            expects_key = False
        elif expects_key:
            key, key_at = (json.loads(text) if inside is not None else None), match.start()
            expects_key = False
        elif first != 0x3A:
            step = key if is_object else index
            node = root if not outer else inside.child(step) if inside is not None else None
            if node is not None:
                node.place = Place(match.start(), key_at if is_object else None)
            if first in b"{[":
                outer.append((is_object, index, inside))
                is_object, index, inside = first == 0x7B, 0, node
                expects_key = is_object
    return root


def line_and_column(data: bytes, offset: int) -> tuple[int, int]:
    """1-based line and column (in characters) of a byte offset."""
    begin = data.rfind(b"\n", 0, offset) + 1
    return data.count(b"\n", 0, offset) + 1, len(data[begin:offset].decode("utf-8", "replace")) + 1
