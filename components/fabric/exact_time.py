"""Time inside the fabric: integers of a fraction of a picosecond, chosen so that no service time is ever rounded.

A flit on a 48 GB/s link takes 5333 1/3 ps. Rounded to ticks, a transfer's flits would drift apart over its links; in
thirds of a tick each of them is an integer. Times are rounded up to ticks only where they leave the fabric.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy.typing as npt

from simcore.units import TICKS_PER_NS

Times = npt.NDArray[Any]
"""Moments: int64, or Python integers where they could leave 64 bits."""

LONG_AGO = -(1 << 61)
"""A moment before every other one, far enough from the end of 64 bits to be added to."""

SAFE = 1 << 60
"""Moments below this, and the times between them, can be added up in 64 bits."""


@dataclass(frozen=True, slots=True)
class ExactTime:
    """The fabric's unit of time: a moment is a number of these, counted from the start of the simulation."""

    per_tick: int

    @classmethod
    def for_rates(cls, rates_gbs: Iterable[Fraction]) -> ExactTime:
        """The longest unit in which one byte takes a whole number of units at each of ``rates_gbs``."""
        return cls(lcm(*((TICKS_PER_NS / rate).denominator for rate in rates_gbs if rate)))

    def per_byte(self, rate_gbs: Fraction) -> int:
        """Units that a byte takes at ``rate_gbs``; a rate of 0 means "no delay", as in ``simcore.units``."""
        return int(TICKS_PER_NS * self.per_tick / rate_gbs) if rate_gbs else 0

    def moment(self, ticks: int) -> int:
        """The moment at which the machine's clock shows ``ticks`` picoseconds."""
        return ticks * self.per_tick

    def ticks(self, moment: int) -> int:
        """The first tick of the machine's clock that is not before ``moment``."""
        return -(-moment // self.per_tick)

    def exact_ticks(self, moment: int) -> Fraction:
        """``moment`` in picoseconds, not rounded."""
        return Fraction(moment, self.per_tick)
