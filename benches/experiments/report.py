"""What ``kernbench experiment`` says, as records: the source of both its JSON and its tables."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import msgspec

from benches.experiments.claims import GIVEN, Claim, Verdict
from benches.experiments.document import SCHEMA
from benches.experiments.experiment import Experiment, Outcome
from benches.experiments.works import Metric

Value = int | float
"""An exact number as JSON has it: whole numbers whole, others as the nearest double."""


Read = dict[str, list[str | None]]


class ComparedReport(msgspec.Struct, kw_only=True):
    """One comparison; ``exact`` holds both sides as rationals."""

    left: str
    left_value: Value
    operator: str
    right: str
    right_value: Value
    exact: tuple[str, str]
    holds: bool


class VerdictReport(msgspec.Struct, kw_only=True):
    """A claim's verdict on one variant (None: the claim names its variants itself)."""

    variant: str | None
    holds: bool
    compared: list[ComparedReport]


class ClaimReport(msgspec.Struct, kw_only=True):
    """A claim; it holds if all its verdicts do."""

    says: str
    formula: str
    holds: bool
    verdicts: list[VerdictReport]


class VariantReport(msgspec.Struct, kw_only=True):
    """One variant's numbers. ``given``: those of its set-up; null: this run gives no such number.

    ``by`` holds results per lane, stream or the like; of those per instruction only what a claim reads.
    """

    name: str
    given: dict[str, Value]
    metrics: dict[str, Value | None]
    by: dict[str, dict[str, Value]]


class ExperimentReport(msgspec.Struct, kw_only=True):
    """One experiment. ``rows``: metric and what, as the table shows them."""

    id: str
    title: str
    adr: str | None
    file: str
    work: str
    holds: bool
    rows: list[tuple[str, str | None]]
    variants: list[VariantReport]
    claims: list[ClaimReport]


class Report(msgspec.Struct, kw_only=True):
    """``kernbench.experiment/1``."""

    schema: str = SCHEMA
    holds: bool
    experiments: list[ExperimentReport]


def report_of(outcomes: Iterable[Outcome]) -> Report:
    """The report of all ``outcomes``, in their order."""
    experiments = [_experiment(outcome) for outcome in outcomes]
    return Report(holds=all(experiment.holds for experiment in experiments), experiments=experiments)


def value_of(exact: Fraction) -> Value:
    """``exact`` as JSON has it."""
    return int(exact) if exact.denominator == 1 else float(exact)


def _experiment(outcome: Outcome) -> ExperimentReport:
    experiment = outcome.experiment
    read = _read_by_claims(experiment)
    return ExperimentReport(
        id=experiment.id,
        title=experiment.title,
        adr=experiment.adr,
        file=experiment.file,
        work=experiment.work,
        holds=outcome.holds,
        rows=[row for metric in experiment.metrics for row in _rows(metric, read)],
        variants=[_variant(outcome, variant.name, variant.given, read) for variant in experiment.variants],
        claims=[_claim(c, v) for c, v in zip(experiment.claims, outcome.verdicts, strict=True)],
    )


def _read_by_claims(experiment: Experiment) -> dict[str, list[str | None]]:
    """What the claims read of each metric (None where there is only one number), in the order of reading."""
    read: dict[str, dict[str | None, None]] = {}
    for claim in experiment.claims:
        for reading in claim.readings:
            if reading.metric != GIVEN.name:
                read.setdefault(reading.metric, {})[reading.of[1].text if len(reading.of) == 2 else None] = None
    return {metric: list(whats) for metric, whats in read.items()}


def _rows(metric: Metric, read: Read) -> list[tuple[str, str | None]]:
    if metric.per is None and not metric.detail:
        return [(metric.name, None)]
    return [(metric.name, what) for what in read.get(metric.name, [])]


def _variant(outcome: Outcome, name: str, given: dict[str, Fraction], read: Read) -> VariantReport:
    measured = outcome.results[name]
    by: dict[str, dict[str, Value]] = {}
    for metric in outcome.experiment.metrics:
        if metric.per is not None:
            several = measured.several[metric.name]
            wanted = read.get(metric.name, []) if metric.detail else several
            whats = [what for what in wanted if what is not None and what in several]
            by[metric.name] = {what: value_of(several[what]) for what in whats}
    return VariantReport(
        name=name,
        given={key: value_of(value) for key, value in given.items()},
        metrics={key: None if value is None else value_of(value) for key, value in measured.single.items()},
        by=by,
    )


def _claim(claim: Claim, verdicts: tuple[Verdict, ...]) -> ClaimReport:
    return ClaimReport(
        says=claim.says,
        formula=claim.formula,
        holds=all(verdict.holds for verdict in verdicts),
        verdicts=[_verdict(verdict) for verdict in verdicts],
    )


def _verdict(verdict: Verdict) -> VerdictReport:
    return VerdictReport(
        variant=verdict.variant,
        holds=verdict.holds,
        compared=[
            ComparedReport(
                left=c.left,
                left_value=value_of(c.left_value),
                operator=c.operator,
                right=c.right,
                right_value=value_of(c.right_value),
                exact=(str(c.left_value), str(c.right_value)),
                holds=c.holds,
            )
            for c in verdict.compared
        ],
    )
