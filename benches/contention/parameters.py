"""Parameters of a bench: the keywords of its function, with their annotations and defaults, read from text."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from simcore.errors import InputError, ModelBug, Problem, hint

LONGEST_LIST = 64
"""Whole numbers that one parameter may list."""


@dataclass(frozen=True, slots=True)
class Between:
    """The least and the most that a number may be, both allowed; ``above``: the least itself is not."""

    least: int
    most: int
    above: bool = False

    def __str__(self) -> str:
        return f"above {self.least}, up to {self.most}" if self.above else f"{self.least} to {self.most}"

    def holds(self, number: int | Fraction) -> bool:
        """Whether ``number`` is allowed."""
        return self.least <= number <= self.most and not (self.above and number == self.least)


Flows = Annotated[int, Between(1, 64)]
"""A number of flows, streams, parts."""
SeveralFlows = Annotated[tuple[int, ...], Between(1, 64)]
"""Numbers of them to try, one after the other."""
Kib = Annotated[int, Between(1, 1 << 16)]
"""A size in KiB."""
Gbs = Annotated[Fraction, Between(0, 10**6, above=True)]
"""A bandwidth in GB/s."""
Ns = Annotated[Fraction, Between(0, 10**6)]
"""A duration in ns."""
Topology = Annotated[str, "system"]
"""A topology file, or the name of a shipped system; ``--topology`` sets it."""
TOPOLOGY = "topology"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: ``form`` is ``int``, ``Fraction``, ``bool``, ``str`` or ``tuple`` (of whole numbers).

    ``words``: of a choice; ``between``: of numbers.
    """

    name: str
    form: type
    default: Any
    words: tuple[str, ...] = ()
    between: Between | None = None

    @property
    def kind(self) -> str:
        """What it may be, in words."""
        if self.words:
            return " | ".join(self.words)
        if self.form is bool:
            return "true | false"
        if self.form is str:
            return "file or name of a system"
        names = {int: "whole number", Fraction: "number", tuple: "whole numbers"}
        return f"{names[self.form]}, {self.between}"

    @property
    def shown_default(self) -> str:
        """The default as ``--set`` would write it."""
        return shown(self.default)

    def read(self, text: str) -> Any:
        """The value that ``text`` says. Raises ValueError, with what is wrong, for anything else."""
        if self.words and text not in self.words:
            raise ValueError(f'unknown word "{text}" {hint(text, self.words)}')
        if self.words or self.form is str:
            return text
        if self.form is bool:
            if text not in ("true", "false"):
                raise ValueError(f'unknown word "{text}" {hint(text, ("true", "false"))}')
            return text == "true"
        values = _whole_numbers(text) if self.form is tuple else [self._number(text)]
        between = self.between
        assert between is not None
        for value in values:
            if not between.holds(value):
                raise ValueError(f"{shown(value)} is out of range (allowed: {between})")
        return tuple(values) if self.form is tuple else values[0]

    def _number(self, text: str) -> int | Fraction:
        what = "a whole number" if self.form is int else "a number"
        pattern = r"\d{1,18}" if self.form is int else r"\d{1,18}(\.\d{1,18})?(/\d{1,18})?"
        if re.fullmatch(pattern, text, re.ASCII) is None:
            raise ValueError(f'"{text}" (expected {what})')
        if self.form is int:
            return int(text)
        above, _, below = text.partition("/")
        if below and not int(below):
            raise ValueError(f'"{text}" divides by 0')
        return Fraction(above) / int(below or 1)


def _whole_numbers(text: str) -> list[int]:
    """``1..4,8`` as 1, 2, 3, 4, 8."""
    found: dict[int, None] = {}
    for item in text.split(","):
        match = re.fullmatch(r"(\d{1,9})(?:\.\.(\d{1,9}))?", item.strip(), re.ASCII)
        if match is None:
            raise ValueError(f'"{text}" (expected whole numbers such as 4 or 1..8,16)')
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise ValueError(f'"{item.strip()}" runs backwards')
        if last - first + len(found) >= LONGEST_LIST:
            raise ValueError(f'"{text}" lists too many numbers (allowed: {LONGEST_LIST})')
        found.update(dict.fromkeys(range(first, last + 1)))
    return list(found)


def shown(value: object) -> str:
    """A value of a parameter as ``--set`` would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        runs: list[list[int]] = []
        for number in value:
            if runs and number == runs[-1][-1] + 1:
                runs[-1].append(number)
            else:
                runs.append([number])
        return ",".join(f"{run[0]}..{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs)
    if isinstance(value, Fraction) and (value * 10**9).denominator == 1:
        return f"{float(value):.9f}".rstrip("0").rstrip(".")
    return str(value)


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The keyword parameters of a bench. Raises ModelBug for one without default, or of a type that cannot be read."""
    hints = get_type_hints(function, include_extras=True)
    found = []
    for name, given in inspect.signature(function).parameters.items():
        if given.default is inspect.Parameter.empty or given.kind is not inspect.Parameter.KEYWORD_ONLY:
            raise ModelBug(f"{function.__qualname__}: {name} must be a keyword with a default")
        found.append(_parameter(name, hints[name], given.default))
    return tuple(found)


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    if get_origin(annotation) is Literal:
        return Parameter(name, str, default, words=get_args(annotation))
    if annotation is bool:
        return Parameter(name, bool, default)
    if get_origin(annotation) is Annotated:
        inner, note = get_args(annotation)
        form = get_origin(inner) or inner
        if form is str and name == TOPOLOGY:
            return Parameter(name, str, default)
        if form in (int, Fraction, tuple) and isinstance(note, Between):
            return Parameter(name, form, form(default), between=note)
    raise ModelBug(f"parameter {name}: {annotation!r} cannot be read from text")


def read_settings(bench: str, known: Sequence[Parameter], settings: Sequence[str]) -> Mapping[str, Any]:
    """Keywords from ``NAME=VALUE`` texts. Raises InputError with everything that is wrong, and what there is."""
    by_name = {parameter.name: parameter for parameter in known}
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        place = f"--set {setting}"
        if not equals:
            problems.append(Problem("expected NAME=VALUE", place))
        elif name not in by_name:
            what = hint(name, list(by_name)) if by_name else "(it has none)"
            problems.append(Problem(f'bench {bench} has no parameter "{name}" {what}', place))
        elif name in values:
            problems.append(Problem(f"{name} is set twice", place))
        else:
            try:
                values[name] = by_name[name].read(text.strip())
            except ValueError as fault:
                values[name] = None
                problems.append(Problem(f"{name}: {fault}", place))
    if problems:
        lines = [f"{p.name}: {p.kind} = {p.shown_default}" for p in known]
        problems += [Problem(line, f"bench {bench} takes") for line in lines]
        raise InputError(problems)
    return values
