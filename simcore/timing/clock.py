"""Cycles to ticks: the one place where a number of cycles becomes simulated time, and its one rounding rule."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from simcore.units import TICKS_PER_NS

NS_PER_SECOND = 10**9

Cycles = int | float | Fraction
"""A number of cycles. A float counts as the binary fraction it is, so nothing is lost before the one rounding."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock of ``hz`` cycles a second.

    A count of cycles is multiplied by the exact rational period and rounded once, to the nearest tick, halves up. Not
    upwards, as a service time is: a fitted 142.00000000000003 cycles is 142 cycles, and no bound.
    """

    hz: Fraction

    def __post_init__(self) -> None:
        if self.hz <= 0:
            raise ValueError(f"a clock needs a frequency above 0, not {self.hz} Hz")

    @classmethod
    def of_hz(cls, hz: int | float | str | Fraction) -> Clock:
        """The clock whose frequency is written as ``hz``; 1.4e9 and 0.1 mean what they say in decimal."""
        return cls(Fraction(repr(hz)) if isinstance(hz, float) else Fraction(hz))

    @property
    def period_ticks(self) -> Fraction:
        """Ticks (picoseconds) of one cycle, exactly."""
        return TICKS_PER_NS * NS_PER_SECOND / self.hz

    def ticks(self, cycles: Cycles) -> int:
        """``cycles`` in ticks, to the nearest one. Raises ValueError for a count that is negative or not finite."""
        if isinstance(cycles, float) and not math.isfinite(cycles):
            raise ValueError(f"no count of cycles: {cycles}")
        if cycles < 0:
            raise ValueError(f"a negative count of cycles: {cycles}")
        return math.floor(Fraction(cycles) * self.period_ticks + Fraction(1, 2))

    def cycles(self, ticks: int) -> Fraction:
        """``ticks`` in cycles, exactly."""
        return ticks / self.period_ticks

    def cycles_of_ns(self, duration_ns: float) -> float:
        """A measured duration in cycles, rounded once, to the nearest double."""
        return float(Fraction(repr(duration_ns)) * self.hz / NS_PER_SECOND)
