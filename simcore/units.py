"""Units of time and rate: integer nanoseconds in PerfSim, integer picosecond ticks in the machine.

GB/s times ns is bytes, so a bandwidth in GB/s is also bytes per nanosecond. Every conversion between bytes, rates
and ticks happens here, in exact rational arithmetic.
"""

from __future__ import annotations

from fractions import Fraction

TICKS_PER_NS = 1000
"""Machine ticks (picoseconds) in one nanosecond."""


def service_ticks(nbytes: int, bw_gbs: Fraction | int) -> int:
    """Ticks to move ``nbytes`` at ``bw_gbs`` GB/s, rounded up: ``ceil(nbytes * 1000 / bw_gbs)``.

    A bandwidth of 0 means "no delay" and gives 0. Raises ValueError for a negative size or bandwidth.
    """
    if nbytes < 0 or bw_gbs < 0:
        raise ValueError(f"negative size or bandwidth: {nbytes} bytes at {bw_gbs} GB/s")
    if bw_gbs == 0:
        return 0
    rate = Fraction(bw_gbs)
    return -(-nbytes * TICKS_PER_NS * rate.denominator // rate.numerator)


def ns_to_ticks(duration_ns: Fraction | int) -> int:
    """Ticks of ``duration_ns`` nanoseconds, rounded up. Raises ValueError for a negative duration."""
    if duration_ns < 0:
        raise ValueError(f"negative duration: {duration_ns} ns")
    return -(-duration_ns.numerator * TICKS_PER_NS // duration_ns.denominator)
