"""Collecting every fault of a document: each with its path in the document, so that a line can be found afterwards."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import msgspec

from simcore.errors import hint
from simcore.program.limits import MAX_CONSTANT
from simcore.program.other_names import meant_by

GUESSES = 500
"""So many unknown words of a document get a nearest word: the search is slow, and a file may be wrong throughout."""

Path = tuple[str | int, ...]
"""Keys and list positions from the root of a document to a value."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at ``path``, or at its last key (``at_key``); ``subject`` is the instruction it concerns."""

    path: Path
    message: str
    subject: str | None = None
    at_key: bool = False


@dataclass(slots=True)
class Faults:
    """A growing list of faults and the checks that add to it."""

    found: list[Fault] = field(default_factory=list)
    subject: str | None = None
    _guessed: set[str] = field(default_factory=set)

    def add(self, path: Path, message: str, *, at_key: bool = False) -> None:
        """Record a fault."""
        self.found.append(Fault(path, message, self.subject, at_key))

    def hint(self, word: str | None, allowed: Collection[str], more: str = "") -> str:
        """What is allowed in place of ``word``, with the nearest word for the first :data:`GUESSES` different ones."""
        if word is not None and word not in self._guessed:
            if len(self._guessed) == GUESSES:
                word = None
            else:
                self._guessed.add(word)
        return hinted(word, tuple(allowed), more)

    def mapping(self, value: Any, path: Path, known: Sequence[str], required: Sequence[str]) -> dict[str, Any] | None:
        """``value`` as a mapping with known keys only, or None (and faults) if it is something else."""
        if not isinstance(value, dict):
            self.add(path, f"{label(path)}: expected a mapping, got {kind_of(value)}")
            return None
        for key in value:
            if key not in known:
                self.add((*path, key), f"unknown key {shown(key)} {self.hint(key, known)}", at_key=True)
        for key in required:
            if key not in value:
                self.add(path, f'missing key "{key}"')
        return value

    def sequence(self, value: Any, path: Path) -> Sequence[Any]:
        """``value`` as a list; an empty one (and a fault) if it is something else."""
        if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
            return value
        self.add(path, f"{label(path)}: expected a list, got {kind_of(value)}")
        return []

    def text(self, value: Any, path: Path) -> str | None:
        """``value`` as a non-empty printable string."""
        if not isinstance(value, str):
            self.add(path, f"{label(path)}: expected text, got {kind_of(value)}")
        elif not value or not value.isprintable():
            self.add(path, f"{label(path)}: {shown(value)} is {'not printable' if value else 'empty'}")
        else:
            return value
        return None

    def word(self, value: Any, path: Path, allowed: Collection[str], what: str, more: str = "") -> str | None:
        """``value`` as one of the ``allowed`` words; ``more`` is what else is allowed, for the message."""
        if isinstance(value, str) and value in allowed:
            return value
        got, word = (shown(value), value) if isinstance(value, str) else (kind_of(value), None)
        self.add(path, f"unknown {what} {got} {self.hint(word, allowed, more)}")
        return None

    def integer(self, value: Any, path: Path, low: int, high: int) -> int | None:
        """``value`` as an integer in ``low..high``; booleans, fractions, NaN and infinity are refused by name."""
        if type(value) is int and low <= value <= high:
            return value
        name = label(path)
        if isinstance(value, bool):
            self.add(path, f"{name}: {shown(value)} is a boolean, not a number (allowed: {low} to {high})")
        elif isinstance(value, float):
            what = "not a number" if math.isnan(value) else "infinite" if math.isinf(value) else "not a whole number"
            if value.is_integer():
                what = f"written as a fraction; write {shown(int(value))}"
            self.add(path, f"{name}: {value} is {what} (allowed: whole numbers from {low} to {high})")
        elif not isinstance(value, int):
            self.add(path, f"{name}: expected a whole number, got {kind_of(value)} (allowed: {low} to {high})")
        else:
            what = "negative" if value < 0 <= low else "out of range"
            self.add(path, f"{name}: {shown(value)} is {what} (allowed: {low} to {high})")
        return None

    def boolean(self, value: Any, path: Path) -> None:
        """``value`` must be true or false."""
        if not isinstance(value, bool):
            self.add(path, f"{label(path)}: expected true or false, got {kind_of(value)}")

    def real(self, value: Any, path: Path) -> None:
        """``value`` must be a finite number."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.add(path, f"{label(path)}: expected a number, got {kind_of(value)}")
        elif isinstance(value, float) and not math.isfinite(value):
            self.add(path, f"{label(path)}: {value} is not a finite number")
        elif isinstance(value, int) and abs(value) > MAX_CONSTANT:
            self.add(
                path, f"{label(path)}: {shown(value)} is out of range (allowed: {-MAX_CONSTANT} to {MAX_CONSTANT})"
            )


def keys_of(record: type[msgspec.Struct]) -> tuple[str, ...]:
    """The keys that a mapping of this record may have."""
    return record.__struct_fields__


def label(path: Path) -> str:
    """The last key of a path with the positions after it: ``dependencies[1]``."""
    text = ""
    for step in reversed(path):
        if isinstance(step, str):
            return step + text
        text = f"[{step}]{text}"
    return text or "document"


def kind_of(value: Any) -> str:
    """What a value is, in a user's words."""
    if value is None:
        return "nothing (null)"
    for types, words in (
        (bool, "a boolean"),
        ((int, float, Fraction), f"the number {shown(value)}"),
        (str, f"the text {shown(value)}"),
        (list, "a list"),
        (dict, "a mapping"),
    ):
        if isinstance(value, types):
            return words
    return f"a {type(value).__name__}"


def shown(value: Any) -> str:
    """A value as it stands in a message: on one line, cut when long."""
    if isinstance(value, str):
        return f'"{plain(value)}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return f"{float(value):.15g}"
    is_long = isinstance(value, int) and value.bit_length() > 4000
    return plain(f"a number of {value.bit_length()} bits" if is_long else str(value))


def plain(text: str) -> str:
    """``text`` on one line, cut when long."""
    cut = text if len(text) <= 80 else text[:77] + "..."
    return cut if cut.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut)


def subject_of(name: Any) -> str | None:
    """The subject of faults in the instruction called ``name``."""
    return f"instruction {plain(name)}" if isinstance(name, str) and name else None


@lru_cache(maxsize=4096)
def hinted(word: Any, allowed: tuple[str, ...], more: str = "") -> str:
    """:func:`simcore.errors.hint`, which is slow, remembered; ``more`` is what else is allowed.

    An allowed word's other name is guessed before one that is only spelled alike.
    """
    meant = meant_by(word, allowed) if isinstance(word, str) else None
    text = hint(word if meant is None else meant, allowed)
    if not more:
        return text
    head, _, guess = text[1:-1].partition("; ")
    return f"({head}, {more}{'; ' if guess else ''}{guess})"
