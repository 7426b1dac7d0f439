"""Conversions between bytes, rates and ticks are exact, and round up to whole picoseconds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from simcore.units import ns_to_ticks, service_ticks


@pytest.mark.parametrize(
    ("nbytes", "bw_gbs", "ticks"),
    [
        (512, 512, 1000),
        (1, 512, 2),  # 1.953..
        (3, 3, 1000),
        (1, 3, 334),  # 333.3..
        (0, 512, 0),
        (10**18, 0, 0),
        (10**18, 512, 1953125000000000000),
        (45, Fraction(45, 2), 2000),
        (1, Fraction(1, 3), 3000),
    ],
)
def test_a_service_time_is_rounded_up_to_whole_ticks(nbytes: int, bw_gbs: Fraction | int, ticks: int):
    assert service_ticks(nbytes, bw_gbs) == ticks


@pytest.mark.parametrize(("duration_ns", "ticks"), [(0, 0), (5, 5000), (Fraction(1, 2), 500), (Fraction(1, 3), 334)])
def test_a_duration_is_rounded_up_to_whole_ticks(duration_ns: Fraction | int, ticks: int):
    assert ns_to_ticks(duration_ns) == ticks


def test_negative_amounts_are_refused():
    with pytest.raises(ValueError, match="negative size or bandwidth: -1 bytes at 5 GB/s"):
        service_ticks(-1, 5)
    with pytest.raises(ValueError, match="negative size or bandwidth: 1 bytes at -5 GB/s"):
        service_ticks(1, -5)
    with pytest.raises(ValueError, match="negative duration: -1 ns"):
        ns_to_ticks(-1)
