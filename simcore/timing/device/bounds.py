"""What the constants of a device can be: a value that no device has is refused where it is written."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Strict

from simcore.timing.device.constants import Constant

LONGEST_NS = 1e6
"""No constant of a device is longer than a millisecond: a longer one is of another unit."""


def _believable(ns: float) -> float:
    if not abs(ns) <= LONGEST_NS:
        raise ValueError(f"{ns:g} ns (allowed: at most a millisecond, {LONGEST_NS:g} ns)")
    return ns


def _not_negative(ns: float) -> float:
    if ns < 0:
        raise ValueError(f"{ns:g} ns (allowed: 0 or more)")
    return ns


def _signed(constant: Constant) -> Constant:
    _believable(constant.value)
    return constant


def _lasting(constant: Constant) -> Constant:
    _not_negative(_believable(constant.value))
    return constant


def _above_zero(constant: Constant) -> Constant:
    if not 0 < constant.value <= LONGEST_NS:
        raise ValueError(f"{constant.value:g} (allowed: above 0, at most {LONGEST_NS:g})")
    return constant


def _window(constant: Constant) -> Constant:
    if not 1 <= constant.value <= LONGEST_NS:
        raise ValueError(f"{constant.value:g} ns (allowed: 1 to {LONGEST_NS:g})")
    return constant


def _at_most_all(constant: Constant) -> Constant:
    if not 0 <= constant.value <= 1:
        raise ValueError(f"{constant.value:g} (allowed: 0 to 1)")
    return constant


Ns = Annotated[float, Strict(), AfterValidator(_believable), AfterValidator(_not_negative)]
"""A duration."""

Difference = Annotated[Constant, AfterValidator(_signed)]
"""What is left of a duration (ns) when a law or the documented cycles are taken off: it may be below 0."""

Duration = Annotated[Constant, AfterValidator(_lasting)]
"""A duration in ns."""

Rate = Annotated[Constant, AfterValidator(_above_zero)]
"""A number that something is divided or multiplied by."""

Window = Annotated[Constant, AfterValidator(_window)]
"""A duration in ns that time is cut into."""

Share = Annotated[Constant, AfterValidator(_at_most_all)]
"""A part of a whole."""
