"""A fit as its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benches.calibrate_report.model import FIT_SCHEMA, FitReport, HoldoutReport, Unidentified
from simcore.timing.fit import Fit, FittedModel, Holdout
from simcore.timing.identify import NotIdentifiable
from simcore.timing.linear import LinearModel
from simcore.timing.loop import LoopModel
from simcore.timing.refit import features_of, numbers_of
from simcore.timing.table import LookupModel, TableModel


def fit_report(
    fit: Fit,
    *,
    corpus: str,
    unit: str | None,
    holdout: Holdout | None = None,
    unroll_r2: dict[int, float | None] | None = None,
    stored: str | None = None,
) -> FitReport:
    """The report of ``fit`` on the rows of ``corpus``."""
    left_out, summary, model = fit.left_out, fit.summary, fit.model
    return FitReport(
        schema=FIT_SCHEMA,
        form=form_of(model),
        corpus=corpus,
        target=model.target,
        unit=unit,
        features=features_of(model),
        coefficients=coefficients_of(model),
        unroll=model.unroll if isinstance(model, LoopModel) else None,
        unroll_r2=None if unroll_r2 is None else {str(unroll): r2 for unroll, r2 in unroll_r2.items()},
        weights=fit.weights,
        n_points=summary.n_points,
        n_distinct_points=summary.n_distinct_points,
        n_free_parameters=summary.n_free_parameters,
        r2=fit.accuracy.r2,
        max_abs_residual=summary.max_abs_residual,
        max_rel_error_pct=100 * fit.accuracy.max_rel_error,
        bias_pct=100 * fit.accuracy.bias,
        side=fit.accuracy.side,
        measured_as_zero=fit.accuracy.measured_as_zero,
        below_zero=fit.below_zero,
        loo_max_rel_error_pct=None if left_out is None else 100 * left_out.max_rel_error,
        loo_bias_pct=None if left_out is None else 100 * left_out.bias,
        holdout=None if holdout is None else _holdout(holdout),
        identifiable=not fit.not_identifiable,
        not_identifiable=unidentified(fit.not_identifiable),
        ranges=summary.ranges,
        confidence=fit.level.name,
        degenerate_fit=summary.is_degenerate,
        stored=stored,
    )


def form_of(model: FittedModel) -> str:
    """The name of the model's form."""
    match model:
        case LinearModel():
            return "linear"
        case LoopModel():
            return "loop"
        case TableModel():
            return "table"
        case LookupModel():
            return "lookup"


def coefficients_of(model: FittedModel) -> dict[str, Any]:
    """The numbers of a law; of a table its knots."""
    if isinstance(model, TableModel):
        return {"x": list(model.x), "y": list(model.y)}
    if isinstance(model, LookupModel):
        return {"points": [list(point) for point in model.points], "values": list(model.values)}
    return dict(numbers_of(model))


def unidentified(reasons: Sequence[NotIdentifiable]) -> tuple[Unidentified, ...]:
    """Why coefficients are not determined, for a report."""
    return tuple(Unidentified(r.columns, r.relation, r.advice, r.points) for r in reasons)


def _holdout(holdout: Holdout) -> HoldoutReport:
    accuracy = holdout.accuracy
    return HoldoutReport(
        n_points=accuracy.n_points,
        max_rel_error_pct=100 * accuracy.max_rel_error,
        mean_abs_rel_error_pct=100 * accuracy.mean_abs_rel_error,
        bias_pct=100 * accuracy.bias,
        side=accuracy.side,
        extrapolated=holdout.extrapolated,
    )
