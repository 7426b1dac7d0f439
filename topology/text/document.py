"""A decoded document that knows the line and column of everything in it, and the list of what is wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from simcore.errors import InputError, Problem
from simcore.program.faults import Path, hinted, kind_of, shown
from simcore.program.stream.wanted import Wanted
from simcore.program.stream.yaml_text import decode_yaml, locate_yaml


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A document. ``file`` is its name for people; numbers with a point are exact Fractions."""

    file: str
    document: dict[str, Any]
    places: Wanted

    def place(self, path: Path, *, at_key: bool = False) -> tuple[int | None, int | None]:
        """Line and column of the value at ``path`` or of its key; of the nearest thing around it if it is missing."""
        place = self.places.nearest_place(path)
        if place is None:
            return None, None
        return place.key if at_key and place.key is not None else place.value


@dataclass(slots=True)
class Findings:
    """Every fault found so far, in one or several documents."""

    problems: list[Problem] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """Files whose faults come first, in this order; those of others follow as they were met."""
    parts_missing: bool = False
    """Whether a file of a user's own parts was refused, so that words which it would have made known are no faults."""

    def add(self, text: Text, path: Path, message: str, *, at_key: bool = False) -> None:
        """Records a fault of the value at ``path``, or of its last key."""
        self.problems.append(Problem(message, text.file, *text.place(path, at_key=at_key)))

    def in_order(self) -> list[Problem]:
        """The faults without repetition: file by file, then by line and column."""
        files = list(dict.fromkeys([*self.files, *(problem.file for problem in self.problems)]))
        unique = list(dict.fromkeys(self.problems))
        return sorted(unique, key=lambda p: (files.index(p.file), p.line or 0, p.column or 0))

    def raise_any(self) -> None:
        """Raises InputError with all faults, if there are any."""
        if self.problems:
            raise InputError(self.in_order())


def unknown(what: str, value: object, allowed: Collection[str], more: str = "") -> str:
    """The message for a ``value`` that is none of the ``allowed`` words; ``more`` is what else is allowed."""
    if isinstance(value, str):
        return f"unknown {what} {shown(value)} {hinted(value, tuple(allowed), more)}"
    return f"unknown {what}: {kind_of(value)} {hinted(None, tuple(allowed), more)}"


def read_text(data: bytes, file: str, what: str) -> Text:
    """``data`` as a document (``what`` it should be, for the message). Raises InputError if it is none."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    document = decode_yaml(data, file, exact=True)
    if not isinstance(document, dict):
        raise InputError([Problem(f"expected {what}, got {kind_of(document)}", file, 1, 1)])
    return Text(file, document, locate_yaml(data, _paths(document, ())))


def read_file(path: FilePath, file: str, what: str) -> Text:
    """The document in the file at ``path``, called ``file`` in messages. Raises InputError if it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", file)]) from error
    except ValueError as error:
        raise InputError([Problem(f"cannot be read: {error}", file)]) from error
    return read_text(data, file, what)


def _paths(value: Any, path: Path) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths(item, (*path, index))
