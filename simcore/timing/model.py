"""What a timing model is: a bare number of cycles for the simulation, a confidence for the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from simcore.errors import InputError, Problem, hint
from simcore.timing.confidence import Confidence

Row = Mapping[str, float]
"""The raw facts of one firing by name: sizes, counts, parameters of the part."""


class TimingModel(Protocol):
    """Anything that says how many cycles a firing takes.

    ``cycles`` is asked by the simulation at every firing, is never negative and never has a side effect; what the
    number is worth is asked by reports.
    """

    def cycles(self, row: Row) -> float:
        """Cycles of the firing ``row``, 0 or more. Raises InputError if ``row`` lacks a fact that the model needs."""

    def confidence(self, row: Row) -> Confidence:
        """How far :meth:`cycles` of the same row can be believed."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A prediction with what it is worth, as a report shows it."""

    cycles: float
    confidence: Confidence


def estimate(model: TimingModel, row: Row) -> Estimate:
    """The prediction for ``row`` and its confidence."""
    return Estimate(model.cycles(row), model.confidence(row))


def fact(row: Row, name: str, needed_by: str) -> float:
    """The value of ``name`` in ``row``. Raises InputError naming what the row has."""
    try:
        return row[name]
    except KeyError:
        known = hint(name, sorted(row))
        text = f'the firing does not say "{name}" {known}'
        raise InputError([Problem(text, "<timing model>", where=needed_by)]) from None
