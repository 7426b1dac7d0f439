"""Tables: measured values, straight lines between them (one feature), or exactly those values (any features)."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

import msgspec

from simcore.timing.confidence import Confidence, Facts, Level
from simcore.timing.fit_summary import FitSummary, confidence_of
from simcore.timing.model import Row, fact


class TableModel(msgspec.Struct, frozen=True, tag_field="form", tag="table", forbid_unknown_fields=True):
    """Piecewise linear in one feature through the knots ``(x, y)``; beyond an end, the value at that end.

    ``x`` rises strictly. A table is never EXACT: it gives its knots back because it is its knots.
    """

    target: str
    feature: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    from_seed: bool = False
    fit: FitSummary | None = None

    def __post_init__(self) -> None:
        if not self.x or len(self.x) != len(self.y):
            raise ValueError(f"a table needs as many values as knots, and a knot: {len(self.x)} and {len(self.y)}")
        if any(left >= right for left, right in pairwise(self.x)):
            raise ValueError("the knots of a table rise strictly")

    def cycles(self, row: Row) -> float:
        """The table's value at ``row``, or 0 where it is less."""
        return max(0.0, self.law(row))

    def confidence(self, row: Row) -> Confidence:
        """Of the prediction for ``row``; says so where the table answers with one of its ends."""
        x = fact(row, self.feature, self.target)
        law = self.law(row)
        found = confidence_of(self.fit, row, {self.feature: x}, form="table", law=law, from_seed=self.from_seed)
        end = min(max(x, self.x[0]), self.x[-1])
        if self.fit is None or end == x:
            return found
        return Confidence(found.level, msgspec.structs.replace(found.facts, clamped=True, clamped_to=end))

    def law(self, row: Row) -> float:
        """The value between the knots, which is negative only where the measured ones are."""
        x = min(max(fact(row, self.feature, self.target), self.x[0]), self.x[-1])
        right = bisect_right(self.x, x)
        if right == len(self.x):
            return self.y[-1]
        x0, x1, y0, y1 = self.x[right - 1], self.x[right], self.y[right - 1], self.y[right]
        return y0 + (y1 - y0) * ((x - x0) / (x1 - x0))


class LookupModel(msgspec.Struct, frozen=True, tag_field="form", tag="lookup", forbid_unknown_fields=True):
    """The measured value at exactly a measured point. Elsewhere 0, UNCALIBRATED: a lookup knows nothing in between."""

    target: str
    features: tuple[str, ...]
    points: tuple[tuple[float, ...], ...]
    values: tuple[float, ...]
    fit: FitSummary | None = None

    def __post_init__(self) -> None:
        if len(self.points) != len(self.values) or any(len(p) != len(self.features) for p in self.points):
            raise ValueError("a lookup needs a value for each point and a number for each feature")
        if len(set(self.points)) != len(self.points):
            raise ValueError("a lookup holds every point once")

    def cycles(self, row: Row) -> float:
        """The stored value, or 0 where it is less or there is none."""
        return max(0.0, self.law(row))

    def confidence(self, row: Row) -> Confidence:
        """EXACT at a stored point of a recorded fit, UNCALIBRATED everywhere else."""
        if self._point(row) not in self.points:
            return Confidence(Level.UNCALIBRATED, Facts(model_form="lookup", unmeasured=True))
        law = self.law(row)
        if self.fit is None:
            return confidence_of(None, row, {}, form="lookup", law=law, from_seed=False)
        below_zero = law if law < 0 else None
        return Confidence(Level.EXACT, Facts(model_form="lookup", n_points=self.fit.n_points, below_zero=below_zero))

    def law(self, row: Row) -> float:
        """The stored value, 0 where there is none."""
        point = self._point(row)
        return self.values[self.points.index(point)] if point in self.points else 0.0

    def _point(self, row: Row) -> tuple[float, ...]:
        return tuple(fact(row, name, self.target) for name in self.features)
