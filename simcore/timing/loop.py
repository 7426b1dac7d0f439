"""The pipelined loop: the first result after a latency, every further one after an initiation interval."""

from __future__ import annotations

import math

import msgspec

from simcore.errors import InputError, Problem
from simcore.timing.confidence import Confidence
from simcore.timing.fit_summary import FitSummary, confidence_of
from simcore.timing.model import Row, fact

LATENCY_COLUMN, II_COLUMN = "latency", "ii"
"""Names of the columns that the two parameters multiply: 1 and m - 1."""


def iterations(n: float, unroll: int, needed_by: str) -> int:
    """Iterations of a loop over ``n`` elements, ``unroll`` in each: ``m = ceil(n/U)``.

    Raises InputError for ``n`` that is not above 0: a loop that never runs has neither latency nor interval.
    """
    if not n > 0:
        text = f"a loop over {n:g} elements has no duration (expected more than 0)"
        raise InputError([Problem(text, "<timing model>", where=needed_by)])
    return math.ceil(n / unroll)


class LoopModel(msgspec.Struct, frozen=True, tag_field="form", tag="loop", forbid_unknown_fields=True):
    """``cycles = latency + ii * (m - 1)`` with ``m = ceil(n / unroll)``, ``n`` the row's ``size``; never below 0.

    ``unroll`` is known from the source of the kernel, never fitted. Declared with a seed it says UNCALIBRATED.
    """

    target: str
    size: str
    latency: float
    ii: float
    unroll: int = 1
    from_seed: bool = False
    fit: FitSummary | None = None

    def __post_init__(self) -> None:
        if self.unroll < 1:
            raise ValueError(f"an unroll factor is a whole number from 1 on, not {self.unroll}")

    def iterations(self, row: Row) -> int:
        """Iterations of the firing ``row``."""
        return iterations(fact(row, self.size, self.target), self.unroll, self.target)

    def cycles(self, row: Row) -> float:
        """Cycles of the firing ``row``, or 0 where the law gives less."""
        return max(0.0, self.law(row))

    def confidence(self, row: Row) -> Confidence:
        """Of the prediction for ``row``."""
        columns = {LATENCY_COLUMN: 1.0, II_COLUMN: self.iterations(row) - 1.0}
        return confidence_of(self.fit, row, columns, form="loop", law=self.law(row), from_seed=self.from_seed)

    def law(self, row: Row) -> float:
        """What the formula says, which may be negative."""
        return self.latency + self.ii * (self.iterations(row) - 1)
