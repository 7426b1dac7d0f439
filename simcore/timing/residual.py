"""The component residual: what the simulation still misses per firing, once the platform's bus law is charged.

``residual = measured span - simulated span + delay that the model already charged``, in cycles. Because what was
charged is added back, any simulated run is a data point, and fitting again from a wrong model comes to the same result.

Column names are those of the public waveflow project, so that corpora can be exchanged: ``rtl`` is the measured side
(cycle-accurate or hardware), ``pysim`` the loosely-timed simulation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from simcore.errors import InputError, Problem
from simcore.timing.attach import Firing
from simcore.timing.clock import Clock
from simcore.timing.corpus import Corpus, corpus_of
from simcore.timing.fit import Fit, fit_linear
from simcore.timing.linear import LinearModel

STREAM_FEATURES = ("nwords", "num_trans")
TARGET = "residual"

Point = tuple[float, ...]
"""The features of a firing, in the order of the model's features."""


@dataclass(frozen=True, slots=True)
class MeasuredFiring:
    """One firing on the measured side, in cycles: from the first input handshake to the end, inclusive.

    ``blocked``: cycles for which its output was refused; such a firing shows its neighbour's time, not its own.
    """

    point: Point
    span: float
    blocked: float = 0.0


@dataclass(frozen=True, slots=True)
class SimulatedFiring:
    """One firing of the simulation, in cycles, and the part of it that the model itself charged."""

    point: Point
    span: float
    current_dly: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """Points that both sides have, and points that only one has."""

    matched: tuple[Point, ...]
    rtl_only: tuple[Point, ...]
    pysim_only: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """The corpus of a residual, None where no point is common, and what was common."""

    corpus: Corpus | None
    coverage: Coverage


def simulated(firings: Iterable[Firing], features: Sequence[str], clock: Clock) -> list[SimulatedFiring]:
    """What a part recorded, in cycles. Raises InputError for a firing that does not say one of ``features``."""
    found = []
    for number, firing in enumerate(firings):
        missing = [name for name in features if name not in firing.row]
        if missing:
            text = f"firing {number} does not say {', '.join(missing)} (it says: {', '.join(firing.row)})"
            raise InputError([Problem(text, "<simulated firings>")])
        span = clock.cycles(firing.end - firing.start)
        point = tuple(float(firing.row[name]) for name in features)
        found.append(SimulatedFiring(point, float(span), float(clock.cycles(firing.delay))))
    return found


def join(
    features: Sequence[str],
    rtl: Mapping[str, Sequence[MeasuredFiring]],
    pysim: Mapping[str, Sequence[SimulatedFiring]],
    path: str = "<residual>",
) -> Joined:
    """Joins the runs of both sides on the feature point, whatever the runs are called.

    Blocked firings are dropped; per run and point the median firing counts, per point the median run.
    """
    spans = _per_point({run: [(f.point, (f.span,)) for f in firings if not f.blocked] for run, firings in rtl.items()})
    ours = _per_point({run: [(f.point, (f.span, f.current_dly)) for f in firings] for run, firings in pysim.items()})
    matched = tuple(sorted(spans.keys() & ours.keys()))
    coverage = Coverage(matched, tuple(sorted(spans.keys() - ours)), tuple(sorted(ours.keys() - spans)))
    if not matched:
        return Joined(None, coverage)
    columns: dict[str, list[float]] = {name: [p[k] for p in matched] for k, name in enumerate(features)}
    columns["span_rtl"] = [spans[p][0] for p in matched]
    columns["span_pysim"] = [ours[p][0] for p in matched]
    columns["current_dly"] = [ours[p][1] for p in matched]
    columns[TARGET] = [spans[p][0] - ours[p][0] + ours[p][1] for p in matched]
    return Joined(corpus_of(columns, path), coverage)


def fit_residual(joined: Joined, features: Sequence[str]) -> Fit:
    """The residual as a linear law of ``features``. Raises InputError if nothing was joined."""
    if joined.corpus is None:
        rtl, pysim = len(joined.coverage.rtl_only), len(joined.coverage.pysim_only)
        text = f"no residual datapoints: {rtl} points measured, {pysim} simulated, none in common"
        raise InputError([Problem(text, "<residual>")])
    return fit_linear(joined.corpus, TARGET, features)


def declared_residual(
    features: Sequence[str], rates: Mapping[str, float] | None = None, intercept: float = 0.0
) -> LinearModel:
    """The residual before it was fitted: nothing is known to be missing, unless a seed says so. UNCALIBRATED."""
    seed = {name: (rates or {}).get(name, 0.0) for name in features}
    return LinearModel(TARGET, seed, intercept, from_seed=True)


def _per_point(runs: Mapping[str, Iterable[tuple[Point, Sequence[float]]]]) -> dict[Point, list[float]]:
    by_point: dict[Point, list[list[float]]] = {}
    for firings in runs.values():
        of_run: dict[Point, list[Sequence[float]]] = {}
        for point, numbers in firings:
            of_run.setdefault(point, []).append(numbers)
        for point, rows in of_run.items():
            by_point.setdefault(point, []).append(_medians(rows))
    return {point: _medians(rows) for point, rows in by_point.items()}


def _medians(rows: Sequence[Sequence[float]]) -> list[float]:
    return [median(column) for column in zip(*rows, strict=True)]
