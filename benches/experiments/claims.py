"""Claims: checked against what an experiment measures before it runs, judged by what it measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benches.experiments.document import EACH
from benches.experiments.evaluate import Compared, truth
from benches.experiments.formula import (
    Comparison,
    FormulaFault,
    Function,
    Junction,
    Name,
    Negative,
    Node,
    Not,
    Operation,
    Reading,
    parse,
    unknown,
)
from benches.experiments.works import Measured, Metric

GIVEN = Metric("given", "a number of the set-up: a field of it, or a name of its let", per="name")
"""What every kind of work can be asked for besides its own metrics."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that can be judged: ``readings`` are all that its formula reads."""

    says: str
    formula: str
    tree: Node
    readings: tuple[Reading, ...]

    @property
    def is_of_each(self) -> bool:
        """Whether it is judged once for every variant."""
        return any(reading.of[0].text == EACH for reading in self.readings)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a claim holds for ``variant`` (None: it names its variants itself), and what was compared."""

    variant: str | None
    holds: bool
    compared: tuple[Compared, ...]


def read_claim(
    says: str, formula: str, metrics: Sequence[Metric], variants: Sequence[str]
) -> Claim | list[FormulaFault]:
    """The claim, or what is wrong with its formula: its syntax, or every word that is not known."""
    try:
        tree = parse(formula, "true or false")
    except FormulaFault as fault:
        return [fault]
    known = {metric.name: metric for metric in (*metrics, GIVEN)}
    faults: list[FormulaFault] = []
    readings: list[Reading] = []
    for node in _leaves(tree):
        if isinstance(node, Reading):
            readings.append(node)
            faults += _faults(node, known, variants)
        elif isinstance(node, Name):
            faults.append(_bare(node))
    if not readings and not faults:
        faults.append(FormulaFault("it reads no result, so it holds or fails whatever is run", tree.at))
    return faults or Claim(says, formula, tree, tuple(readings))


def judge(claim: Claim, results: Mapping[str, Measured], given: Mapping[str, Mapping[str, Fraction]]) -> list[Verdict]:
    """The claim's verdicts, one for each variant if it is of each. Raises FormulaFault if it has no value."""
    verdicts = []
    for variant in results if claim.is_of_each else (None,):
        compared: list[Compared] = []
        holds = truth(claim.tree, _Results(results, given, variant), compared)
        verdicts.append(Verdict(variant, holds, tuple(compared)))
    return verdicts


@dataclass(frozen=True, slots=True)
class _Results:
    """Where a claim's formula gets its numbers."""

    results: Mapping[str, Measured]
    given: Mapping[str, Mapping[str, Fraction]]
    each: str | None

    def named(self, name: Name) -> Fraction:
        """Refused: a claim has no names but those of its readings, which were checked."""
        raise _bare(name)

    def reading(self, reading: Reading) -> Fraction:
        """The number, which a run may not have given."""
        word = reading.of[0].text
        variant = self.each if word == EACH and self.each is not None else word
        if len(reading.of) == 1:
            value = self.results[variant].single[reading.metric]
            if value is None:
                raise FormulaFault(f"{reading.metric} has no value in variant {variant}", reading.at)
            return value
        what = reading.of[1]
        is_given = reading.metric == GIVEN.name
        several = self.given[variant] if is_given else self.results[variant].several[reading.metric]
        if not several:
            raise FormulaFault(f"{reading.metric} has no value in variant {variant}", reading.at)
        if what.text not in several:
            raise unknown(f"name in variant {variant}:", what, list(several))
        return several[what.text]


def _faults(reading: Reading, known: Mapping[str, Metric], variants: Sequence[str]) -> Iterator[FormulaFault]:
    metric = known.get(reading.metric)
    if metric is None:
        yield unknown("metric", Node(reading.metric, reading.at), list(known))
    elif len(reading.of) != (1 if metric.per is None else 2):
        wanted = "(variant)" if metric.per is None else f"(variant, {metric.per})"
        yield FormulaFault(f'"{reading.text}" should be {metric.name}{wanted}: {metric.words}', reading.at)
    if reading.of and reading.of[0].text not in variants and reading.of[0].text != EACH:
        yield unknown("variant", reading.of[0], [*variants, EACH])


def _leaves(node: Node) -> Iterator[Node]:
    """The readings, names and numbers of a formula, from the left."""
    match node:
        case Operation(left=left, right=right):
            parts: tuple[Node, ...] = (left, right)
        case Function(arguments=inner) | Comparison(operands=inner) | Junction(parts=inner):
            parts = inner
        case Negative(operand=part) | Not(part=part):
            parts = (part,)
        case _:
            yield node
            return
    for part in parts:
        yield from _leaves(part)


def _bare(name: Name) -> FormulaFault:
    return FormulaFault(f'"{name.text}" alone is no number (a result is read as metric(variant))', name.at)
