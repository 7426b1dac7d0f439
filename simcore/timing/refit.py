"""Fitting a stored model again, from its corpus: the numbers must follow from the rows."""

from __future__ import annotations

import math

from simcore.timing.corpus import Corpus
from simcore.timing.fit import Fit, FittedModel, Weights, fit_linear, fit_lookup, fit_loop, fit_table
from simcore.timing.linear import LinearModel
from simcore.timing.loop import LoopModel
from simcore.timing.table import TableModel

SAME = 1e-9
"""Relative difference up to which two fits of the same rows are the same: another machine may round differently."""


def refit(model: FittedModel, corpus: Corpus, weights: Weights) -> Fit:
    """A fit of the same form, target, features and options as ``model``."""
    if isinstance(model, LinearModel):
        intercept = model.intercept is not None
        return fit_linear(corpus, model.target, tuple(model.coefficients), intercept=intercept, weights=weights)
    if isinstance(model, LoopModel):
        return fit_loop(corpus, model.target, model.size, unroll=model.unroll, weights=weights)
    if isinstance(model, TableModel):
        return fit_table(corpus, model.target, (model.feature,))
    return fit_lookup(corpus, model.target, model.features)


def is_same_law(one: FittedModel, other: FittedModel) -> bool:
    """Whether two models of one form say the same, to rounding."""
    numbers, others = numbers_of(one), numbers_of(other)
    if type(one) is not type(other) or numbers.keys() != others.keys():
        return False
    size = max(map(abs, numbers.values()), default=0.0)
    return all(math.isclose(numbers[key], others[key], rel_tol=SAME, abs_tol=SAME * size) for key in numbers)


def features_of(model: FittedModel) -> tuple[str, ...]:
    """The facts that a firing must state."""
    if isinstance(model, LinearModel):
        return tuple(model.coefficients)
    if isinstance(model, LoopModel):
        return (model.size,)
    return (model.feature,) if isinstance(model, TableModel) else model.features


def numbers_of(model: FittedModel) -> dict[str, float]:
    """Every number of a law by name."""
    if isinstance(model, LinearModel):
        constant = {} if model.intercept is None else {"intercept": model.intercept}
        return {**model.coefficients, **constant}
    if isinstance(model, LoopModel):
        return {"latency": model.latency, "ii": model.ii}
    if isinstance(model, TableModel):
        return {f"{model.feature}={x:g}": y for x, y in zip(model.x, model.y, strict=True)}
    points = (", ".join(f"{n}={v:g}" for n, v in zip(model.features, p, strict=True)) for p in model.points)
    return dict(zip(points, model.values, strict=True))
