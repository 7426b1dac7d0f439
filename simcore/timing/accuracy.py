"""How well predictions meet measurements: R2, the worst relative error, and on which side they miss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.timing.fit_summary import EXACT_RESIDUAL
from simcore.timing.least_squares import Array

NO_BIAS = 1e-9
"""A mean signed relative error up to here has no side."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Errors are relative to the measurement, as fractions; rows measured as 0 have none and are only counted.

    ``r2`` is 1 - (sum of squared errors) / (sum of squares about the mean); where all measurements are equal it is 1 if
    they are met and not defined (None) if they are not. ``bias`` is the mean of (predicted - measured) / measured.
    """

    n_points: int
    r2: float | None
    max_rel_error: float
    mean_abs_rel_error: float
    bias: float
    measured_as_zero: int

    @property
    def side(self) -> str:
        """On which side the predictions are: ``too long``, ``too short``, or ``none``."""
        if abs(self.bias) <= NO_BIAS:
            return "none"
        return "too long" if self.bias > 0 else "too short"


def accuracy(predicted: Array, measured: Array) -> Accuracy:
    """The accuracy of ``predicted`` (points,) against ``measured`` (points,)."""
    error = predicted - measured
    counted = measured != 0
    signed = error[counted] / np.abs(measured[counted])
    size = np.abs(signed)
    return Accuracy(
        n_points=len(measured),
        r2=r_squared(error, measured),
        max_rel_error=float(np.max(size)) if len(size) else 0.0,
        mean_abs_rel_error=float(np.mean(size)) if len(size) else 0.0,
        bias=float(np.mean(signed)) if len(signed) else 0.0,
        measured_as_zero=int(np.sum(~counted)),
    )


def r_squared(error: Array, measured: Array) -> float | None:
    """R2 of predictions that miss ``measured`` by ``error``."""
    total = float(np.sum((measured - np.mean(measured)) ** 2))
    if total == 0.0:
        return 1.0 if float(np.max(np.abs(error))) <= EXACT_RESIDUAL else None
    return 1.0 - float(np.sum(error**2)) / total
