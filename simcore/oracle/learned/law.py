"""The law of one opcode: a constant and a weight for a few features, in nanoseconds or in their logarithm."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from simcore.oracle.learned.features import NAMES, Matrix
from simcore.program.columns import Array
from simcore.program.limits import MAX_COST_NS
from simcore.timing.confidence import Level
from simcore.timing.fit_summary import FitSummary

LawForm = Literal["linear", "log"]

_PLACE = {name: k for k, name in enumerate(NAMES)}


class Law(msgspec.Struct, frozen=True):
    """``constant + sum(weight * feature)``: nanoseconds (``linear``) or their natural logarithm (``log``).

    ``fit.ranges`` gives the lowest and highest value that the samples had of each feature; one that is not listed was
    always 0. ``left_out_error_pct``: mean relative error at points left out of the fit, None if there was one point.
    """

    opcode: str
    form: LawForm
    constant: float
    weights: dict[str, float]
    left_out_error_pct: float | None
    fit: FitSummary

    def predict(self, features: Matrix) -> Array:
        """float64[g]: nanoseconds for the rows of ``features`` (float64[g, n]), from 0 to just beyond MAX_COST_NS."""
        # Column by column: a sum in one order whatever g is, so that an instruction costs the same in any block.
        said = np.full(len(features), self.constant)
        for name, weight in self.weights.items():
            said += weight * features[:, _PLACE[name]]
        return as_ns(said, self.form)

    def levels(self, features: Matrix) -> Array:
        """uint8[g]: the confidence :class:`~simcore.timing.confidence.Level` of each prediction."""
        low, high = np.zeros(len(NAMES)), np.zeros(len(NAMES))
        for name, (least, most) in self.fit.ranges.items():
            low[_PLACE[name]], high[_PLACE[name]] = least, most
        outside = np.any((features < low) | (features > high), axis=1)
        inside = Level.EXACT if self.fit.is_exact else Level.INTERPOLATED
        return np.where(outside, np.uint8(Level.EXTRAPOLATED), np.uint8(inside))

    def with_residuals(self, residual: Array, measured: Array) -> Law:
        """This law with the residuals of its samples in the record of its fit."""
        fit = msgspec.structs.replace(
            self.fit,
            max_abs_residual=float(np.max(np.abs(residual))),
            max_rel_residual=float(np.max(np.abs(residual) / measured)),
        )
        return msgspec.structs.replace(self, fit=fit)


def as_ns(said: Array, form: LawForm) -> Array:
    """Nanoseconds from what a law says: never negative, and cut just beyond the largest cost that a model takes."""
    most = MAX_COST_NS + 1.0
    if form == "log":
        return np.exp(np.minimum(said, np.log(most)))
    return np.clip(said, 0.0, most)
