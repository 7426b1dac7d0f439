"""What a bench has found: quantities as they were measured, beside what they should be by an analysis."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity in ``unit``. ``analytic``: by a closed form or by the fair-share analysis, never by the machine.

    ``tolerance``: how far they may be apart, in the same unit, both ways.
    """

    quantity: str
    measured: Number
    analytic: Number
    tolerance: Number
    unit: str

    @property
    def error(self) -> Fraction:
        """How far the measured one is above the analytic one."""
        return Fraction(self.measured) - self.analytic

    @property
    def holds(self) -> bool:
        """Whether they agree."""
        return abs(self.error) <= self.tolerance


@dataclass(frozen=True, slots=True)
class Findings:
    """``says``: what the rows show, in a sentence; ``analysis``: where the analytic numbers come from; ``because``: why
    the tolerances are what they are."""

    rows: tuple[Row, ...]
    says: str
    analysis: str
    because: str
