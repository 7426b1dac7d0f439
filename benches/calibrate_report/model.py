"""The reports of ``kernbench calibrate``, field by field. Percentages are of the measured value."""

from __future__ import annotations

from typing import Any

import msgspec

FIT_SCHEMA = "kernbench.fit/1"
SHOW_SCHEMA = "kernbench.platform-show/1"
REPORT_SCHEMA = "kernbench.platform-report/1"


class HoldoutReport(msgspec.Struct):
    """A fit against rows that it has not seen. ``extrapolated`` of them lie outside what was measured."""

    n_points: int
    max_rel_error_pct: float
    mean_abs_rel_error_pct: float
    bias_pct: float
    side: str
    extrapolated: int


class Unidentified(msgspec.Struct):
    """Coefficients that the rows do not determine one by one, why, and points that would."""

    coefficients: tuple[str, ...]
    reason: str
    advice: str
    points: tuple[dict[str, float], ...]


class FitReport(msgspec.Struct):
    """``kernbench.fit/1``.

    ``bias_pct`` is the mean signed relative error, ``side`` says on which side the predictions are. ``loo`` is each row
    against the fit to all others; null where that cannot be had. ``identifiable`` false: only combinations of
    coefficients are known, and the ones given are those of least norm.
    """

    schema: str
    form: str
    corpus: str
    target: str
    unit: str | None
    features: tuple[str, ...]
    coefficients: dict[str, Any]
    unroll: int | None
    unroll_r2: dict[str, float | None] | None
    weights: str
    n_points: int
    n_distinct_points: int
    n_free_parameters: int
    r2: float | None
    max_abs_residual: float
    max_rel_error_pct: float
    bias_pct: float
    side: str
    measured_as_zero: int
    below_zero: int
    loo_max_rel_error_pct: float | None
    loo_bias_pct: float | None
    holdout: HoldoutReport | None
    identifiable: bool
    not_identifiable: tuple[Unidentified, ...]
    ranges: dict[str, tuple[float, float]]
    confidence: str
    degenerate_fit: bool
    stored: str | None


class ModelRow(msgspec.Struct):
    """One stored law."""

    name: str
    kind: str
    form: str
    target: str
    features: tuple[str, ...]
    coefficients: dict[str, Any]
    n_points: int
    r2: float | None
    max_rel_error_pct: float
    loo_max_rel_error_pct: float | None
    identifiable: bool
    ranges: dict[str, tuple[float, float]]
    confidence: str
    obtained: str
    corpus: str


class ShowReport(msgspec.Struct):
    """``kernbench.platform-show/1``: what a platform holds. ``uncalibrated`` components were collected, not fitted."""

    schema: str
    platform: str
    part: str | None
    clock_hz: int | float | None
    models: tuple[ModelRow, ...]
    bus_directions: tuple[str, ...]
    uncalibrated: tuple[str, ...]


class PointRow(msgspec.Struct):
    """One measured row beside its prediction."""

    facts: dict[str, float]
    measured: float
    predicted: float
    error_pct: float | None


class ModelCheck(msgspec.Struct):
    """A stored law, fitted again from its rows.

    ``follows``: the stored numbers are the ones that the rows give; null where no rows were kept.
    """

    model: ModelRow
    follows: bool | None
    bias_pct: float | None
    side: str | None
    not_identifiable: tuple[Unidentified, ...]
    points: tuple[PointRow, ...]


class PlatformReport(msgspec.Struct):
    """``kernbench.platform-report/1``. ``follows``: no stored number contradicts its rows."""

    schema: str
    platform: str
    part: str | None
    clock_hz: int | float | None
    follows: bool
    models: tuple[ModelCheck, ...]
    uncalibrated: tuple[str, ...]
