"""Rows of a cost table: for which instructions, under which condition, which formula with which constants, and whence.

The rows of an opcode are tried in the order of the table; the first whose condition holds costs the instruction.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources

from simcore.errors import ModelBug
from simcore.oracle.conditions import Condition, parse_conditions
from simcore.oracle.forms import FORMS, Form
from simcore.oracle.parameters import Parameters
from simcore.oracle.provenance import Provenance
from simcore.program.engines import Engine
from simcore.program.opcodes import Opcode

ORACLE_NAMES = ("Trainium", "Gen3", "CoreV4")
"""Codenames of the registry, oldest generation first."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. ``conditions`` must all hold; ``parameters`` are what the formula ``form`` takes from the table."""

    opcodes: tuple[Opcode, ...]
    oracles: tuple[str, ...]
    conditions: tuple[Condition, ...]
    form: Form
    parameters: Parameters
    provenance: Provenance
    source: str

    @property
    def condition(self) -> str:
        """The condition as the table spells it; empty if the row always holds."""
        return " ".join(c.text for c in self.conditions)


@dataclass(frozen=True, slots=True)
class Absence:
    """Opcodes that a table leaves out on purpose, and why."""

    opcodes: tuple[Opcode, ...]
    oracles: tuple[str, ...]
    reason: str


@cache
def rules_of(timing: str) -> tuple[Rule, ...]:
    """The rows of ``tables/<timing>.csv``, in order."""
    return tuple(_rule(row, f"{timing}.csv row {k}") for k, row in enumerate(_rows(f"{timing}.csv"), start=2))


@cache
def absences_of(timing: str) -> tuple[Absence, ...]:
    """The rows of ``tables/not_costed.csv`` that belong to ``timing``."""
    return tuple(
        Absence(_opcodes(row["opcodes"]), _oracles(row["oracles"]), row["reason"])
        for row in _rows("not_costed.csv")
        if timing in row["timings"].split()
    )


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files("simcore.oracle").joinpath("tables", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), strict=True))


def _rule(row: dict[str, str], where: str) -> Rule:
    try:
        return Rule(
            opcodes=_opcodes(row["opcodes"]),
            oracles=_oracles(row["oracles"]),
            conditions=parse_conditions(row["condition"]),
            form=FORMS[row["form"]],
            parameters=Parameters(
                base=int(row["base"] or 0),
                mult=Fraction(row["mult"] or 0),
                minimum=int(row["minimum"] or 0),
                clock=Engine[row["clock"]] if row["clock"] else None,
            ),
            provenance=Provenance[row["provenance"]],
            source=row["source"],
        )
    except (KeyError, ValueError) as error:
        raise ModelBug(f"cost table {where}: {error}") from error


def _opcodes(words: str) -> tuple[Opcode, ...]:
    return tuple(Opcode[w] for w in words.split())


def _oracles(words: str) -> tuple[str, ...]:
    if words == "*":
        return ORACLE_NAMES
    return tuple(ORACLE_NAMES[ORACLE_NAMES.index(w)] for w in words.split())
