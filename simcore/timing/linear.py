"""The linear law: a rate per feature, and a constant part."""

from __future__ import annotations

import math

import msgspec

from simcore.timing.confidence import Confidence
from simcore.timing.fit_summary import FitSummary, confidence_of
from simcore.timing.model import Row, fact


class LinearModel(msgspec.Struct, frozen=True, tag_field="form", tag="linear", forbid_unknown_fields=True):
    """``cycles = intercept + sum(coefficient * feature)``, never below 0.

    Declared with a seed (``from_seed``) it runs and says UNCALIBRATED; a fit brings its summary along. ``intercept``
    None means that the law passes through the origin.
    """

    target: str
    coefficients: dict[str, float]
    intercept: float | None = None
    from_seed: bool = False
    fit: FitSummary | None = None

    def cycles(self, row: Row) -> float:
        """The law at ``row``, or 0 where it gives less."""
        return max(0.0, self.law(row))

    def confidence(self, row: Row) -> Confidence:
        """Of the prediction for ``row``."""
        columns = {name: fact(row, name, self.target) for name in self.coefficients}
        return confidence_of(self.fit, row, columns, form="linear", law=self.law(row), from_seed=self.from_seed)

    def law(self, row: Row) -> float:
        """What the formula says, which may be negative."""
        terms = [rate * fact(row, name, self.target) for name, rate in self.coefficients.items()]
        return math.fsum((*terms, self.intercept or 0.0))
