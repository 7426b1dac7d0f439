"""A number of a device platform, with how it was obtained."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from statistics import fmean, median

from pydantic import BaseModel, ConfigDict, Field, model_validator

from simcore.units import TICKS_PER_NS


class Obtained(StrEnum):
    """``documented``: printed by the vendor. ``measured``: read off profiles as it stands. ``fitted``: worked out from
    several measured figures. ``assumed``: no profile shows it; what rests on it is EXTRAPOLATED where it
    is taken from a related constant, else UNCALIBRATED."""

    documented = "documented"
    measured = "measured"
    fitted = "fitted"
    assumed = "assumed"


class PlatformModel(BaseModel):
    """Base of a platform's records: frozen, no unknown keys, no infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Constant(PlatformModel):
    """``value`` from ``points`` observations between ``low`` and ``high`` (None without observations)."""

    value: float = Field(strict=True)
    obtained: Obtained
    points: int = Field(ge=0, strict=True)
    low: float | None = Field(default=None, strict=True)
    high: float | None = Field(default=None, strict=True)
    source: str

    @model_validator(mode="after")
    def _observed(self) -> Constant:
        """Observations have a range, and only they do."""
        seen = self.obtained in (Obtained.measured, Obtained.fitted)
        if seen != (self.points > 0):
            raise ValueError(f"{self.obtained} from {self.points} points (measured and fitted: 1 or more, others: 0)")
        if (self.low is None) != (self.high is None) or (self.low is not None) != seen:
            raise ValueError(f"low {self.low}, high {self.high} (allowed: both for what was observed, else neither)")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low {self.low:g} is above high {self.high:g}")
        return self

    @property
    def ps(self) -> int:
        """A value in nanoseconds as whole picoseconds."""
        return round(self.value * TICKS_PER_NS)


def measured(values: Sequence[float], source: str, *, mean: bool = False) -> Constant | None:
    """The median (or mean) of ``values``; None if there is none."""
    if not values:
        return None
    middle = fmean(values) if mean else median(values)
    return Constant(
        value=_short(middle),
        obtained=Obtained.measured,
        points=len(values),
        low=_short(min(values)),
        high=_short(max(values)),
        source=source,
    )


def fitted(value: float, values: Sequence[float], source: str) -> Constant:
    """A ``value`` that was worked out from ``values``."""
    low, high = (_short(min(values)), _short(max(values))) if values else (None, None)
    return Constant(
        value=_short(value), obtained=Obtained.fitted, points=len(values), low=low, high=high, source=source
    )


def documented(value: float, source: str) -> Constant:
    """A number that the vendor prints."""
    return Constant(value=value, obtained=Obtained.documented, points=0, source=source)


def assumed(value: float, source: str) -> Constant:
    """A substitute for what no profile shows; ``source`` says why this value."""
    return Constant(value=value, obtained=Obtained.assumed, points=0, source=source)


def _short(value: float) -> float:
    return round(value, 4)
