"""What a fit was made of: the record, kept beside the numbers, from which every later confidence is derived."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping

import msgspec

from simcore.timing.confidence import Confidence, Facts, Level
from simcore.timing.model import Row

EXACT_RESIDUAL = 1e-9
"""A residual up to here counts as none (waveflow's bound), or up to what double arithmetic leaves on large targets."""

ON_RELATION = 1e-9
"""How far a query may stray from a relation of the measured points, relative to the terms of that relation."""


class Relation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A combination of columns that had the same value at every measured point: ``sum(weight * column) = equals``.

    The fit cannot tell how cost moves along it, so a query that breaks it gets a number that nothing supports.
    """

    weights: dict[str, float]
    equals: float

    def holds(self, columns: Mapping[str, float]) -> bool:
        """Whether the point with these column values keeps the relation."""
        terms = [weight * columns[name] for name, weight in self.weights.items()]
        size = math.fsum(map(abs, terms)) + abs(self.equals)
        return abs(math.fsum(terms) - self.equals) <= ON_RELATION * size

    def __str__(self) -> str:
        (first, scale), *others = self.weights.items()
        terms = [(-weight / scale, name) for name, weight in others]
        if self.equals or not terms:
            terms.append((self.equals / scale, ""))
        text = "".join(f" {'-' if size < 0 else '+'} {_term(abs(size), name)}" for size, name in terms)
        return f"{first} ={text.removeprefix(' +')}"


class FitSummary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points, parameters and residuals of a fit, and what of the feature space it saw.

    ``ranges`` covers every numeric raw column of the corpus but the target, so that a query is held against facts that
    the form itself does not use. ``n_distinct_points`` counts rows that differ in a feature: repeating a measurement
    confirms no form.
    """

    ranges: dict[str, tuple[float, float]]
    n_points: int
    n_distinct_points: int
    n_free_parameters: int
    max_abs_residual: float
    max_rel_residual: float
    max_abs_target: float
    undetermined: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError for numbers that no fit has, as a file that was changed by hand may say."""
        for name, (low, high) in self.ranges.items():
            if low > high:
                raise ValueError(f"the range of {name} runs from {low:g} down to {high:g}")
        least = min(self.n_points, self.n_distinct_points, self.n_free_parameters)
        if least < 0 or min(self.max_abs_residual, self.max_rel_residual, self.max_abs_target) < 0:
            raise ValueError("a count or a residual below 0")

    @property
    def is_degenerate(self) -> bool:
        """Whether any form with as many parameters would have met the points."""
        return self.n_distinct_points <= self.n_free_parameters

    @property
    def is_exact(self) -> bool:
        """Whether the form is confirmed: it gives more points back than it has parameters."""
        rounding = 64 * sys.float_info.epsilon * self.max_abs_target
        return not self.is_degenerate and self.max_abs_residual <= max(EXACT_RESIDUAL, rounding)

    def outside(self, row: Row) -> dict[str, tuple[float, float, float]]:
        """The facts of ``row`` beyond their range: value, lowest, highest. A fact that the row lacks is not judged."""
        found = {}
        for name, (low, high) in self.ranges.items():
            value = row.get(name)
            if value is not None and not _within(value, low, high):
                found[name] = (float(value), low, high)
        return found

    def confidence(self, row: Row, columns: Mapping[str, float], form: str, below_zero: float | None) -> Confidence:
        """The confidence of a prediction for ``row``, whose design columns have the values ``columns``."""
        outside = self.outside(row)
        off = tuple(str(relation) for relation in self.undetermined if not relation.holds(columns))
        inside = Level.EXACT if self.is_exact else Level.INTERPOLATED
        level = Level.EXTRAPOLATED if outside or off else inside
        facts = Facts(
            model_form=form,
            outside=outside,
            undetermined=off,
            form_exact=self.is_exact if level is Level.EXTRAPOLATED else None,
            degenerate_fit=self.is_degenerate,
            n_points=self.n_points,
            max_abs_residual=self.max_abs_residual,
            max_rel_residual=self.max_rel_residual,
            below_zero=below_zero,
        )
        return Confidence(level, facts)


def uncalibrated(form: str, *, from_seed: bool, below_zero: float | None = None) -> Confidence:
    """The confidence of numbers that no recorded fit stands behind."""
    facts = Facts(model_form=form, from_seed=from_seed, has_fitted_params=not from_seed, below_zero=below_zero)
    return Confidence(Level.UNCALIBRATED, facts)


def confidence_of(
    fit: FitSummary | None, row: Row, columns: Mapping[str, float], *, form: str, law: float, from_seed: bool
) -> Confidence:
    """The confidence of a ``form`` whose formula says ``law`` at ``row``, with the record of its fit or without one.

    ``columns`` are the design columns at ``row``.
    """
    below_zero = law if law < 0 else None
    if fit is None:
        return uncalibrated(form, from_seed=from_seed, below_zero=below_zero)
    return fit.confidence(row, columns, form, below_zero)


def _term(size: float, name: str) -> str:
    if not name:
        return f"{size:.6g}"
    return name if size == 1 else f"{size:.6g}*{name}"


def _within(value: float, low: float, high: float) -> bool:
    return low <= value <= high or math.isclose(value, low) or math.isclose(value, high)
