"""A stream document whose instructions are decoded only when they are asked for: what faults are looked for in."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from simcore.program.stream.json_text import after_space, value_at, walk

_LAZY_PATH = ("functions", "blocks", "instructions")


def lazy_document(text: str) -> Any:
    """The stream document in ``text`` (valid JSON), its instructions decoded only when they are asked for."""
    return _lazy(text, after_space(text, 0), 0)[0]


def _lazy(text: str, at: int, depth: int) -> tuple[Any, int]:
    """The program (depth 0), function (1) or block (2) at ``at``, and where it ends."""
    if text[at] != "{":
        return value_at(text, at)
    document: dict[str, Any] = {}

    def visit(step: str | int, key_at: int | None, at: int) -> int:
        is_list = step == _LAZY_PATH[depth] and text[at] == "["
        value, end = _lazy_list(text, at, depth) if is_list else value_at(text, at)
        document[str(step)] = value
        return end

    end = walk(text, at, visit)
    return document, end


def _lazy_list(text: str, at: int, depth: int) -> tuple[Sequence[Any], int]:
    if depth == len(_LAZY_PATH) - 1:
        offsets = array("q")
        end = walk(text, at, lambda step, key_at, at: offsets.append(at))
        return LazyList(text, offsets), end
    values: list[Any] = []

    def visit(step: str | int, key_at: int | None, at: int) -> int:
        value, end = _lazy(text, at, depth + 1)
        values.append(value)
        return end

    end = walk(text, at, visit)
    return values, end


class LazyList(Sequence[Any]):
    """A list of JSON values that are decoded each time they are asked for."""

    def __init__(self, text: str, offsets: array[int]) -> None:
        self._text = text
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, index: Any) -> Any:
        return value_at(self._text, self._offsets[index])[0]
