"""Weighted linear least squares of minimum norm, with the directions that the points do not determine.

Shapes: ``design`` is (points, columns), ``target`` and ``weights`` are (points,), ``null`` is (columns, directions).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

RANK_TOLERANCE = 1e-9
"""Columns are scaled to equal length first; a direction whose singular value is below this share of the largest one is
not determined, and a column that varies by less than this share of its size does not vary."""

LEVERAGE_LIMIT = 1e-6
"""A point that the fit must pass through to within this share has its left-out fit computed, not derived."""


@dataclass(frozen=True, slots=True)
class Solution:
    """Coefficients by column, the intercept if there is one, and a basis of the undetermined directions."""

    coefficients: Array
    intercept: float | None
    null: Array
    rank: int

    def at(self, design: Array) -> Array:
        """The law at the rows of ``design``."""
        return design @ self.coefficients + (self.intercept or 0.0)


@dataclass(frozen=True, slots=True)
class _Directions:
    """``basis`` (columns, rank) turns coordinates of what is determined into coefficients; ``null`` is the rest."""

    basis: Array
    null: Array


def solve(design: Array, target: Array, weights: Array | None = None, *, intercept: bool = True) -> Solution:
    """The coefficients that minimise ``sum(weights * (target - law)^2)``; of several such, those of least norm.

    With an intercept, features and target are centred first (weighted), so the intercept is not part of the norm.
    Whether something is determined depends on the points alone, not on their weights or on the units of a column.
    """
    directions = _directions(design, intercept=intercept)
    root = np.ones(len(target)) if weights is None else np.sqrt(weights)
    share = root**2 / np.sum(root**2)
    mean_x = share @ design if intercept else np.zeros(design.shape[1])
    mean_y = float(share @ target) if intercept else 0.0
    inner = (design - mean_x) @ directions.basis * root[:, None]
    outer = (target - mean_y) * root
    coordinates = _least_norm(inner, outer)
    # One step of refinement: a law that meets its points leaves only the rounding of the last step.
    coordinates += _least_norm(inner, outer - inner @ coordinates)
    coefficients = directions.basis @ coordinates
    if directions.null.size:
        coefficients = coefficients - directions.null @ _least_norm(directions.null, coefficients)
    constant = mean_y - float(mean_x @ coefficients) if intercept else None
    return Solution(coefficients, constant, directions.null, directions.basis.shape[1])


def left_out(design: Array, target: Array, weights: Array | None = None, *, intercept: bool = True) -> Array:
    """For each point, what the fit to all other points says there: shape (points,), for at least two points.

    From the leverages, in one decomposition; a point that alone determines some direction is really left out.
    """
    full = solve(design, target, weights, intercept=intercept)
    directions = _directions(design, intercept=intercept)
    root = np.ones(len(target)) if weights is None else np.sqrt(weights)
    columns = (design - design.mean(axis=0) if intercept else design) @ directions.basis
    if intercept:
        columns = np.column_stack([np.ones(len(target)), columns])
    orthogonal, _ = np.linalg.qr(columns * root[:, None])
    free = 1.0 - np.sum(orthogonal**2, axis=1)
    residual = target - full.at(design)
    result = np.empty(len(target))
    for k in range(len(target)):
        if free[k] > LEVERAGE_LIMIT:
            result[k] = target[k] - residual[k] / free[k]
        else:
            kept = np.arange(len(target)) != k
            kept_weights = None if weights is None else weights[kept]
            others = solve(design[kept], target[kept], kept_weights, intercept=intercept)
            result[k] = others.at(design[k : k + 1])[0]
    return result


def _directions(design: Array, *, intercept: bool) -> _Directions:
    varying = design - design.mean(axis=0) if intercept else design
    length = np.linalg.norm(varying, axis=0)
    still = length <= RANK_TOLERANCE * np.linalg.norm(design, axis=0)
    scale = np.where(still, 1.0, length)
    scaled = np.where(still, 0.0, varying / scale)
    # The triangle has the same right singular vectors as the points, however many points there are.
    _, values, rows = np.linalg.svd(np.linalg.qr(scaled, mode="r"), full_matrices=True)
    rank = int(np.sum(values > RANK_TOLERANCE * values[0])) if values.size else 0
    return _Directions(rows[:rank].T / scale[:, None], rows[rank:].T / scale[:, None])


def _least_norm(matrix: Array, right: Array) -> Array:
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0], dtype=np.float64)
