"""Physical quantities as part parameters: exact, finite and never negative, whatever they were written as.

A number written as ``0.1`` is one tenth here, not the binary number next to it, so that a time computed from it rounds
up where the written number says. A field's unit stands in its name (``read_bw_gbs``); these types hold its value.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated

from pydantic import AfterValidator, Field, PlainValidator


def _amount(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ValueError(f"must be a number, not {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"must be a finite number, not {value!r}")
    if value < 0:
        raise ValueError(f"must be 0 or more, not {value!r}")
    return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)


def _above_zero(value: object) -> Fraction:
    amount = _amount(value)
    if not amount:
        raise ValueError(f"must be above 0, not {value!r}")
    return amount


def _power_of_two(number: int) -> int:
    if number & (number - 1):
        raise ValueError(f"must be a power of two, not {number}")
    return number


Gbs = Annotated[Fraction, PlainValidator(_amount)]
"""A bandwidth in GB/s, which is bytes per nanosecond."""

Ns = Annotated[Fraction, PlainValidator(_amount)]
"""A duration in nanoseconds."""

Ghz = Annotated[Fraction, PlainValidator(_above_zero)]
"""A frequency in GHz, which is cycles per nanosecond; above 0."""

Count = Annotated[int, Field(ge=1, strict=True)]
"""A number of things: whole, 1 or more."""

PowerOfTwo = Annotated[int, Field(ge=1, strict=True), AfterValidator(_power_of_two)]
"""A number of things of which an address picks one by some of its bits."""
