"""Times for reports: exact nanoseconds, whole numbers wherever they are, else a decimal fraction of picoseconds."""

from __future__ import annotations

from decimal import Decimal

import msgspec

Ns = int | Decimal
"""A time in nanoseconds, exactly."""


def exact_ns(ticks: int, ticks_per_ns: int) -> Ns:
    """``ticks`` as nanoseconds. ``ticks_per_ns`` is a power of ten, so that a decimal fraction is exact."""
    whole, rest = divmod(ticks, ticks_per_ns)
    if not rest:
        return whole
    return Decimal(ticks).scaleb(1 - len(str(ticks_per_ns))).normalize()


def with_exact_times(report: object) -> msgspec.Raw:
    """``report`` as JSON in which a decimal fraction is a number rather than a text."""
    return msgspec.Raw(msgspec.json.Encoder(decimal_format="number").encode(report))
