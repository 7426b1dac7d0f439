"""The benches that there are: each a function with a decorator in a module of ``benches.contention.cases``."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from benches.contention.findings import Findings
from benches.contention.parameters import TOPOLOGY, Parameter, parameters_of, read_settings
from simcore.errors import InputError, ModelBug, Problem, hint

CASES = "benches.contention.cases"


@dataclass(frozen=True, slots=True)
class Bench:
    """One bench: ``function`` runs it with its ``parameters`` as keywords."""

    name: str
    purpose: str
    parameters: tuple[Parameter, ...]
    function: Callable[..., Findings]

    def values(self, settings: Sequence[str], topology: str | None = None) -> dict[str, Any]:
        """All its parameters, as ``settings`` (``NAME=VALUE``) and ``topology`` say, or by default.

        Raises InputError with everything that is wrong.
        """
        takes = any(parameter.name == TOPOLOGY for parameter in self.parameters)
        problems: list[Problem] = []
        if topology is not None and not takes:
            problems.append(Problem(f"bench {self.name} runs on a system of its own", f"--topology {topology}"))
        elif topology is not None and any(s.partition("=")[0].strip() == TOPOLOGY for s in settings):
            problems.append(Problem(f"{TOPOLOGY} is set twice", f"--topology {topology}"))
        try:
            given = read_settings(self.name, self.parameters, settings)
        except InputError as error:
            raise InputError([*problems, *error.problems]) from None
        if problems:
            raise InputError(problems)
        values = {parameter.name: parameter.default for parameter in self.parameters} | dict(given)
        return values | ({TOPOLOGY: topology} if topology is not None else {})


_benches: dict[str, Bench] = {}

F = TypeVar("F", bound=Callable[..., Findings])


def bench(name: str, purpose: str) -> Callable[[F], F]:
    """Makes a function known as the bench ``name``. Its parameters are keywords with defaults.

    Raises ModelBug for a name that is taken or badly formed, and for a parameter that cannot be read from text.
    """

    def add(function: F) -> F:
        if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) is None:
            raise ModelBug(f'a bench is called by small words joined by "-", not {name!r}')
        if name in _benches:
            raise ModelBug(f"a second bench is called {name}")
        _benches[name] = Bench(name, purpose, parameters_of(function), function)
        return function

    return add


def all_benches() -> list[Bench]:
    """Every bench, by name."""
    package = importlib.import_module(CASES)
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"{CASES}.{module}")
    return [_benches[name] for name in sorted(_benches)]


def find_bench(name: str) -> Bench:
    """The bench called ``name``. Raises InputError, with the nearest name, if there is none."""
    benches = {found.name: found for found in all_benches()}
    if name not in benches:
        raise InputError([Problem(f'no bench "{name}" {hint(name, list(benches), shown=40)}', "--bench")])
    return benches[name]
