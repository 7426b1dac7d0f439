"""The records of a platform's files, and reading and writing them.

Every file says its schema; a file of another schema, or with a key that the schema does not know, is refused.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from simcore.errors import InputError, Problem
from simcore.program.stream.json_text import decode_json, json_text
from simcore.timing.bus_trace import BusPoint
from simcore.timing.fit import FittedModel, Weights
from simcore.timing.linear import LinearModel

MODEL_SCHEMA = "kernbench.timing-model/1"
PLATFORM_SCHEMA = "kernbench.platform/1"
BUS_SCHEMA = "kernbench.bus-law/1"
BUS_POINTS_SCHEMA = "kernbench.bus-points/1"

R = TypeVar("R", bound=msgspec.Struct)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Provenance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the numbers were obtained: from which file's rows, weighted how, by which release.

    ``corpus_sha256`` is of the copy of the corpus beside the model. ``target_unit`` is the unit of the target there;
    None: the header did not say, and it was taken as cycles.
    """

    obtained: str
    corpus: str
    corpus_sha256: str
    target_unit: str | None
    weights: Weights
    kernbench: str


class StoredModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fitted model, in cycles, with the figures that judged it. ``r2`` None: all targets were equal."""

    schema: str
    name: str
    model: FittedModel
    r2: float | None
    max_rel_error_pct: float
    loo_max_rel_error_pct: float | None
    not_identifiable: tuple[str, ...]
    provenance: Provenance


class PlatformRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a platform is: a part at a synthesis clock, None where nobody said."""

    schema: str
    part: str | None = None
    clock_hz: int | float | None = None


class BusRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The bus law, per direction that was fitted."""

    schema: str
    read: LinearModel | None = None
    write: LinearModel | None = None


class BusRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The points of one run."""

    schema: str
    read: BusPoint | None = None
    write: BusPoint | None = None


def encoded(record: msgspec.Struct) -> bytes:
    """``record`` as JSON for people: one key a line, in the order of the record."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"


def read_record(path: Path, kind: type[R], schema: str) -> R:
    """The record in ``path``. Raises InputError if the file is missing, damaged, or of another schema."""
    file = os.fspath(path)
    try:
        text = json_text(path.read_bytes(), file)
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", file)]) from error
    document = decode_json(text, file)
    found = document.get("schema") if isinstance(document, dict) else None
    if found != schema:
        raise InputError([Problem(f"its schema is {found!r} (expected {schema!r})", file)])
    endless = [Problem(f"{value} is not a finite number", file, where=where) for where, value in _endless(document)]
    if endless:
        raise InputError(endless)
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at ")
        raise InputError([Problem(message, file, where=where.strip("`") or None)]) from error


def _endless(value: Any, where: str = "$") -> Iterator[tuple[str, float]]:
    """Each number of ``value`` that is infinite or NaN, with its place: comparisons with it would mean nothing."""
    if isinstance(value, float) and not math.isfinite(value):
        yield where, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _endless(item, f"{where}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _endless(item, f"{where}[{index}]")


def check_name(name: str, what: str) -> str:
    """``name`` if it can be a file's or folder's name on every system; raises InputError if not."""
    if not _NAME.fullmatch(name):
        text = f'"{name}" is no name (allowed: letters, digits, "_", "-" and ".", beginning with a letter or digit)'
        raise InputError([Problem(text, what)])
    return name


def refuse_fewer(path: Path, old_points: int, new_points: int, *, force: bool) -> None:
    """Raises InputError if a fit of ``new_points`` would replace one of more points, unless ``force``."""
    if new_points < old_points and not force:
        text = f"holds a fit of {old_points} points; refusing to replace it with one of {new_points} (--force does)"
        raise InputError([Problem(text, os.fspath(path))])
