"""The PE's throttle: windows, the share that keeps it fast, work that crosses windows, recorded states."""

from __future__ import annotations

import pytest

from components.device.throttle import FULL, HALF, RecordedThrottle, WorkShareThrottle
from components.registry import build
from simcore.kernel import Environment, PartError


def throttle(**given: object) -> WorkShareThrottle:
    parameters = {"window_ps": 800, "needed_ps": 300, "phase_ps": 0, "half_speed": True, "full_speed": True, **given}
    part = build(Environment(), "device_throttle", "pe.throttle", parameters, {})
    assert isinstance(part, WorkShareThrottle)
    return part


def test_it_starts_at_half_speed():
    pe = throttle()
    assert pe.speed(0) == HALF
    assert pe.work(0, 100) == 200


def test_a_window_after_enough_work_runs_at_full_speed():
    pe = throttle()
    assert pe.work(0, 300) == 600
    assert pe.speed(799) == HALF
    assert pe.speed(800) == FULL


def test_a_window_after_too_little_work_runs_at_half_speed():
    pe = throttle()
    pe.work(0, 299)
    assert pe.speed(800) == HALF


def test_only_the_window_before_counts():
    pe = throttle()
    pe.work(0, 400)
    assert pe.speed(800) == FULL
    assert pe.speed(1600) == HALF


def test_work_that_crosses_a_window_goes_on_at_the_new_speed():
    """400 of 500 in the first window (half speed), the other 100 in the second (full speed)."""
    assert throttle().work(0, 500) == 900


def test_the_phase_moves_the_grid():
    pe = throttle(phase_ps=500)
    assert pe.work(0, 150) == 300
    assert pe.speed(300) == HALF
    assert throttle(phase_ps=0).work(0, 500) != throttle(phase_ps=500).work(0, 500)


@pytest.mark.parametrize(("given", "end"), [({"half_speed": False}, 1000), ({"full_speed": False}, 2000)])
def test_a_speed_can_be_left_out(given: dict[str, bool], end: int):
    assert throttle(**given).work(0, 1000) == end


def test_it_tells_its_windows():
    pe = throttle()
    pe.work(0, 400)
    assert pe.windows(1700) == [(0, False), (800, True), (1600, False)]


def test_recorded_states_replace_the_rule():
    part = build(Environment(), "device_throttle", "t", {"full_ps": ((100, 300),)}, {}, "recorded")
    assert isinstance(part, RecordedThrottle)
    assert [part.speed(at) for at in (0, 99, 100, 299, 300)] == [HALF, HALF, FULL, FULL, HALF]
    assert part.work(0, 300) == 400
    assert part.windows(1000) == [(0, False), (100, True), (300, False)]


def test_work_in_the_past_is_refused():
    with pytest.raises(PartError, match=r"pe\.throttle .* from now on"):
        throttle().work(-1, 10)
