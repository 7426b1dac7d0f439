"""One call of ``kernbench calibrate fit``: its options, checked together, and the fit that they ask for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benches.calibrate_report.fit_report import fit_report
from benches.calibrate_report.model import FitReport
from simcore.errors import InputError, Problem, hint
from simcore.staged_files import StagedFiles
from simcore.timing.clock import Clock
from simcore.timing.corpus import Corpus
from simcore.timing.corpus_csv import read_corpus
from simcore.timing.corpus_units import in_cycles
from simcore.timing.fit import (
    WEIGHTS,
    Fit,
    Weights,
    best_unroll,
    check_holdout,
    fit_linear,
    fit_lookup,
    fit_loop,
    fit_table,
)
from simcore.timing.store.platform import Platform

FORMS = ("linear", "loop", "table", "lookup")
LARGEST_UNROLL = 1_000_000


@dataclass(frozen=True, slots=True)
class FitRequest:
    """The options as they were written."""

    corpus: Path
    target: str
    features: str
    form: str
    weights: str
    no_intercept: bool
    unroll: str
    where: tuple[str, ...]
    holdout: Path | None
    store: Path | None
    name: str | None
    part: str | None
    clock_hz: str | None
    force: bool


@dataclass(frozen=True, slots=True)
class _Options:
    """The options as values."""

    features: tuple[str, ...]
    weights: Weights
    unroll: tuple[int, ...]
    where: tuple[tuple[str, str], ...]
    clock_hz: int | float | None


def run_fit(request: FitRequest, staged: StagedFiles) -> FitReport:
    """Fits, and writes what is to be stored into ``staged``. Raises InputError with every option that is wrong."""
    options = _checked(request)
    platform = Platform.open(request.store) if request.store is not None else None
    if platform is not None:
        platform = platform.identified(request.part, options.clock_hz)
    clock = Clock.of_hz(options.clock_hz) if options.clock_hz is not None else platform.clock if platform else None
    columns = (request.target, *options.features)
    raw = read_corpus(request.corpus, numeric=columns, where=options.where)
    corpus = _in_known_unit(raw, request.target, clock)
    fit, unroll_r2 = _fitted(request, options, corpus)
    held_out = None
    if request.holdout is not None:
        unseen = _in_known_unit(read_corpus(request.holdout, numeric=columns), request.target, clock)
        held_out = check_holdout(fit.model, unseen, request.target)
    stored = None
    if platform is not None and request.name is not None:
        folder = platform.model_folder(request.name)
        platform.stage_fit(staged, folder, request.name, fit, raw, force=request.force)
        stored = os.fspath(folder)
    return fit_report(
        fit,
        corpus=os.fspath(request.corpus),
        unit=corpus.column(request.target).unit,
        holdout=held_out,
        unroll_r2=unroll_r2,
        stored=stored,
    )


def _fitted(request: FitRequest, options: _Options, corpus: Corpus) -> tuple[Fit, dict[int, float | None] | None]:
    match request.form:
        case "linear":
            intercept = not request.no_intercept
            fit = fit_linear(corpus, request.target, options.features, intercept=intercept, weights=options.weights)
        case "loop" if len(options.unroll) > 1:
            return best_unroll(corpus, request.target, options.features[0], options.unroll, weights=options.weights)
        case "loop":
            (unroll,) = options.unroll
            fit = fit_loop(corpus, request.target, options.features[0], unroll=unroll, weights=options.weights)
        case "table":
            fit = fit_table(corpus, request.target, options.features)
        case _:
            fit = fit_lookup(corpus, request.target, options.features)
    return fit, None


def _in_known_unit(corpus: Corpus, target: str, clock: Clock | None) -> Corpus:
    """The target in cycles where the clock is known; without one a fit is in the unit of its corpus."""
    return corpus if clock is None else in_cycles(corpus, target, clock)


def _checked(request: FitRequest) -> _Options:
    problems: list[Problem] = []
    form, features = request.form, tuple(f.strip() for f in request.features.split(",") if f.strip())
    if form not in FORMS:
        problems.append(Problem(f'unknown form "{form}" {hint(form, FORMS)}', "--form"))
    if not features:
        problems.append(Problem("no feature (expected column names, separated by commas)", "--features"))
    if form in ("loop", "table") and len(features) > 1:
        text = f"a {form} has one feature, not {len(features)}"
        problems.append(Problem(text + (" (a lookup takes several)" if form == "table" else ""), "--features"))
    if form == "linear" and "intercept" in features and not request.no_intercept:
        text = 'a feature called "intercept" beside an intercept (rename the column, or use --no-intercept)'
        problems.append(Problem(text, "--features"))
    if request.weights not in WEIGHTS:
        problems.append(Problem(f'unknown weights "{request.weights}" {hint(request.weights, WEIGHTS)}', "--weights"))
    elif request.weights != "none" and form in ("table", "lookup"):
        problems.append(Problem(f"a {form} meets its points; nothing is weighed", "--weights"))
    if request.no_intercept and form in ("table", "lookup"):
        problems.append(Problem(f"a {form} has no intercept", "--no-intercept"))
    unroll = _unroll_factors(request, problems)
    where = []
    for text in request.where:
        column, equals, cell = text.partition("=")
        if not equals or not column.strip():
            problems.append(Problem("expected COLUMN=TEXT", f"--where {text}"))
        where.append((column.strip(), cell.strip()))
    problems += _store_problems(request)
    clock_hz = _clock(request, problems)
    if problems:
        raise InputError(problems)
    weights: Weights = "inverse_square" if request.weights == "inverse_square" else "none"
    return _Options(features, weights, unroll, tuple(where), clock_hz)


def _unroll_factors(request: FitRequest, problems: list[Problem]) -> tuple[int, ...]:
    factors = []
    for text in request.unroll.split(","):
        if text.strip().isdecimal() and 1 <= int(text) <= LARGEST_UNROLL:
            factors.append(int(text))
        else:
            allowed = f"(allowed: 1 to {LARGEST_UNROLL}, or several separated by commas)"
            problems.append(Problem(f'"{text.strip()}" is no unroll factor {allowed}', "--unroll"))
    if factors and factors != [1] and request.form in FORMS and request.form != "loop":
        problems.append(Problem(f"is for --form loop, not {request.form}", "--unroll"))
    return tuple(dict.fromkeys(factors))


def _store_problems(request: FitRequest) -> list[Problem]:
    problems = []
    if (request.store is None) != (request.name is None):
        given, missing = ("--name", "--store") if request.store is None else ("--store", "--name")
        problems.append(Problem(f"needs {missing}", given))
    if request.store is None:
        for option, is_given in (("--force", request.force), ("--part", request.part is not None)):
            if is_given:
                problems.append(Problem("needs --store", option))
    return problems


def _clock(request: FitRequest, problems: list[Problem]) -> int | float | None:
    if request.clock_hz is None:
        return None
    try:
        hz = float(request.clock_hz)
    except ValueError:
        hz = 0.0
    if not 1 <= hz <= 1e12:
        problems.append(Problem(f'"{request.clock_hz}" is no clock in Hz (allowed: 1 to 1e12)', "--clock-hz"))
        return None
    return int(hz) if hz.is_integer() else hz
