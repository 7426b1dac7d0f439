"""What reading a BIR document finds: problems by the name of what they concern, and notes for the result."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from simcore.errors import Problem, hint
from simcore.program.faults import kind_of, shown

NEAREST_AMONG = 2000
"""Above so many candidates a misspelt name is reported without the one it is most like: the search takes too long."""

NEAREST_SEARCHES = 100
"""So many misspelt names of one document are given the name they are most like; more of them have one common cause."""


@dataclass(slots=True)
class Findings:
    """Problems and notes of one document, and the checks of JSON values that add to them.

    ``where`` is ``instruction NAME``, ``allocation NAME`` or a JSON path; ``at`` the place in it, such as ``ins[0]``.
    """

    file: str
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    searches: int = 0

    def problem(self, where: str, message: str) -> None:
        """Record a fault of the document."""
        self.problems.append(Problem(message, file=self.file, where=where or None))

    def note(self, where: str, sentence: str) -> None:
        """Record a remark for the report."""
        self.notes.append(f"{where}: {sentence}")

    def mapping(self, where: str, at: str, value: Any) -> dict[str, Any] | None:
        """``value`` if it is an object."""
        if isinstance(value, dict):
            return value
        self._expected(where, at, "an object", value)
        return None

    def sequence(self, where: str, at: str, value: Any) -> list[Any]:
        """``value`` if it is a list, else an empty one."""
        if isinstance(value, list):
            return value
        self._expected(where, at, "a list", value)
        return []

    def text(self, where: str, at: str, value: Any) -> str | None:
        """``value`` if it is a string that is not empty."""
        if isinstance(value, str) and value:
            return value
        self._expected(where, at, "a name" if value == "" else "text", value)
        return None

    def integer(self, where: str, at: str, value: Any, low: int | None = None) -> int | None:
        """``value`` if it is an integer (a boolean is none) and at least ``low``."""
        if type(value) is int and (low is None or value >= low):
            return value
        self._expected(where, at, "an integer" if low is None else f"an integer from {low} on", value)
        return None

    def word(self, where: str, at: str, what: str, value: Any, allowed: tuple[str, ...]) -> str | None:
        """``value`` if it is one of the ``allowed`` words; ``what`` says what the word names."""
        if isinstance(value, str) and value in allowed:
            return value
        prefix = f"{at}: " if at else ""
        if value is None:
            self.problem(where, f"{prefix}missing {what} {_hint('', allowed)}")
        elif isinstance(value, str):
            self.problem(where, f"{prefix}unknown {what} {shown(value)} {_hint(value, allowed)}")
        else:
            self.problem(where, f"{prefix}{what}: expected a name, got {kind_of(value)} {_hint('', allowed)}")
        return None

    def unresolved(self, where: str, at: str, what: str, name: str, known: Collection[str]) -> None:
        """A name that leads nowhere."""
        more = f" ({len(known)} are declared)"
        if 0 < len(known) <= NEAREST_AMONG and self.searches < NEAREST_SEARCHES:
            self.searches += 1
            more = f" {_hint(name, tuple(known))}"
        self.problem(where, f"{at}: {shown(name)} names no {what}{more}")

    def _expected(self, where: str, at: str, wanted: str, value: Any) -> None:
        if value is None:
            self.problem(where, f"{at}: missing (expected {wanted})")
        else:
            self.problem(where, f"{at}: expected {wanted}, got {kind_of(value)}")


@lru_cache(maxsize=4096)
def _hint(word: str, allowed: tuple[str, ...]) -> str:
    return hint(word, allowed)
