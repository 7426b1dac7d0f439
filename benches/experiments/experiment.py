"""An experiment: read and checked as a whole, then run variant by variant, then judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Any

from benches.experiments.claims import Claim, Verdict, judge, read_claim
from benches.experiments.document import ExperimentFile
from benches.experiments.findings import Findings, merged
from benches.experiments.formula import FormulaFault
from benches.experiments.template import Template
from benches.experiments.works import KINDS, Home, Measured, Metric, Run, Work, work_kind
from components.user_parts import load_listed_parts, own_fault
from simcore.errors import InputError, KernbenchError, ModelBug, Problem, hint
from simcore.program.faults import Path, kind_of
from simcore.program.stream.yaml_text import decode_yaml


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant, ready to run. ``given`` holds the numbers of its set-up and of its ``let``."""

    name: str
    given: dict[str, Fraction]
    run: Run


@dataclass(frozen=True, slots=True)
class Experiment:
    """A checked experiment. ``file`` is its name for people, ``data`` its bytes, for the places of later faults."""

    id: str
    title: str
    adr: str | None
    file: str
    data: bytes
    work: str
    metrics: tuple[Metric, ...]
    variants: tuple[Variant, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an experiment gave: results by variant, verdicts by claim in their order."""

    experiment: Experiment
    results: dict[str, Measured]
    verdicts: tuple[tuple[Verdict, ...], ...]

    @property
    def holds(self) -> bool:
        """Whether every claim does."""
        return all(verdict.holds for verdicts in self.verdicts for verdict in verdicts)


class VariantFailed(KernbenchError):
    """A run that could not end; ``exit_code`` is that of its cause."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def load_experiment(path: FilePath, shown_as: str | None = None) -> Experiment:
    """The experiment in ``path``, with the parts that it names loaded and each variant ready to run.

    Raises InputError with every fault; ``shown_as`` is the file's name in them.
    """
    file = str(path) if shown_as is None else shown_as
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", file)]) from error
    document = decode_yaml(data, file)
    if not isinstance(document, dict):
        raise InputError([Problem(f"expected an experiment, a mapping, got {kind_of(document)}", file, 1, 1)])
    findings = Findings()
    written = findings.checked(ExperimentFile, document, ())
    kind = _kind(document.get("base"), findings)
    if written is None or kind is None:
        findings.raise_any(data, file)
        raise ModelBug(f"{file}: neither read nor refused")
    home = Home(file, path.parent)
    inside = load_listed_parts(written.parts, path.parent, lambda k, what: findings.add(("parts", k), what))
    if inside:
        findings.add_foreign(InputError(inside))
    findings.raise_any(data, file)  # without its parts, every variant that names one would seem wrong
    variants = [_variant(name, changes, written, kind, home, findings) for name, changes in written.variants.items()]
    claims = _claims(written, kind.metrics, findings)
    findings.raise_any(data, file)
    return Experiment(
        id=written.id,
        title=written.title,
        adr=written.adr,
        file=file,
        data=data,
        work=str(written.base["work"]),
        metrics=kind.metrics,
        variants=tuple(variant for variant in variants if variant is not None),
        claims=claims,
    )


def load_experiments(files: Sequence[tuple[FilePath, str]]) -> list[Experiment]:
    """The experiments of several files, each with its name for people. Raises InputError with every fault of all."""
    experiments, problems = [], []
    for path, shown_as in files:
        try:
            experiments.append(load_experiment(path, shown_as))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return experiments


def run_experiment(experiment: Experiment) -> Outcome:
    """Runs every variant and judges every claim.

    Raises InputError for a claim that has no value (a division by zero, an instruction that is not there) and for an
    error of a user's part, VariantFailed for a run that could not end.
    """
    results = {variant.name: _run(variant, experiment) for variant in experiment.variants}
    given = {variant.name: variant.given for variant in experiment.variants}
    findings, verdicts = Findings(), []
    for k, claim in enumerate(experiment.claims):
        try:
            verdicts.append(tuple(judge(claim, results, given)))
        except FormulaFault as fault:
            findings.add_formula(("claims", k, "formula"), claim.formula, fault)
    findings.raise_any(experiment.data, experiment.file)
    return Outcome(experiment, results, tuple(verdicts))


def _kind(base: Any, findings: Findings) -> type[Work] | None:
    """The kind of work that ``base`` names; nothing is said about a base that is no mapping, as its check does."""
    if not isinstance(base, dict):
        return None
    work = base.get("work")
    if isinstance(work, str) and work in KINDS:
        return work_kind(work)
    if "work" not in base:
        findings.add(("base",), 'missing key "work"')
    else:
        got = f'"{work}"' if isinstance(work, str) else kind_of(work)
        findings.add(("base", "work"), f"unknown work {got} {hint(work, list(KINDS))}")
    return None


def _variant(
    name: str, changes: dict[str, Any], written: ExperimentFile, kind: type[Work], home: Home, findings: Findings
) -> Variant | None:
    """The variant, ready to run, or None and its faults at their places in the file."""
    own = Findings()
    template = Template(own)
    setup = merged(written.base, changes)
    if "work" in changes:
        own.add(("work",), "a variant cannot change the work: its results could not be compared", at_key=True)
    names = template.lets(setup.pop("let", {}))
    filled = template.filled(setup, names)
    checked = Findings()
    work = checked.checked(kind, filled, ())
    own.moved(checked, template.source, unless_known=True)
    run: Run | None = None
    given = dict(names)
    if work is not None and not own.found:
        given |= _numbers(work, names, own)
        ready = Findings()
        run = work.ready(home, ready)
        own.moved(ready, template.source)
    findings.moved(own, lambda path: _in_file(path, name, changes, written.base))
    return Variant(name, given, run) if run is not None and not own.found and not own.foreign else None


def _numbers(work: Work, names: dict[str, Fraction], findings: Findings) -> dict[str, Fraction]:
    numbers = work.numbers()
    for name in names:
        if name in type(work).model_fields:
            findings.add(("let", name), f'let: "{name}" is already a field of the set-up', at_key=True)
    return numbers


def _in_file(path: Path, variant: str, changes: dict[str, Any], base: dict[str, Any]) -> Path:
    """Where the value at ``path`` of the merged set-up was written: in the variant's changes, or in the base."""
    mine: Any = changes
    theirs: Any = base
    for step in path:
        if isinstance(mine, dict) and step not in mine:
            return ("base", *path)
        mine = mine[step] if isinstance(mine, dict) else None
        theirs = theirs.get(step) if isinstance(theirs, dict) else None
        if mine is None:
            break
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return ("base", *path)
    return ("variants", variant, *path)


def _claims(written: ExperimentFile, metrics: Sequence[Metric], findings: Findings) -> tuple[Claim, ...]:
    claims = []
    for k, entry in enumerate(written.claims):
        claim = read_claim(entry.says, entry.formula, metrics, list(written.variants))
        if isinstance(claim, Claim):
            claims.append(claim)
        else:
            for fault in claim:
                findings.add_formula(("claims", k, "formula"), entry.formula, fault)
    return tuple(claims)


def _run(variant: Variant, experiment: Experiment) -> Measured:
    where = f"variant {variant.name}"
    try:
        return variant.run()
    except InputError as error:
        raise InputError([_with_variant(p, variant.name, experiment) for p in error.problems]) from error
    except KernbenchError as error:
        raise VariantFailed(f"{experiment.file}: {where}: {error}", error.exit_code) from error
    except Exception as error:
        fault = own_fault(error)
        if fault is None:
            raise
        raise InputError([replace(fault, message=f"{where} of {experiment.file}: {fault.message}")]) from error


def _with_variant(problem: Problem, variant: str, experiment: Experiment) -> Problem:
    """The problem of a run, at the variant's line unless it has a line of its own."""
    message = f"variant {variant}: {problem.message}"
    if problem.line is not None or problem.file != experiment.file:
        return replace(problem, message=message)
    findings = Findings()
    findings.add(("variants", variant), f"{problem.where}: {message}" if problem.where else message, at_key=True)
    return findings.problems(experiment.data, experiment.file)[0]
