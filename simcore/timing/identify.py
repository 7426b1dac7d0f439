"""What the points of a corpus cannot tell apart, in a user's words, and which points would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simcore.timing.fit_summary import Relation
from simcore.timing.least_squares import Array

NEGLIGIBLE = 1e-7
"""A weight below this share of its relation's largest term is rounding."""

DIGITS = 12
"""Significant digits that a relation's weights are cleaned to."""


@dataclass(frozen=True, slots=True)
class NotIdentifiable:
    """Columns whose coefficients the points do not determine one by one.

    ``points`` are rows (by column) that would: measuring any of them makes the relation false.
    """

    columns: tuple[str, ...]
    relation: str
    advice: str
    points: tuple[dict[str, float], ...]

    def __str__(self) -> str:
        return f"{' and '.join(self.columns)} not identifiable: {self.relation} in every row; {self.advice}"


def relations(names: Sequence[str], design: Array, null: Array) -> tuple[Relation, ...]:
    """The undetermined directions ``null`` as relations between few columns each, in the order of the columns."""
    found = []
    lengths = np.linalg.norm(design, axis=0)
    for direction in _reduced(null * np.where(lengths > 0, lengths, 1.0)[:, None]):
        weights = direction / np.where(lengths > 0, lengths, 1.0)
        kept = np.abs(direction) > NEGLIGIBLE * np.max(np.abs(direction))
        first = weights[np.flatnonzero(kept)[0]]
        cleaned = {n: _clean(w / first) for n, w, k in zip(names, weights, kept, strict=True) if k}
        values = design[:, kept] @ np.array(list(cleaned.values()))
        size = float(np.max(np.abs(design[:, kept] * np.array(list(cleaned.values())))))
        equals = float(np.mean(values))
        found.append(Relation(cleaned, 0.0 if abs(equals) <= NEGLIGIBLE * size else _clean(equals)))
    return tuple(found)


def explain(names: Sequence[str], design: Array, found: Sequence[Relation]) -> list[NotIdentifiable]:
    """Each relation with the points that would break it; ``design`` is (points, columns)."""
    values = {name: design[:, k] for k, name in enumerate(names)}
    return [_explained(relation, values) for relation in found]


def _reduced(null: Array) -> list[Array]:
    """The same directions, in reduced echelon form: each concerns as few columns as it can."""
    rows = [row / np.max(np.abs(row)) for row in null.T]
    done: list[Array] = []
    for column in range(null.shape[0]):
        rows.sort(key=lambda row: -abs(row[column]))
        if not rows or abs(rows[0][column]) <= NEGLIGIBLE:
            continue
        pivot = rows.pop(0)
        pivot = pivot / pivot[column]
        rows = [row - row[column] * pivot for row in rows]
        done = [row - row[column] * pivot for row in done] + [pivot]
    return done


def _explained(relation: Relation, values: dict[str, Array]) -> NotIdentifiable:
    columns = tuple(relation.weights)
    if len(columns) == 1:
        name = columns[0]
        value = float(values[name][0])
        other: dict[str, float] = {name: 2 * value if value else 1.0}
        advice = f"measure another value of {name}, such as {other[name]:g}"
        return NotIdentifiable(columns, f"{name} is {value:g}", advice, (other,))
    if len(columns) == 2:
        bursts = _burst_points(columns, values) or _burst_points(columns[::-1], values)
        if bursts is not None:
            return bursts
    moved = _moved_point(columns, values)
    shown = ", ".join(f"{name}={value:g}" for name, value in moved.items())
    return NotIdentifiable(columns, str(relation), f"measure a point that breaks it, such as {shown}", (moved,))


def _burst_points(columns: tuple[str, ...], values: dict[str, Array]) -> NotIdentifiable | None:
    """If the first column counts full bursts of k of the second: sizes that do not fill their last burst."""
    bursts, words = columns
    ratio = np.divide(values[words], values[bursts], out=np.zeros(len(values[words])), where=values[bursts] != 0)
    k = float(ratio[0])
    whole = np.all(values[words] == np.floor(values[words])) and k == np.floor(k)
    if k < 2 or not whole or not np.all(ratio == k):
        return None
    low, high = float(np.min(values[words])), float(np.max(values[words]))
    sizes = list(dict.fromkeys((low + 1, high - k + 1 if high > low else low + k + 1)))
    points = tuple({words: size, bursts: float(-(-size // k))} for size in sizes)
    shown = " and ".join(f"{words}={p[words]:g} ({bursts}={p[bursts]:g})" for p in points)
    advice = f"measure sizes where {bursts} = ceil({words}/{k:g}) departs from {words}/{k:g}, such as {shown}"
    return NotIdentifiable(columns, f"{bursts} = {words}/{k:g}", advice, points)


def _moved_point(columns: tuple[str, ...], values: dict[str, Array]) -> dict[str, float]:
    """A measured point with its first column changed: to the value of another point, or doubled where all are equal."""
    point = {name: float(values[name][-1]) for name in columns}
    first = columns[0]
    others = values[first][values[first] != point[first]]
    point[first] = float(others[0]) if len(others) else (2 * point[first] or 1.0)
    return point


def _clean(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
