"""A number of a device platform, with how it was obtained."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from statistics import fmean, median

from pydantic import BaseModel, ConfigDict, Field

from simcore.units import TICKS_PER_NS


class Obtained(StrEnum):
    """``documented``: printed by the vendor. ``measured``: read off profiles as it stands. ``fitted``: worked out from
    several measured figures. ``assumed``: no profile shows it; a report calls what rests on it UNCALIBRATED."""

    documented = "documented"
    measured = "measured"
    fitted = "fitted"
    assumed = "assumed"


class PlatformModel(BaseModel):
    """Base of a platform's records: frozen, no unknown keys, no infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Constant(PlatformModel):
    """``value`` from ``points`` observations between ``low`` and ``high`` (None without observations)."""

    value: float
    obtained: Obtained
    points: int = Field(ge=0)
    low: float | None = None
    high: float | None = None
    source: str

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
