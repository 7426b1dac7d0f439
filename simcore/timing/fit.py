"""Fitting: from a corpus to a model that knows what it was fitted on, and to the figures that judge the fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from simcore.errors import InputError, Problem
from simcore.timing.accuracy import Accuracy, accuracy
from simcore.timing.confidence import Level
from simcore.timing.corpus import Corpus
from simcore.timing.fit_rows import WEIGHTS, Fit, FitRows, FittedModel, Weights
from simcore.timing.fit_summary import FitSummary, Relation
from simcore.timing.identify import NotIdentifiable, explain, relations
from simcore.timing.least_squares import Array, Solution, left_out, solve
from simcore.timing.linear import LinearModel
from simcore.timing.loop import II_COLUMN, LATENCY_COLUMN, LoopModel
from simcore.timing.model import TimingModel
from simcore.timing.table import LookupModel, TableModel

__all__ = [
    "WEIGHTS",
    "Fit",
    "FittedModel",
    "Holdout",
    "Weights",
    "best_unroll",
    "check_holdout",
    "fit_linear",
    "fit_lookup",
    "fit_loop",
    "fit_table",
]


@dataclass(frozen=True, slots=True)
class Holdout:
    """A fitted model against measurements that it has not seen; ``extrapolated`` of them lie outside its range."""

    accuracy: Accuracy
    extrapolated: int


def fit_linear(
    corpus: Corpus, target: str, features: Sequence[str], *, intercept: bool = True, weights: Weights = "none"
) -> Fit:
    """``target = intercept + sum(coefficient * feature)`` by least squares of minimum norm."""
    rows = FitRows(corpus, target, features)

    def model(solution: Solution, summary: FitSummary) -> LinearModel:
        rates = dict(zip(rows.features, map(float, solution.coefficients), strict=True))
        return LinearModel(target, rates, solution.intercept, fit=summary)

    def reasons(found: Sequence[Relation]) -> list[NotIdentifiable]:
        return explain(rows.features, rows.raw, found)

    return _least_squares(rows, rows.raw, rows.features, weights, model, reasons, intercept=intercept)


def fit_loop(corpus: Corpus, target: str, size: str, *, unroll: int = 1, weights: Weights = "none") -> Fit:
    """``target = latency + ii * (ceil(size / unroll) - 1)`` by least squares of minimum norm."""
    rows = FitRows(corpus, target, (size,))
    rows.require_positive(size, "a loop runs over more than 0 elements")
    design = np.column_stack([np.ones(len(rows.target)), np.ceil(rows.raw[:, 0] / unroll) - 1])

    def model(solution: Solution, summary: FitSummary) -> LoopModel:
        latency, ii = map(float, solution.coefficients)
        return LoopModel(target, size, latency, ii, unroll, fit=summary)

    def reasons(found: Sequence[Relation]) -> list[NotIdentifiable]:
        m = float(design[0, 1]) + 1
        other = {size: 2.0 * m * unroll}
        count = size if unroll == 1 else f"ceil({size}/{unroll})"
        advice = f"measure another number of iterations, such as {size}={other[size]:g}"
        return [NotIdentifiable(tuple(r.weights), f"{count} is {m:g}", advice, (other,)) for r in found]

    names = (LATENCY_COLUMN, II_COLUMN)
    return _least_squares(rows, design, names, weights, model, reasons, intercept=False)


def best_unroll(
    corpus: Corpus, target: str, size: str, candidates: Sequence[int], *, weights: Weights = "none"
) -> tuple[Fit, dict[int, float | None]]:
    """The loop fit of the highest R2 over the unroll factors, the first of equals; with the R2 of each factor."""
    fits = {unroll: fit_loop(corpus, target, size, unroll=unroll, weights=weights) for unroll in candidates}
    scores = {unroll: fit.accuracy.r2 for unroll, fit in fits.items()}
    best = max(fits, key=lambda unroll: -np.inf if (r2 := scores[unroll]) is None else r2)
    return fits[best], scores


def fit_table(corpus: Corpus, target: str, features: Sequence[str]) -> Fit:
    """Knots at every measured value of the one feature; the mean where a value was measured more than once."""
    if len(features) != 1:
        text = f"a table has one feature, not {len(features)} (a lookup takes several)"
        raise InputError([Problem(text, corpus.path, 1)])
    rows = FitRows(corpus, target, features)
    every = np.arange(len(rows.target), dtype=np.int64)

    def knots(kept: npt.NDArray[np.int64]) -> TableModel:
        x, where = np.unique(rows.raw[kept, 0], return_inverse=True)
        y = np.bincount(where, rows.target[kept]) / np.bincount(where)
        return TableModel(target, features[0], tuple(map(float, x)), tuple(map(float, y)))

    points = rows.points()
    model = knots(every)
    others = None
    if len(every) > 1:
        others = np.array([knots(every[every != k]).cycles(points[k]) for k in every])
    predicted = np.array([model.cycles(point) for point in points])
    summary = rows.summary(predicted, free_parameters=len(model.x), design=rows.raw)
    return rows.judged(replace(model, fit=summary), summary, left_out=others)


def fit_lookup(corpus: Corpus, target: str, features: Sequence[str]) -> Fit:
    """The measured value of every point; of a point measured more than once, the last in the corpus."""
    rows = FitRows(corpus, target, features)
    last = dict(zip(map(tuple, corpus.matrix(features).tolist()), corpus.numbers(target).tolist(), strict=True))
    points = tuple(sorted(last))
    model = LookupModel(target, rows.features, points, tuple(last[point] for point in points))
    predicted = np.array([model.cycles(point) for point in rows.points()])
    summary = rows.summary(predicted, free_parameters=len(points), design=rows.raw)
    return rows.judged(replace(model, fit=summary), summary)


def check_holdout(model: TimingModel, corpus: Corpus, target: str) -> Holdout:
    """``model`` at the rows of ``corpus``, which played no part in its fit."""
    facts = {c.name: c.values.tolist() for c in corpus.columns if c.values is not None and c.name != target}
    rows = [dict(zip(facts, values, strict=True)) for values in zip(*facts.values(), strict=True)]
    predicted = np.array([model.cycles(row) for row in rows])
    extrapolated = sum(model.confidence(row).level is Level.EXTRAPOLATED for row in rows)
    return Holdout(accuracy(predicted, corpus.numbers(target)), extrapolated)


def _least_squares(
    rows: FitRows,
    design: Array,
    columns: tuple[str, ...],
    weights: Weights,
    model: Callable[[Solution, FitSummary], FittedModel],
    reasons: Callable[[Sequence[Relation]], list[NotIdentifiable]],
    *,
    intercept: bool,
) -> Fit:
    row_weights = rows.weights(weights)
    solution = solve(design, rows.target, row_weights, intercept=intercept)
    undetermined = relations(columns, design, solution.null)
    predicted = np.maximum(solution.at(design), 0.0)
    summary = replace(
        rows.summary(predicted, free_parameters=len(columns) + intercept, design=design), undetermined=undetermined
    )
    others = None
    if len(rows.target) > 1:
        others = np.maximum(left_out(design, rows.target, row_weights, intercept=intercept), 0.0)
    return rows.judged(
        model(solution, summary),
        summary,
        weights=weights,
        left_out=others,
        not_identifiable=reasons(undetermined),
    )
