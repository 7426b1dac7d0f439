"""How far a prediction can be believed: one of four levels, and the facts that led to it.

Levels and their rules follow the public waveflow project (github.com/sdrangan/waveflow, its model-calibration pages).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import msgspec


class Level(IntEnum):
    """From least to most: sorting levels puts what needs attention first, and the minimum is the weakest."""

    UNCALIBRATED = 0
    """No fit behind the number: a seed, or parameters that do not say what they were fitted on."""
    EXTRAPOLATED = 1
    """The query lies outside what was measured. Outranks exactness: a law is confirmed only where it was measured."""
    INTERPOLATED = 2
    """Inside what was measured, by a fit that misses its points or that has no more points than parameters."""
    EXACT = 3
    """Inside, and the form gives every calibration point back although it had fewer parameters than points."""


class Facts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a level rests on; only what applies is set."""

    model_form: str = ""
    from_seed: bool | None = None
    has_fitted_params: bool | None = None
    """Parameters without a record of their fit: real numbers whose range is not known."""
    outside: dict[str, tuple[float, float, float]] = {}
    """Per feature outside its range: the value asked for, and the lowest and highest one measured."""
    undetermined: tuple[str, ...] = ()
    """Relations that held at every measured point and that the query breaks: the points cannot tell its cost."""
    form_exact: bool | None = None
    """Beside EXTRAPOLATED: whether the form gave every measured point back."""
    degenerate_fit: bool = False
    n_points: int | None = None
    max_abs_residual: float | None = None
    max_rel_residual: float | None = None
    below_zero: float | None = None
    """What the law says where it says less than nothing; the prediction is then 0."""
    clamped: bool = False
    clamped_to: float | None = None
    """A table asked beyond its end answers with the value at this end."""
    unmeasured: bool = False
    """A lookup of a point that the table does not hold."""
    weakest: tuple[str, ...] = ()
    """The members of a composite that its level comes from."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """A level and its facts."""

    level: Level
    facts: Facts = field(default_factory=Facts)

    @property
    def summary(self) -> str:
        """The level and its reason in one line."""
        return f"{self.level.name}: {'; '.join(self._reasons()) or _MEANING[self.level]}"

    def to_json(self) -> dict[str, Any]:
        """``{"level": ..., fact: ...}``, of values that JSON has."""
        facts = msgspec.json.decode(msgspec.json.encode(self.facts))
        return {"level": self.level.name, **facts}

    def _reasons(self) -> list[str]:
        facts = self.facts
        reasons = [f"{f}={v:g} is outside {lo:g}..{hi:g}" for f, (v, lo, hi) in facts.outside.items()]
        reasons += [f"off {relation}" for relation in facts.undetermined]
        if facts.from_seed:
            reasons.append("runs on its seed, never fitted")
        if facts.has_fitted_params:
            reasons.append("its parameters come without a record of their fit")
        if facts.degenerate_fit:
            reasons.append("no more points than parameters, so matching them proves nothing")
        if facts.unmeasured:
            reasons.append("no measurement of this point")
        if facts.below_zero is not None:
            reasons.append(f"the law gives {facts.below_zero:g}, counted as 0")
        if facts.weakest:
            reasons.append(f"weakest: {', '.join(facts.weakest)}")
        return reasons


_MEANING = {
    Level.UNCALIBRATED: "no fit behind it",
    Level.EXTRAPOLATED: "outside what was measured",
    Level.INTERPOLATED: "inside what was measured",
    Level.EXACT: "inside what was measured, and exact at every measured point",
}


def weakest(members: Mapping[str, Confidence]) -> Confidence:
    """The confidence of a number that rests on all ``members``: the lowest level, naming who brought it there."""
    if not members:
        return Confidence(Level.UNCALIBRATED)
    level = min(member.level for member in members.values())
    return Confidence(level, Facts(weakest=tuple(name for name, m in members.items() if m.level is level)))
