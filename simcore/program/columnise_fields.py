"""Lists of one field's values -> arrays, and the collectors of what does not fit an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simcore.program.columns import NAME_SEPARATOR, Array, Extra
from simcore.program.limits import MAX_COST_NS


class Irregular(Exception):
    """The instructions break a rule; validation says which."""


def codes(values: Sequence[Any], table: dict[Any, int], dtype: type[np.generic]) -> Array:
    return np.array(list(map(table.__getitem__, values)), dtype=dtype)


def optional(values: Sequence[int | None], dtype: type[np.generic]) -> Array:
    if values.count(None) == len(values):
        return np.full(len(values), -1, dtype=dtype)
    if any(v is not None and v < 0 for v in values):
        raise Irregular("negative number")
    return np.array([-1 if v is None else v for v in values], dtype=dtype)


def names_text(names: Sequence[str]) -> Array:
    joined = NAME_SEPARATOR.join(names)
    if not all(names) or (names and not joined.replace(NAME_SEPARATOR, "").isprintable()):
        raise Irregular("name")
    if joined.count(NAME_SEPARATOR) != max(len(names) - 1, 0):
        raise Irregular("name with NUL")
    return np.frombuffer(joined.encode(), dtype=np.uint8)


class Words:
    """Interns the short strings of ``op`` and the like."""

    def __init__(self) -> None:
        self.table = [""]
        self._code: dict[str | None, int] = {None: 0}

    def codes(self, values: Sequence[str | None]) -> Array:
        if values.count(None) == len(values):
            return np.zeros(len(values), dtype=np.uint8)
        for word in dict.fromkeys(values):
            if word not in self._code:
                if not word or len(self.table) > 255:
                    raise Irregular("too many different words, or an empty one")
                self._code[word] = len(self.table)
                self.table.append(word)
        return codes(values, self._code, np.uint8)


class Extras:
    """Collects rare attributes by event."""

    def __init__(self) -> None:
        self._by_event: dict[int, dict[str, Any]] = {}

    def put(self, event: int, key: str, value: Any) -> None:
        self._by_event.setdefault(event, {})[key] = value

    def put_column(self, key: str, values: Sequence[Any]) -> None:
        if values.count(None) != len(values):
            for event, value in enumerate(values):
                if value is not None:
                    if (key == "latency_estimate" and not 0 <= value <= MAX_COST_NS) or value == "":
                        raise Irregular(key)
                    self.put(event, key, value)

    def get(self, event: int, key: str) -> Any:
        return self._by_event.get(event, {}).get(key)

    def finished(self) -> dict[int, Extra]:
        return {event: Extra(**self._by_event[event]) for event in sorted(self._by_event)}
