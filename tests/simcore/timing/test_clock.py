"""Cycles become ticks in one place, exactly, with one rounding."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.timing.clock import Clock

MHZ_100 = Clock.of_hz(100e6)


def test_whole_cycles_of_a_whole_period_are_exact() -> None:
    assert MHZ_100.period_ticks == 10_000
    assert MHZ_100.ticks(142) == 1_420_000
    assert MHZ_100.cycles(1_470_000) == 147


def test_a_period_that_is_no_whole_number_is_kept_exact_and_rounded_once() -> None:
    clock = Clock.of_hz(1_200_000_000)
    assert clock.period_ticks == Fraction(2500, 3)
    assert [clock.ticks(k) for k in (1, 2, 3, 3000)] == [833, 1667, 2500, 2_500_000]


def test_a_frequency_written_in_decimal_means_that_decimal() -> None:
    assert Clock.of_hz(0.1).hz == Fraction(1, 10)
    assert Clock.of_hz("250e6").hz == 250_000_000


def test_halves_go_up_and_the_rounding_of_a_fit_disappears() -> None:
    clock = Clock.of_hz(10**12)  # one tick a cycle
    assert [clock.ticks(c) for c in (0.5, 1.5, 2.4999, Fraction(7, 2))] == [1, 2, 2, 4]
    assert MHZ_100.ticks(142.00000000000003) == 1_420_000


@pytest.mark.parametrize("cycles", [-1, -0.5, float("nan"), float("inf")])
def test_a_count_of_cycles_that_is_none_is_refused(cycles: float) -> None:
    with pytest.raises(ValueError, match="count of cycles"):
        MHZ_100.ticks(cycles)


@pytest.mark.parametrize("hz", [0, -1])
def test_a_clock_that_does_not_run_is_refused(hz: int) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Clock.of_hz(hz)


def test_measured_nanoseconds_become_cycles() -> None:
    assert Clock.of_hz(1_400_000_000).cycles_of_ns(0.1) == 0.14


@given(st.integers(1, 10**10), st.fractions(0, 10**6))
def test_rounding_never_moves_a_time_by_more_than_half_a_tick(hz: int, cycles: Fraction) -> None:
    clock = Clock.of_hz(hz)
    assert abs(clock.ticks(cycles) - cycles * clock.period_ticks) <= Fraction(1, 2)
    assert clock.ticks(clock.cycles(clock.ticks(cycles))) == clock.ticks(cycles)
