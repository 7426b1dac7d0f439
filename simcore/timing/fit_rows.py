"""The rows of a corpus as a fit sees them, and the judgement of what was fitted to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simcore.errors import InputError, Problem
from simcore.timing.accuracy import Accuracy, accuracy
from simcore.timing.confidence import Level
from simcore.timing.corpus import Corpus
from simcore.timing.fit_summary import FitSummary
from simcore.timing.identify import NotIdentifiable
from simcore.timing.least_squares import Array
from simcore.timing.linear import LinearModel
from simcore.timing.loop import LoopModel
from simcore.timing.table import LookupModel, TableModel

Weights = Literal["none", "inverse_square"]
"""How much a row counts: all the same, or by 1/target^2, which makes relative errors count the same."""

WEIGHTS: tuple[Weights, ...] = ("none", "inverse_square")

FittedModel = LinearModel | LoopModel | TableModel | LookupModel


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted model and its judgement.

    ``left_out`` compares each measurement with the fit to all others; None where leaving one out leaves nothing to
    predict it from. ``below_zero`` counts measured points at which the law is negative and the model therefore says 0.
    """

    model: FittedModel
    summary: FitSummary
    weights: Weights
    accuracy: Accuracy
    left_out: Accuracy | None
    not_identifiable: tuple[NotIdentifiable, ...]
    below_zero: int
    predicted: Array
    """The model at the corpus's rows, in their order: (rows,)."""

    @property
    def level(self) -> Level:
        """The confidence of a prediction for a point that was measured."""
        if isinstance(self.model, LookupModel) or self.summary.is_exact:
            return Level.EXACT
        return Level.INTERPOLATED


class FitRows:
    """Features and target in one order, so that the same measurements give the same bytes however they were listed.

    ``raw`` is (rows, features), ``target`` (rows,).
    """

    def __init__(self, corpus: Corpus, target: str, features: Sequence[str]) -> None:
        _check_names(corpus, target, features)
        self.corpus = corpus
        self.target_name = target
        self.features = tuple(features)
        raw, values = corpus.matrix(self.features), corpus.numbers(target)
        self.order = np.lexsort((values, *raw.T[::-1]))
        self.raw: Array = raw[self.order]
        self.target: Array = values[self.order]

    def require_positive(self, name: str, why: str) -> None:
        """Raises InputError for every row whose ``name`` is not above 0."""
        bad = [line for line, value in zip(self.corpus.lines, self.corpus.numbers(name), strict=True) if not value > 0]
        if bad:
            raise InputError([Problem(f"{name}: {why}", self.corpus.path, line) for line in bad])

    def weights(self, kind: Weights) -> Array | None:
        """The weight of each row, (rows,), or None for all the same."""
        if kind == "none":
            return None
        self.require_positive(self.target_name, "weights inverse_square need targets above 0")
        return np.asarray((np.min(self.target) / self.target) ** 2)

    def points(self) -> list[dict[str, float]]:
        """The features of each row by name."""
        return [dict(zip(self.features, row, strict=True)) for row in self.raw.tolist()]

    def summary(self, predicted: Array, *, free_parameters: int, design: Array) -> FitSummary:
        """The record of a fit that predicts ``predicted``; rows of ``design`` that are equal are one point."""
        return FitSummary(
            ranges=self.corpus.ranges(without=self.target_name),
            n_points=len(self.target),
            n_distinct_points=len(np.unique(design, axis=0)),
            n_free_parameters=free_parameters,
            max_abs_residual=float(np.max(np.abs(predicted - self.target))),
            max_rel_residual=accuracy(predicted, self.target).max_rel_error,
            max_abs_target=float(np.max(np.abs(self.target))),
        )

    def judged(
        self,
        model: FittedModel,
        summary: FitSummary,
        *,
        weights: Weights = "none",
        left_out: Array | None = None,
        not_identifiable: Sequence[NotIdentifiable] = (),
    ) -> Fit:
        """The fit as ``model``, whose predictions for rows that were left out are ``left_out``."""
        points = self.points()
        predicted = np.array([model.cycles(point) for point in points])
        as_listed = np.empty_like(predicted)
        as_listed[self.order] = predicted
        return Fit(
            model=model,
            summary=summary,
            weights=weights,
            accuracy=accuracy(predicted, self.target),
            left_out=None if left_out is None else accuracy(left_out, self.target),
            not_identifiable=tuple(not_identifiable),
            below_zero=sum(model.law(point) < 0 for point in points),
            predicted=as_listed,
        )


def _check_names(corpus: Corpus, target: str, features: Sequence[str]) -> None:
    problems = []
    if not features:
        problems.append(Problem("a fit needs at least one feature", corpus.path, 1))
    for name in dict.fromkeys(features):
        if name == target:
            problems.append(Problem(f'"{name}" is the target, so it cannot be a feature', corpus.path, 1))
        elif list(features).count(name) > 1:
            problems.append(Problem(f'the feature "{name}" is named twice', corpus.path, 1))
    if problems:
        raise InputError(problems)
