"""The band of windows over runs that differ in what nobody can know beforehand: 5 and 95 per cent of them."""

from __future__ import annotations

from collections.abc import Sequence

BAND_PERCENT = (5, 95)
DIGITS = 3
"""Decimals of a time in ns in a report: picoseconds."""


def band_of(windows_ns: Sequence[float]) -> tuple[float, float]:
    """The two quantiles of ``windows_ns`` (at least one), linear between runs, to a picosecond."""
    import numpy as np

    low, high = np.percentile(windows_ns, BAND_PERCENT)
    return round(float(low), DIGITS), round(float(high), DIGITS)


def nearest_to_mean(windows_ns: Sequence[float]) -> int:
    """The place of the run whose window is nearest to the mean; of several the first."""
    mean = sum(windows_ns) / len(windows_ns)
    return min(range(len(windows_ns)), key=lambda k: abs(windows_ns[k] - mean))
