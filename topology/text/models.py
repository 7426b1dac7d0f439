"""Pydantic models filled from a document: every fault with its place, the nearest key, and the unit expected."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from simcore.errors import nearest
from simcore.program.faults import Path, kind_of
from topology.text.document import Findings, Text, unknown
from topology.text.quantities import unit_of

M = TypeVar("M", bound=BaseModel)


class Structure(BaseModel):
    """Base of what a block says besides its quantities."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def keys_of(*models: type[BaseModel]) -> tuple[str, ...]:
    """The keys that files may write for the fields of ``models``."""
    return tuple(info.alias or name for model in models for name, info in model.model_fields.items())


def read_structure(
    model: type[M], raw: object, text: Text, path: Path, findings: Findings, also: Collection[str] = ()
) -> M | None:
    """``raw`` as a ``model``, but for the keys in ``also``, which others read. None if faults leave nothing to read.

    An unknown key is a fault, but the rest is read without it.
    """
    if not isinstance(raw, dict):
        findings.add(text, path, f"{_label(path)}expected a mapping, got {kind_of(raw)}")
        return None
    known = keys_of(model)
    for key in raw:
        if key not in known and key not in also:
            findings.add(text, (*path, key), unknown_key(key, (*known, *also)), at_key=True)
    try:
        return model.model_validate({key: value for key, value in raw.items() if key in known})
    except ValidationError as error:
        for details in error.errors():
            add_fault(findings, details, text, (*path, *details["loc"]))
        return None


def unknown_key(key: str, allowed: tuple[str, ...]) -> str:
    """The message for an unknown key; a guess that is a quantity is named with its unit."""
    guess = nearest(key, allowed)
    unit = unit_of(guess) if guess is not None and not key.endswith(("_bytes", "_flits")) else None
    return unknown("key", key, allowed) + (f": {guess} is in {unit}" if unit else "")


def add_fault(findings: Findings, details: ErrorDetails, text: Text, path: Path) -> None:
    """Records one of pydantic's errors, which concerns the value at ``path`` of ``text``."""
    match details["type"]:
        case "missing":
            findings.add(text, path[:-1], f'missing key "{path[-1]}"')
        case "value_error":
            findings.add(text, path, f"{_label(path)}{details['ctx']['error']}")
        case "literal_error":
            allowed = tuple(word.strip("'") for word in details["ctx"]["expected"].replace(" or ", ", ").split(", "))
            findings.add(text, path, _label(path) + unknown("word", details["input"], allowed))
        case _:
            expected = details["msg"].removeprefix("Input should be ").removeprefix("a valid ")
            words = {"string": "text", "integer": "a whole number", "list": "a list", "dictionary": "a mapping"}
            expected = words.get(expected, expected)
            findings.add(text, path, f"{_label(path)}expected {expected}, got {kind_of(details['input'])}")


def _label(path: Path) -> str:
    words = [str(step) for step in path if isinstance(step, str)]
    return f"{words[-1]}: " if words else ""
