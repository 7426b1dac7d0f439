"""The errors that reach a user, each saying whose turn it is.

``InputError`` (exit code 2): what was given is wrong; it carries every problem found, not the first.
``ModelBug`` (exit code 3): kernbench itself is wrong.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an input: where it is and what is wrong (what is allowed).

    ``where`` names the instruction or key for formats without lines; ``line`` and ``column`` count from 1.
    """

    message: str
    file: str = "<program>"
    line: int | None = None
    column: int | None = None
    where: str | None = None

    def __str__(self) -> str:
        place = self.file
        if self.line is not None:
            place += f":{self.line}" + (f":{self.column}" if self.column is not None else "")
        if self.where is not None:
            place += f": {self.where}"
        return f"{place}: {self.message}"


class KernbenchError(Exception):
    """Base of every error that kernbench raises on purpose; ``exit_code`` is what the command line returns."""

    exit_code = 3


class InputError(KernbenchError):
    """The input is wrong. ``problems`` lists every fault found, once, in file order; the text is one line each."""

    exit_code = 2

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(dict.fromkeys(problems))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(p) for p in self.problems)


class ModelBug(KernbenchError):
    """kernbench contradicts itself; the text says what to report."""


def nearest(word: str, allowed: Iterable[str]) -> str | None:
    """The allowed word most like ``word``, ignoring case, or None if nothing is close."""
    by_fold = {a.casefold(): a for a in allowed}
    match = difflib.get_close_matches(word.casefold(), by_fold, n=1, cutoff=0.6)
    return by_fold[match[0]] if match else None


def hint(word: object, allowed: Sequence[str], *, shown: int = 12) -> str:
    """``(allowed: ...; did you mean "...")`` for an error about ``word``; long lists are cut and counted."""
    if not allowed:
        return "(there are none)"
    listing = ", ".join(allowed[:shown])
    if len(allowed) > shown:
        listing += f" and {len(allowed) - shown} more"
    guess = nearest(word, allowed) if isinstance(word, str) else None
    return f"(allowed: {listing}" + (f'; did you mean "{guess}"?)' if guess else ")")
