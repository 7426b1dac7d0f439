"""Lists of one field's values -> arrays, and the collectors of what does not fit an array."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from simcore.program.columns import Array, Extra
from simcore.program.instruction import Instruction, Operand, PlainInstruction
from simcore.program.limits import MAX_CONSTANT, MAX_COST_NS, MAX_WORDS


class Irregular(Exception):
    """The instructions break a rule; validation says which."""


_LISTS = ("ins", "outs", "dependencies")
"""Fields of instructions whose default is an empty list."""

_DEFAULTS = {f.name: f.default for f in (*msgspec.structs.fields(Operand), *msgspec.structs.fields(Instruction))}


class Fields:
    """The records' values by field. A field that their class lacks is not given."""

    def __init__(self, records: Sequence[PlainInstruction] | Sequence[Operand]) -> None:
        self.count = len(records)
        columns: Iterable[Any] = zip(*map(msgspec.structs.astuple, records), strict=True)
        self._values: dict[str, tuple[Any, ...]] = (
            dict(zip(type(records[0]).__struct_fields__, columns, strict=True)) if records else {}
        )
        self._lengths: dict[str, Array] = {}
        self._defaults: dict[str, int] = {}

    def __getitem__(self, field: str) -> tuple[Any, ...]:
        return self._values[field] if self.count else ()

    def given(self, field: str) -> tuple[Any, ...] | None:
        """The field's values, or None when every record has the default."""
        return None if self._default_count(field) == self.count else self._values[field]

    def _default_count(self, field: str) -> int:
        """How many records have the default."""
        if field not in self._values:
            return self.count
        if field not in self._defaults:
            self._defaults[field] = self._values[field].count(_DEFAULTS[field])
        return self._defaults[field]

    @cached_property
    def operands(self) -> Fields:
        """The fields of all operands: of each record the inputs, then the outputs."""
        lists = zip(self["ins"], self["outs"], strict=True)
        return Fields(list(chain.from_iterable(chain.from_iterable(lists))))

    def lengths(self, field: str) -> Array:
        """The lengths (int64) of the lists that the field holds."""
        if field not in self._lengths:
            self._lengths[field] = np.array(list(map(len, self[field])), np.int64)
        return self._lengths[field]

    def keys_given(self) -> int:
        """How many keys a file needs to say this and no default, those of the operands included."""
        keys = 0
        for field in self._values:
            if field in _LISTS:
                keys += int(np.count_nonzero(self.lengths(field)))
            else:
                keys += self.count if field in _REQUIRED else self.count - self._default_count(field)
        return keys + (self.operands.keys_given() if _LISTS[0] in self._values else 0)

    def flags(self, field: str, bit: int) -> Array | int:
        """``bit`` where the boolean field is true (uint16)."""
        values = self.given(field)
        return 0 if values is None else np.fromiter(values, np.uint16, self.count) * np.uint16(bit)

    def codes(self, field: str, table: dict[Any, int], dtype: type[np.generic] = np.uint8) -> Array:
        """The values' codes. Raises KeyError for a word that is not in the table."""
        values = self._required_or_given(field)
        if values is None:
            return np.full(self.count, table.get(None, 0), dtype)
        codes = [table[value] for value in values]
        return np.frombuffer(bytearray(codes), np.uint8) if dtype is np.uint8 else np.array(codes, dtype)

    def integers(self, field: str) -> Array:
        """The values as int64."""
        values = self._required_or_given(field)
        if values is None:
            return np.full(self.count, _DEFAULTS[field] if self.count else 0, np.int64)
        return np.fromiter(values, np.int64, self.count)

    def optional(self, field: str) -> Array:
        """The values as int64, -1 where none is given. Raises :class:`Irregular` for negative ones."""
        values = self.given(field)
        if values is None:
            return np.full(self.count, -1, np.int64)
        unset = values.count(None)
        array = np.fromiter((-1 if v is None else v for v in values) if unset else values, np.int64, self.count)
        if np.count_nonzero(array < 0) != unset:
            raise Irregular(f"negative {field}")
        return array

    def _required_or_given(self, field: str) -> tuple[Any, ...] | None:
        return self._values.get(field) if field in _REQUIRED else self.given(field)


_REQUIRED = frozenset(name for name, default in _DEFAULTS.items() if default is msgspec.NODEFAULT)


def is_text(value: str) -> bool:
    """Whether a name or word can stand in a report."""
    return bool(value) and value.isprintable()


WORD_FIELDS = ("op", "op0", "op1", "mode")
"""Fields that hold any word; a block numbers its words."""


class Words:
    """Numbers the words of a block."""

    def __init__(self) -> None:
        self.table = [""]
        self._code: dict[str | None, int] = {None: 0}

    def codes(self, fields: Fields, field: str) -> Array:
        """The words' codes (uint8). Raises :class:`Irregular` when they are too many."""
        for word in dict.fromkeys(fields.given(field) or ()):
            if word not in self._code:
                if not is_text(word) or len(self.table) > MAX_WORDS:
                    raise Irregular("word")
                self._code[word] = len(self.table)
                self.table.append(word)
        return fields.codes(field, self._code)


class Extras:
    """Collects rare attributes by event."""

    def __init__(self) -> None:
        self._by_event: dict[int, dict[str, Any]] = {}

    def put(self, event: int, key: str, value: Any) -> None:
        """Adds one attribute of an event."""
        self._by_event.setdefault(event, {})[key] = value

    def get(self, event: int, key: str) -> Any:
        """An attribute that was put, or None."""
        return self._by_event.get(event, {}).get(key)

    def put_fields(self, fields: Fields, first_event: int) -> None:
        """Adds the attributes that instructions give themselves."""
        for key in EXTRA_RULES:
            for event, value in enumerate(fields.given(key) or (), first_event):
                if value is not None:
                    if not EXTRA_RULES[key](value):
                        raise Irregular(key)
                    self.put(event, key, value)

    def finished(self) -> dict[int, Extra]:
        """All of them in event order."""
        return {event: Extra(**self._by_event[event]) for event in sorted(self._by_event)}


def _is_cost(value: int) -> bool:
    return 0 <= value <= MAX_COST_NS


def _is_constant(value: float | int) -> bool:
    return math.isfinite(value) if isinstance(value, float) else -MAX_CONSTANT <= value <= MAX_CONSTANT


EXTRA_RULES: dict[str, Callable[[Any], bool]] = {
    "source": is_text,
    "latency_estimate": _is_cost,
    "constant": _is_constant,
}
"""What the value of each of an instruction's rare attributes must fulfil."""
