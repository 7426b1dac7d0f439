"""Models made of models: a formula, a sum over parts, several targets under one roof, features derived from facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from simcore.errors import InputError, Problem, hint
from simcore.timing.confidence import Confidence, Level, weakest
from simcore.timing.fit_summary import FitSummary, confidence_of
from simcore.timing.model import Estimate, Row, TimingModel


@dataclass(frozen=True)
class FormulaModel:
    """A prior: a formula without free parameters. Checked against measurements it has a summary; nothing is fitted."""

    target: str
    formula: Callable[[Row], float]
    fit: FitSummary | None = None

    def cycles(self, row: Row) -> float:
        """The formula at ``row``, or 0 where it gives less."""
        return max(0.0, self.formula(row))

    def confidence(self, row: Row) -> Confidence:
        """UNCALIBRATED until it was checked."""
        return confidence_of(self.fit, row, {}, form="formula", law=self.formula(row), from_seed=True)


@dataclass(frozen=True)
class DerivedModel:
    """``model`` over features that ``derive`` computes from the raw facts of a firing, and from nothing else.

    Because a feature can only come from the row, a stored corpus of raw facts can always be fitted again.
    """

    model: TimingModel
    derive: Callable[[Row], Row]

    def cycles(self, row: Row) -> float:
        """The prediction from the derived features."""
        return self.model.cycles({**row, **self.derive(row)})

    def confidence(self, row: Row) -> Confidence:
        """Of the prediction for ``row``."""
        return self.model.confidence({**row, **self.derive(row)})


@dataclass(frozen=True)
class SumModel:
    """The cycles of ``parts`` one after the other. A part without a model adds 0 and says UNCALIBRATED."""

    parts: Mapping[str, TimingModel | None]

    def cycles(self, row: Row) -> float:
        """The sum over the parts that have a model."""
        return math.fsum(part.cycles(row) for part in self.parts.values() if part is not None)

    def confidence(self, row: Row) -> Confidence:
        """That of the weakest part, which is named."""
        unknown = Confidence(Level.UNCALIBRATED)
        return weakest({name: p.confidence(row) if p is not None else unknown for name, p in self.parts.items()})


@dataclass(frozen=True)
class ConcatModel:
    """Several targets of one part: each comes from the first of ``models`` that claims it (``claims`` in order)."""

    models: Mapping[str, TimingModel]
    claims: Mapping[str, Iterable[str]]
    _owner: dict[str, str] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.models:
            for target in self.claims[name]:
                self._owner.setdefault(target, name)

    @property
    def targets(self) -> tuple[str, ...]:
        """Every target that some model claims."""
        return tuple(self._owner)

    def estimates(self, row: Row) -> dict[str, Estimate]:
        """Every target's prediction for ``row``, with its own confidence."""
        return {target: self.estimate(row, target) for target in self._owner}

    def estimate(self, row: Row, target: str) -> Estimate:
        """One target's prediction. Raises InputError for a target that nobody claims."""
        if target not in self._owner:
            text = f'no model for the target "{target}" {hint(target, self.targets)}'
            raise InputError([Problem(text, "<timing model>")])
        model = self.models[self._owner[target]]
        return Estimate(model.cycles(row), model.confidence(row))

    def confidence(self, row: Row) -> Confidence:
        """That of the weakest target, which is named."""
        return weakest({target: e.confidence for target, e in self.estimates(row).items()})
