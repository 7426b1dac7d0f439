"""What is wrong with an experiment file, by path in the document, and the lines and columns of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sized
from dataclasses import dataclass, field
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin

from benches.experiments.formula import FormulaFault
from simcore.errors import InputError, Problem
from simcore.program.faults import Path, hinted, kind_of, shown

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

M = TypeVar("M", bound="BaseModel")
C = TypeVar("C", bound=Sized)

_LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_KEY_OF_MAPPING = "[key]"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault at ``path``: at its last key (``at_key``), or at a character of the text that stands there (``at``)."""

    path: Path
    message: str
    at_key: bool = False
    text: str | None = None
    at: int | None = None


@dataclass(slots=True)
class Findings:
    """Every fault found so far; ``foreign`` holds those of other files, which have places of their own."""

    found: dict[Finding, None] = field(default_factory=dict)
    foreign: list[Problem] = field(default_factory=list)

    def add(self, path: Path, message: str, *, at_key: bool = False) -> None:
        """Records a fault."""
        self._keep(Finding(path, message, at_key))

    def add_formula(self, path: Path, text: str, fault: FormulaFault) -> None:
        """Records a fault of the formula ``text``, which stands at ``path``."""
        self._keep(Finding(path, fault.message, False, text, fault.at))

    def add_foreign(self, error: InputError) -> None:
        """Records what another file's reader found."""
        self.foreign += [problem for problem in error.problems if problem not in self.foreign]

    def moved(self, others: Findings, to: Callable[[Path], Path], *, unless_known: bool = False) -> None:
        """Records ``others``, whose paths ``to`` translates; perhaps not what lies on the path of a fault known so far.

        A value that is at fault was replaced by another to go on, and what is said of that one is not the user's.
        """
        known = [finding.path for finding in self.found] if unless_known else []
        for f in others.found:
            path = to(f.path)
            if not any(path[: len(k)] == k[: len(path)] for k in known):
                self._keep(Finding(path, f.message, f.at_key, f.text, f.at))
        self.foreign += [problem for problem in others.foreign if problem not in self.foreign]

    def checked(
        self, model: type[M], value: object, path: Path, validate: Callable[[Any], M] | None = None
    ) -> M | None:
        """``value`` as a ``model``, or None and every fault of it."""
        from pydantic import ValidationError

        try:
            return (validate or model.model_validate)(value)
        except ValidationError as error:
            for details in error.errors():
                self._keep(_finding(model, details, path))
            return None

    def _keep(self, finding: Finding) -> None:
        self.found[finding] = None

    def raise_any(self, data: bytes, file: str) -> None:
        """Raises InputError with all faults, those of the document (``data``) in its order, if there are any."""
        if self.found or self.foreign:
            raise InputError(self.problems(data, file))

    def problems(self, data: bytes, file: str) -> list[Problem]:
        """All faults with their places, those of the document (``data``) first, in its order."""
        return [*_located(self.found, data, file), *self.foreign]


def _located(found: Collection[Finding], data: bytes, file: str) -> list[Problem]:
    from simcore.program.stream.yaml_text import locate_yaml

    root = locate_yaml(data, [finding.path for finding in found])
    lines = _LINE_BREAK.split(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    problems = []
    for finding in found:
        place = root.nearest_place(finding.path)
        if place is None:
            problems.append(Problem(finding.message, file))
            continue
        line, column = place.key if finding.at_key and place.key is not None else place.value
        message = finding.message
        if finding.text is not None and finding.at is not None:
            rest = lines[line - 1][column - 1 :]
            skipped = 1 if rest[:1] in ("'", '"') else 0
            if rest[skipped:].startswith(finding.text):
                column += skipped + finding.at
            else:  # the text is folded or escaped: its characters are not where they stand in the file
                message += f" (character {finding.at + 1} of the text)"
        problems.append(Problem(message, file, line, column))
    return sorted(problems, key=lambda p: (p.line or 0, p.column or 0))


def _finding(model: type[BaseModel], details: ErrorDetails, path: Path) -> Finding:
    place: Path = tuple(step for step in details["loc"] if step != _KEY_OF_MAPPING)
    is_key = _KEY_OF_MAPPING in details["loc"]
    match details["type"]:
        case "extra_forbidden":
            allowed = _keys(model, place[:-1])
            return Finding((*path, *place), f"unknown key {shown(place[-1])} {hinted(place[-1], allowed)}", True)
        case "missing":
            return Finding((*path, *place[:-1]), f'missing key "{place[-1]}"')
        case "value_error":
            message = str(details["ctx"]["error"])
        case _:
            expected = details["msg"].replace("Input should", "should")
            message = f"{expected[:1].lower()}{expected[1:]}, not {kind_of(details['input'])}"
    where = ".".join(str(step) for step in place)
    return Finding((*path, *place), f"{where}: {message}", is_key)


def _keys(model: type[BaseModel], place: Path) -> tuple[str, ...]:
    """The keys that the model at ``place`` inside ``model`` knows."""
    from pydantic import BaseModel

    annotation: Any = model
    for step in place:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            by_key = {info.alias or name: info.annotation for name, info in annotation.model_fields.items()}
            annotation = _plain(by_key[str(step)])
        else:
            annotation = _plain([a for a in get_args(annotation) if a is not ...][-1])
    return tuple(info.alias or name for name, info in annotation.model_fields.items())


def _plain(annotation: Any) -> Any:
    """An annotation without ``Annotated`` and ``| None``."""
    while get_origin(annotation) in (Union, UnionType) or hasattr(annotation, "__metadata__"):
        annotation = next(a for a in get_args(annotation) if a is not type(None))
    return annotation


def not_empty(value: C) -> C:
    """For a field that must hold something."""
    if not value:
        raise ValueError("it is empty (allowed: one or more)")
    return value


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with ``changes``: mappings are merged key by key, everything else is replaced."""
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result
