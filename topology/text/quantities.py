"""Physical quantities as they are written: exact numbers whose key ends in the unit, and errors that name it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainValidator, ValidationInfo

from simcore.program.faults import kind_of

_UNITS = {
    "ns_per_mm": "ns per mm",
    "_gbs": "GB/s",
    "_ns": "ns",
    "_mm": "mm",
    "_bytes": "bytes",
    "_gib": "GiB",
    "_kib": "KiB",
    "_ghz": "GHz",
    "_flits": "flits",
    "_cycles": "cycles",
}


class Quantities(BaseModel):
    """Base of a block's quantities: frozen, without unknown keys, nothing converted silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def unit_of(key: str) -> str | None:
    """The unit that ``key`` ends in, in words; None for a plain number."""
    return next((unit for suffix, unit in _UNITS.items() if key.endswith(suffix)), None)


def number_fault(value: object, key: str, *, whole: bool = False) -> str | None:
    """What keeps ``value`` from being a finite number (whole, if so asked) in the unit of ``key``; None if nothing."""
    unit = unit_of(key)
    expected = f"a {'whole ' if whole else ''}number" + (f" of {unit}" if unit else "")
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return f"expected {expected}, got {kind_of(value)}"
    if isinstance(value, float):  # a finite number with a point is read as a Fraction
        return f"expected {expected}, got {'NaN' if math.isnan(value) else 'infinity'}"
    if whole and Fraction(value).denominator != 1:
        return f"expected {expected}, got {shown(value)}"
    return None


def shown(value: object) -> str:
    """A quantity as people write it: the shortest decimal, or a fraction where there is no finite decimal."""
    if value is None:
        return "unbounded"
    if isinstance(value, tuple | list):
        return f"[{', '.join(shown(item) for item in value)}]"
    if not isinstance(value, Fraction):
        return str(value)
    twos_and_fives = value.denominator
    digits = 0
    while twos_and_fives % 10 == 0:
        twos_and_fives, digits = twos_and_fives // 10, digits + 1
    for prime in (2, 5):
        while twos_and_fives % prime == 0:
            twos_and_fives, digits = twos_and_fives // prime, digits + 1
    if twos_and_fives != 1:
        return str(value)
    scaled = str(abs(value.numerator) * 10**digits // value.denominator).rjust(digits + 1, "0")
    whole, part = scaled[: len(scaled) - digits], scaled[len(scaled) - digits :].rstrip("0")
    return ("-" if value < 0 else "") + whole + (f".{part}" if part else "")


def _checked(above_zero: bool, *, whole: bool = False, or_none: bool = False) -> Callable[[Any, ValidationInfo], Any]:
    def check(value: Any, info: ValidationInfo) -> Fraction | int | None:
        if value is None and or_none:
            return None
        key = str(info.field_name)
        fault = number_fault(value, key, whole=whole)
        if fault is None and (value < 0 or (above_zero and value == 0)):
            unit = unit_of(key)
            bound = f"{'above 0' if above_zero else '0 or more'}{f' {unit}' if unit else ''}"
            fault = f"must be {bound}, not {shown(value)}"
        if fault is not None:
            raise ValueError(fault)
        return int(value) if whole else Fraction(value)

    return check


def _word(value: Any, info: ValidationInfo) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"expected a word, got {kind_of(value)}")
    return value


def _pair(value: Any, info: ValidationInfo) -> tuple[Fraction, Fraction]:
    key = str(info.field_name)
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"expected two numbers of {unit_of(key)}, [x, y], got {kind_of(value)}")
    for item in value:
        fault = number_fault(item, key)
        if fault is not None:
            raise ValueError(fault)
    return Fraction(value[0]), Fraction(value[1])


def _pair_above_zero(value: Any, info: ValidationInfo) -> tuple[Fraction, Fraction]:
    pair = _pair(value, info)
    if min(pair) <= 0:
        raise ValueError(f"must be above 0 {unit_of(str(info.field_name))}, not {shown(pair)}")
    return pair


Positive = Annotated[Fraction, PlainValidator(_checked(True))]
NotNegative = Annotated[Fraction, PlainValidator(_checked(False))]
MaybePositive = Annotated[Fraction | None, PlainValidator(_checked(True))]
MaybeNotNegative = Annotated[Fraction | None, PlainValidator(_checked(False))]
"""As above; None, the default, cannot be written."""
CountOrUnbounded = Annotated[int | None, PlainValidator(_checked(True, whole=True, or_none=True))]
Count = Annotated[int, PlainValidator(_checked(True, whole=True))]
MaybeCount = Annotated[int | None, PlainValidator(_checked(True, whole=True))]
MaybeWord = Annotated[str | None, PlainValidator(_word)]
MaybePair = Annotated[tuple[Fraction, Fraction] | None, PlainValidator(_pair)]
Pair = Annotated[tuple[Fraction, Fraction], PlainValidator(_pair)]
PairAboveZero = Annotated[tuple[Fraction, Fraction], PlainValidator(_pair_above_zero)]
