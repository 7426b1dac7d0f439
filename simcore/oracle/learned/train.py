"""Choosing and fitting a law for each opcode.

Samples with equal features are one point; its target is their median. A law is ``constant + sum(weight * feature)``, of
the duration (fitted with weights 1/target^2, so that relative errors count) or of its logarithm. The first takes sizes
as they are, the second their logarithms: a time grows with a size or with a power of it, never exponentially. Features
are added one at a time, each time the one that lowers the score most; the better of the two forms is kept.

The score of a law is the mean of two mean relative errors: at its points, and at each point by the fit to all others.
The first alone would take any feature that tells points apart, the second alone none that only one point has; what a
law meets later is some of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simcore.oracle.learned.features import LOGS, NAMES, SIZES, Matrix
from simcore.oracle.learned.law import Law, LawForm, as_ns
from simcore.oracle.learned.samples import Samples
from simcore.program.columns import Array
from simcore.program.opcodes import Opcode
from simcore.timing.fit_summary import FitSummary
from simcore.timing.least_squares import left_out, solve

LEAST_GAIN = 1e-3
"""A feature must lower the score by this much (0.1 % of the duration) to be taken."""

USABLE: dict[LawForm, tuple[int, ...]] = {
    "linear": tuple(k for k, name in enumerate(NAMES) if name not in LOGS),
    "log": tuple(k for k, name in enumerate(NAMES) if name not in SIZES),
}
"""The features that a law of each form may have."""


@dataclass(frozen=True, slots=True)
class _Points:
    """The distinct points of an opcode's samples: float64[p, n] and [p]."""

    features: Matrix
    target: Array


@dataclass(frozen=True, slots=True)
class _Choice:
    """A law in the making: ``columns`` index the features; ``score`` and ``left_out_error`` are fractions."""

    form: LawForm
    columns: tuple[int, ...]
    score: float
    left_out_error: float | None


def train(samples: Sequence[Samples]) -> tuple[Law, ...]:
    """A law for every opcode of ``samples``, by name. The same samples give the same numbers."""
    opcode = np.concatenate([s.opcode for s in samples])
    features = np.concatenate([s.features for s in samples])
    measured = np.concatenate([s.measured_ns for s in samples]).astype(np.float64)
    laws = []
    for code in np.unique(opcode).tolist():
        chosen = opcode == code
        laws.append(_law(Opcode(code), features[chosen], measured[chosen]))
    return tuple(sorted(laws, key=lambda law: law.opcode))


def _law(opcode: Opcode, features: Matrix, measured: Array) -> Law:
    distinct, which = np.unique(features, axis=0, return_inverse=True)
    which = which.reshape(-1)
    points = _Points(distinct, np.array([np.median(measured[which == k]) for k in range(len(distinct))]))
    choice = min((_grown(points, form) for form in USABLE), key=lambda c: c.score)
    constant, weights = _fitted(points, choice)
    law = Law(
        opcode=opcode.name,
        form=choice.form,
        constant=constant,
        weights={NAMES[c]: w for c, w in zip(choice.columns, weights, strict=True)},
        left_out_error_pct=None if choice.left_out_error is None else round(100 * choice.left_out_error, 4),
        fit=FitSummary(
            ranges=_ranges(features),
            n_points=len(measured),
            n_distinct_points=len(distinct),
            n_free_parameters=1 + len(choice.columns),
            max_abs_residual=0.0,
            max_rel_residual=0.0,
            max_abs_target=float(np.max(measured)),
        ),
    )
    return law.with_residuals(law.predict(features) - measured, measured)


def _ranges(features: Matrix) -> dict[str, tuple[float, float]]:
    """Lowest and highest value of each feature; one that was always 0 is not listed."""
    low, high = features.min(axis=0), features.max(axis=0)
    return {name: (float(low[k]), float(high[k])) for k, name in enumerate(NAMES) if low[k] or high[k]}


def _grown(points: _Points, form: LawForm) -> _Choice:
    """The constant, with features added as long as they help and leave more points than parameters or as many."""
    best = _scored(points, form, ())
    varying = [c for c in USABLE[form] if np.ptp(points.features[:, c]) > 0]
    while len(best.columns) + 2 <= len(points.target):
        more = [_scored(points, form, (*best.columns, c)) for c in varying if c not in best.columns]
        grown = min(more, key=lambda c: c.score, default=best)
        if not grown.score < best.score - LEAST_GAIN:
            break
        best = grown
    return best


def _scored(points: _Points, form: LawForm, columns: tuple[int, ...]) -> _Choice:
    design, target, weights = _problem(points, form, columns)
    free = bool(columns)
    solution = solve(design, target, weights, intercept=free)
    if solution.rank < design.shape[1]:
        return _Choice(form, columns, np.inf, None)
    at_points = _error(solution.at(design), points, form)
    if len(target) < 2:
        return _Choice(form, columns, at_points, None)
    others = _error(left_out(design, target, weights, intercept=free), points, form)
    # Rounded, so that of features that tell the same the first one is taken, not the one with the luckier last bit.
    return _Choice(form, columns, round((at_points + others) / 2, 9), others)


def _fitted(points: _Points, choice: _Choice) -> tuple[float, list[float]]:
    design, target, weights = _problem(points, choice.form, choice.columns)
    solution = solve(design, target, weights, intercept=bool(choice.columns))
    coefficients: list[float] = solution.coefficients.tolist()
    return (coefficients[0], []) if solution.intercept is None else (solution.intercept, coefficients)


def _problem(points: _Points, form: LawForm, columns: tuple[int, ...]) -> tuple[Matrix, Array, Array | None]:
    """Design, target and weights; without features the design is the constant itself, else the fit adds it."""
    design = points.features[:, columns] if columns else np.ones((len(points.target), 1))
    if form == "log":
        return design, np.log(points.target), None
    return design, points.target, points.target**-2.0


def _error(said: Array, points: _Points, form: LawForm) -> float:
    """Mean relative error of what a law says at the points."""
    return float(np.mean(np.abs(as_ns(said, form) - points.target) / points.target))
