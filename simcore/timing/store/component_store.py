"""A component's residual on disk: its firings per side and run, the corpus joined from them, the model fitted to it."""

from __future__ import annotations

import csv
import io
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from simcore.errors import InputError, Problem
from simcore.staged_files import StagedFiles, make_folder
from simcore.timing.attach import TimedDelay, attached
from simcore.timing.corpus import cell_text
from simcore.timing.corpus_csv import read_corpus
from simcore.timing.fit import Fit
from simcore.timing.linear import LinearModel
from simcore.timing.residual import (
    STREAM_FEATURES,
    Coverage,
    Joined,
    MeasuredFiring,
    SimulatedFiring,
    declared_residual,
    fit_residual,
    join,
    simulated,
)
from simcore.timing.store.platform import CORPUS_FILE, MODEL_FILE, Platform, load_model
from simcore.timing.store.records import check_name

Side = Literal["rtl", "pysim"]
FIRINGS_FILE = "firings.csv"


class CollectedModel(msgspec.Struct, frozen=True):
    """How many firings of a component were collected."""

    component: str
    pysim_firings: int


class CollectStep(msgspec.Struct, frozen=True):
    """What one run of the simulation gave."""

    run_id: str
    models: tuple[CollectedModel, ...]


class FittedComponent(msgspec.Struct, frozen=True):
    """A component whose residual was fitted, to how many points."""

    component: str
    points: int


class SkippedComponent(msgspec.Struct, frozen=True):
    """A component whose sides have no point in common."""

    component: str
    reason: str
    coverage: Coverage


class FitStep(msgspec.Struct, frozen=True):
    """What a fitting step did with each component."""

    fitted: tuple[FittedComponent, ...]
    skipped: tuple[SkippedComponent, ...]


@dataclass(frozen=True)
class ComponentResidual:
    """The residual of ``component`` (its task's name) on ``platform``, over ``features``."""

    platform: Platform
    component: str
    features: Sequence[str] = STREAM_FEATURES

    @property
    def folder(self) -> Path:
        """Where everything of it is kept."""
        return self.platform.path / "components" / check_name(self.component, "component")

    def collect_rtl(self, run: str, firings: Iterable[MeasuredFiring]) -> None:
        """Keeps the measured firings of ``run``, blocked ones too; a run of the same name is replaced."""
        self._write("rtl", run, ("span", "blocked"), [(*f.point, f.span, f.blocked) for f in firings])

    def collect_pysim(self, run: str, firings: Iterable[SimulatedFiring]) -> None:
        """Keeps the simulated firings of ``run``; a run of the same name is replaced."""
        self._write("pysim", run, ("span", "current_dly"), [(*f.point, f.span, f.current_dly) for f in firings])

    def joined(self) -> Joined:
        """The corpus and the coverage of everything collected."""
        rtl = {
            run: [MeasuredFiring(tuple(r[:-2]), r[-2], r[-1]) for r in rows]
            for run, rows in self._read("rtl", ("span", "blocked")).items()
        }
        pysim = {
            run: [SimulatedFiring(tuple(r[:-2]), r[-2], r[-1]) for r in rows]
            for run, rows in self._read("pysim", ("span", "current_dly")).items()
        }
        return join(self.features, rtl, pysim, os.fspath(self.folder / CORPUS_FILE))

    def fit(self, *, force: bool = False) -> Fit:
        """Joins, fits and stores. Raises InputError if there is nothing to join, or on a fit of fewer points."""
        joined = self.joined()
        fit = fit_residual(joined, self.features)
        assert joined.corpus is not None
        with StagedFiles() as staged:
            self.platform.stage_fit(staged, self.folder, self.component, fit, joined.corpus, force=force)
        return fit

    def model(self, seed: LinearModel | None = None) -> LinearModel:
        """The stored residual; without one the ``seed``, or a residual of 0 that says UNCALIBRATED."""
        if not (self.folder / MODEL_FILE).exists():
            return seed or declared_residual(self.features)
        stored = load_model(self.folder)
        if not isinstance(stored.model, LinearModel):
            text = f"a residual is a linear law, not {type(stored.model).__name__}"
            raise InputError([Problem(text, os.fspath(self.folder / MODEL_FILE))])
        return stored.model

    def reset(self, *, corpus: bool = False, params: bool = False) -> None:
        """Forgets what was collected (``corpus``), the fit (``params``), or both."""
        if corpus:
            for side in ("rtl", "pysim"):
                shutil.rmtree(self.folder / side, ignore_errors=True)
            (self.folder / CORPUS_FILE).unlink(missing_ok=True)
        if params:
            (self.folder / MODEL_FILE).unlink(missing_ok=True)

    def _write(self, side: Side, run: str, numbers: tuple[str, str], rows: Iterable[Sequence[float]]) -> None:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow((*self.features, *numbers))
        writer.writerows([cell_text(float(value)) for value in row] for row in rows)
        folder = self.folder / side / check_name(run, "run")
        make_folder(folder)
        with StagedFiles() as staged, staged.open(folder / FIRINGS_FILE) as file:
            file.write(out.getvalue().encode())

    def _read(self, side: Side, numbers: tuple[str, str]) -> dict[str, list[list[float]]]:
        names = (*self.features, *numbers)
        found = {}
        for file in sorted((self.folder / side).glob(f"*/{FIRINGS_FILE}")):
            found[file.parent.name] = read_corpus(file, numeric=names).matrix(names).tolist()
        return found


def collect_step(platform: Platform, run: str, parts: Iterable[object]) -> CollectStep:
    """Keeps what the timed parts of a simulated machine recorded, instances of one component together.

    Raises InputError for a machine of which no part has a timing model.
    """
    delays: dict[str, list[TimedDelay]] = {}
    for delay in attached(parts):
        delays.setdefault(delay.component, []).append(delay)
    if not delays:
        raise InputError([Problem("no attached TimingModel: no part of this machine has one", "<machine>")])
    models = []
    for component, instances in delays.items():
        features = _features(instances[0])
        firings = [f for d in instances for f in simulated(d.firings or (), features, d.clock)]
        ComponentResidual(platform, component, features).collect_pysim(run, firings)
        models.append(CollectedModel(component, len(firings)))
    return CollectStep(run, tuple(models))


def fit_step(residuals: Iterable[ComponentResidual], *, force: bool = False) -> FitStep:
    """Fits every residual whose sides have points in common, and says of the others what each side has."""
    fitted, skipped = [], []
    for residual in residuals:
        joined = residual.joined()
        if joined.corpus is None:
            skipped.append(SkippedComponent(residual.component, "no point on both sides", joined.coverage))
        else:
            fitted.append(FittedComponent(residual.component, residual.fit(force=force).summary.n_points))
    return FitStep(tuple(fitted), tuple(skipped))


def _features(delay: TimedDelay) -> tuple[str, ...]:
    if not isinstance(delay.model, LinearModel):
        text = f"the model of {delay.component} is no residual (a linear law of its features)"
        raise InputError([Problem(text, "<machine>")])
    return tuple(delay.model.coefficients)
