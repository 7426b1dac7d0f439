"""A stored platform as its reports: what it holds, and whether its numbers follow from their rows."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benches.calibrate_report.fit_report import coefficients_of, form_of, unidentified
from benches.calibrate_report.model import (
    REPORT_SCHEMA,
    SHOW_SCHEMA,
    ModelCheck,
    ModelRow,
    PlatformReport,
    PointRow,
    ShowReport,
)
from simcore.errors import InputError, Problem
from simcore.timing.bus import bus_corpus
from simcore.timing.confidence import Level
from simcore.timing.corpus import Corpus
from simcore.timing.corpus_units import in_cycles
from simcore.timing.fit import FittedModel, Weights
from simcore.timing.refit import features_of, is_same_law, refit
from simcore.timing.store.bus_store import POINTS, points_of, read_laws
from simcore.timing.store.platform import MODEL_FILE, Platform, load_corpus, load_model
from simcore.timing.store.records import StoredModel
from simcore.timing.table import LookupModel
from simcore.timing.transfers import Direction

T = TypeVar("T")


def show_report(platform: Platform) -> ShowReport:
    """What ``platform`` holds. Raises InputError with every file that cannot be read."""
    rows = _for_all(platform.model_folders(), lambda folder: _stored_row(folder, load_model(folder)))
    laws = read_laws(platform)
    rows += [_law_row(direction, law) for direction, law in laws.items()]
    return ShowReport(
        schema=SHOW_SCHEMA,
        platform=os.fspath(platform.path),
        part=platform.record.part,
        clock_hz=platform.record.clock_hz,
        models=tuple(rows),
        bus_directions=tuple(laws),
        uncalibrated=_uncalibrated(platform),
    )


def platform_report(platform: Platform) -> PlatformReport:
    """Every law of ``platform`` fitted again. Raises InputError with every file that is missing or damaged."""
    checks = _for_all(platform.model_folders(), lambda folder: _check_stored(platform, folder))
    checks += [_check_law(platform, direction, law) for direction, law in read_laws(platform).items()]
    return PlatformReport(
        schema=REPORT_SCHEMA,
        platform=os.fspath(platform.path),
        part=platform.record.part,
        clock_hz=platform.record.clock_hz,
        follows=all(check.follows is not False for check in checks),
        models=tuple(checks),
        uncalibrated=_uncalibrated(platform),
    )


def laws_of(platform: Platform) -> dict[str, FittedModel]:
    """Every stored law by the name that reports give it."""
    laws: dict[str, FittedModel] = {folder.name: load_model(folder).model for folder in platform.model_folders()}
    return laws | {f"bus.{direction}": law for direction, law in read_laws(platform).items()}


def _for_all(folders: list[Path], make: Callable[[Path], T]) -> list[T]:
    """``make`` of every folder; all faults of all folders in one error."""
    made, problems = [], list[Problem]()
    for folder in folders:
        try:
            made.append(make(folder))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return made


def _uncalibrated(platform: Platform) -> tuple[str, ...]:
    folders = sorted((platform.path / "components").glob("*/"))
    return tuple(folder.name for folder in folders if not (folder / MODEL_FILE).exists())


def _stored_row(folder: Path, stored: StoredModel) -> ModelRow:
    return _row(
        folder.name,
        "component" if folder.parent.name == "components" else "model",
        stored.model,
        r2=stored.r2,
        worst_pct=stored.max_rel_error_pct,
        left_out_pct=stored.loo_max_rel_error_pct,
        obtained=stored.provenance.obtained,
        corpus=stored.provenance.corpus,
    )


def _law_row(direction: Direction, law: FittedModel) -> ModelRow:
    worst = 100 * law.fit.max_rel_residual if law.fit else 0.0
    return _row(
        f"bus.{direction}", "bus", law, r2=None, worst_pct=worst, left_out_pct=None, obtained="fitted", corpus=POINTS
    )


def _row(
    name: str,
    kind: str,
    model: FittedModel,
    *,
    r2: float | None,
    worst_pct: float,
    left_out_pct: float | None,
    obtained: str,
    corpus: str,
) -> ModelRow:
    summary = model.fit
    level = Level.UNCALIBRATED
    if summary is not None:
        level = Level.EXACT if summary.is_exact or isinstance(model, LookupModel) else Level.INTERPOLATED
    return ModelRow(
        name=name,
        kind=kind,
        form=form_of(model),
        target=model.target,
        features=features_of(model),
        coefficients=coefficients_of(model),
        n_points=summary.n_points if summary else 0,
        r2=r2,
        max_rel_error_pct=worst_pct,
        loo_max_rel_error_pct=left_out_pct,
        identifiable=summary is not None and not summary.undetermined,
        ranges=summary.ranges if summary else {},
        confidence=level.name,
        obtained=obtained,
        corpus=corpus,
    )


def _check_stored(platform: Platform, folder: Path) -> ModelCheck:
    stored = load_model(folder)
    corpus = in_cycles(load_corpus(folder, stored), stored.model.target, platform.clock)
    return _check(_stored_row(folder, stored), stored.model, corpus, stored.provenance.weights)


def _check_law(platform: Platform, direction: Direction, law: FittedModel) -> ModelCheck:
    row, points = _law_row(direction, law), points_of(platform, direction)
    if not points:
        return ModelCheck(row, None, None, None, (), ())
    return _check(row, law, bus_corpus(points, os.fspath(platform.path / POINTS)), "none")


def _check(row: ModelRow, model: FittedModel, corpus: Corpus, weights: Weights) -> ModelCheck:
    fit = refit(model, corpus, weights)
    names = features_of(model)
    facts = [dict(zip(names, values, strict=True)) for values in corpus.matrix(names).tolist()]
    measured = corpus.numbers(model.target).tolist()
    points = []
    for point, value in zip(facts, measured, strict=True):
        predicted = model.cycles(point)
        points.append(PointRow(point, value, predicted, 100 * (predicted - value) / abs(value) if value else None))
    return ModelCheck(
        model=row,
        follows=is_same_law(model, fit.model),
        bias_pct=100 * fit.accuracy.bias,
        side=fit.accuracy.side,
        not_identifiable=unidentified(fit.not_identifiable),
        points=tuple(points),
    )
