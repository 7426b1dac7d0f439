"""Streaming: the first/last form, the exact form, and when they agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.timing.clock import Clock
from simcore.timing.loop import LoopModel
from simcore.timing.streaming import burst_start, firing_ends, iteration_arrivals, stream_ends, stream_outputs

TICK = Clock.of_hz(10**12)  # a cycle is a tick


def by_recurrence(arrivals: list[int], latency: int, ii: int) -> list[int]:
    outputs: list[int] = []
    for arrival in arrivals:
        floor = outputs[-1] + ii if outputs else 0
        outputs.append(max(arrival + latency, floor))
    return outputs


@pytest.mark.parametrize(
    ("arrivals", "exact", "closed"),
    [
        # The first word at 0, then a gap until 100, then one a cycle.
        ([0, *range(100, 163)], 232, 170),
        # 32 words, a gap until 200, 32 words.
        ([*range(32), *range(200, 232)], 270, 239),
    ],
)
def test_a_gap_makes_the_first_last_form_a_lower_bound(arrivals: list[int], exact: int, closed: int) -> None:
    assert stream_outputs(arrivals, 8, 2, TICK)[-1] == exact == by_recurrence(arrivals, 8, 2)[-1]
    assert stream_ends(arrivals[0], arrivals[-1], 64, 8, 2, TICK) == (8, closed)


def test_dense_arrivals_are_gated_by_the_loop_and_slow_ones_by_the_arrivals() -> None:
    assert stream_ends(0, 63, 64, 8, 2, TICK) == (8, 8 + 63 * 2)
    assert stream_ends(0, 630, 64, 8, 2, TICK) == (8, 638)
    assert stream_ends(5, 5, 1, 8, 2, TICK) == (13, 13)


ARRIVALS = st.lists(st.integers(0, 40), min_size=1, max_size=30).map(sorted)


@given(ARRIVALS, st.integers(0, 20), st.integers(0, 9))
def test_the_exact_form_is_the_recurrence_and_bounds_the_other(arrivals: list[int], latency: int, ii: int) -> None:
    outputs = stream_outputs(arrivals, latency, ii, TICK)
    assert outputs == by_recurrence(arrivals, latency, ii)
    last = len(arrivals) - 1
    assert outputs[-1] == max(a + latency + (last - k) * ii for k, a in enumerate(arrivals))
    first_out, last_out = stream_ends(arrivals[0], arrivals[-1], len(arrivals), latency, ii, TICK)
    assert first_out == outputs[0]
    assert last_out <= outputs[-1]


@given(st.integers(0, 99), st.integers(0, 30), st.integers(1, 40), st.integers(0, 20), st.integers(0, 40))
def test_evenly_spaced_arrivals_make_both_forms_equal(start: int, gap: int, m: int, latency: int, ii: int) -> None:
    arrivals = [start + gap * k for k in range(m)]
    outputs = stream_outputs(arrivals, latency, ii, TICK)
    assert stream_ends(arrivals[0], arrivals[-1], m, latency, ii, TICK) == (outputs[0], outputs[-1])


@given(ARRIVALS, st.fractions(0, 9), st.fractions(0, 9), st.integers(1, 5 * 10**12))
def test_each_output_is_rounded_once(arrivals: list[int], latency: object, ii: object, hz: int) -> None:
    clock = Clock.of_hz(hz)
    outputs = stream_outputs(arrivals, latency, ii, clock)  # type: ignore[arg-type]
    for k, out in enumerate(outputs):
        exact = max(a + (latency + (k - j) * ii) * clock.period_ticks for j, a in enumerate(arrivals[: k + 1]))  # type: ignore[operator]
        assert abs(out - exact) * 2 <= 1


def test_an_unrolled_iteration_starts_when_its_last_element_is_there() -> None:
    assert iteration_arrivals([1, 2, 3, 4, 5, 6, 7], 3) == [3, 6, 7]
    assert iteration_arrivals([1, 2, 3, 4], 2) == [2, 4]
    assert iteration_arrivals([1, 2], 1) == [1, 2]


def test_a_loop_model_gives_a_firing_its_ends() -> None:
    loop = LoopModel("cycles", "n", latency=8, ii=2, unroll=4, from_seed=True)
    assert firing_ends(loop, {"n": 63}, 100, 110, Clock.of_hz(10**9)) == (100 + 8_000, 100 + (8 + 15 * 2) * 1000)


def test_a_burst_that_ended_now_began_a_cycle_a_word_ago() -> None:
    assert burst_start(5_000_000, 10, Clock.of_hz(100e6)) == 5_000_000 - 9 * 10_000


def test_what_is_no_stream_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one iteration"):
        stream_ends(0, 5, 0, 1, 1, TICK)
    with pytest.raises(ValueError, match="at least one iteration"):
        stream_outputs([], 1, 1, TICK)
    with pytest.raises(ValueError, match="before an earlier one"):
        stream_outputs([3, 2], 1, 1, TICK)
