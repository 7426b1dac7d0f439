"""Predictions beside measurements -> the fields of the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benches.band import DIGITS
from benches.validate_report import metrics
from benches.validate_report.explain_error import greatest_error
from benches.validate_report.join import Joined
from benches.validate_report.model import ProfileReport, Summary
from benches.validate_report.observed import observe
from benches.validate_report.predictor import Predictor
from benches.validate_report.timeline import mean_of, transfers, typical
from simcore.program.columns import Array

SCHEMA = "kernbench.validate/1"


@dataclass(frozen=True, slots=True)
class Judged:
    """One profile's report, and the start error of each of its instructions (float64[n] ns)."""

    report: ProfileReport
    start_errors: Array


def judge(joined: Joined, predictor: Predictor, *, family: str, fitted_on: Sequence[str] | None = None) -> Judged:
    """One profile's kernel under ``predictor``, whose constants come from the profiles ``fitted_on``."""
    columns = joined.columns
    runs = predictor.predict(joined.program)
    measured, predicted = observe(columns, joined.measured), mean_of(runs)
    errors = metrics.start_errors(columns, predicted, measured)[~transfers(columns)]
    low, high = metrics.band(runs)
    confidence = predictor.confidence(joined.program)
    report = ProfileReport(
        name=joined.program.name,
        arch=joined.program.arch,
        family=family,
        measured_ns=joined.measured.window_ns,
        predicted_ns=round(predicted.window_ns, DIGITS),
        band_ns=(low, high),
        error_pct=metrics.percent(predicted.window_ns, measured.window_ns),
        inside_band=low <= joined.measured.window_ns <= high,
        engines=metrics.engine_errors(predicted, measured),
        instructions=len(errors),
        median_abs_start_error_ns=metrics.median_abs(errors),
        worst_start_error_ns=round(float(errors[np.abs(errors).argmax()]), DIGITS),
        classes=metrics.class_errors(columns, predicted, measured),
        transfers=metrics.transfer_errors(columns, predicted, measured),
        greatest_error=greatest_error(columns, typical(runs), measured),
        confidence=confidence.level.name,
        confidence_reason=confidence.summary,
        fitted_on=None if fitted_on is None else list(fitted_on),
        notes=joined.program.notes,
    )
    return Judged(report, errors)


def summary_of(judged: Sequence[Judged]) -> Summary:
    """All profiles together."""
    reports = [j.report for j in judged]
    errors = [r.error_pct for r in reports]
    worst = max(reports, key=lambda r: abs(r.error_pct))
    pe = [r.engines["PE"].error_pct for r in reports if "PE" in r.engines]
    known = [error for error in pe if error is not None]
    return Summary(
        profiles=len(reports),
        mean_abs_error_pct=round(float(np.mean(np.abs(errors))), 2),
        bias_pct=round(float(np.mean(errors)), 2),
        worst_error_pct=worst.error_pct,
        worst_profile=worst.name,
        inside_band=sum(r.inside_band for r in reports),
        worst_pe_busy_error_pct=max(known, key=abs) if known else None,
        median_abs_start_error_ns=metrics.median_abs(np.concatenate([j.start_errors for j in judged])),
        worst_median_abs_start_error_ns=max(r.median_abs_start_error_ns for r in reports),
    )
