"""A countdown happens with the last of its arrivals."""

from __future__ import annotations

import pytest

from simcore.kernel import Countdown, CountdownMisuse, Environment


def test_a_countdown_happens_at_the_instant_of_its_last_arrival():
    env = Environment()
    latch = Countdown(env, 3, "three")
    for delay in (5, 2, 9):
        env.timeout(delay).callbacks.append(latch.arrive)
    env.run(latch)
    assert env.now == 9


def test_a_countdown_of_none_has_happened_at_once():
    env = Environment()

    def story():
        yield env.timeout(4)
        yield Countdown(env, 0, "none")
        return env.now

    assert env.run(env.spawn(story(), "story")) == 4


def test_one_arrival_too_many_is_an_error():
    env = Environment()
    latch = Countdown(env, 1, "pe0.tiles")
    latch.arrive()
    with pytest.raises(CountdownMisuse, match=r"pe0.tiles at 0 ps: one arrival more"):
        latch.arrive()
    with pytest.raises(CountdownMisuse):
        Countdown(env, 0, "none").arrive()


@pytest.mark.parametrize("arrivals", [-1, 1.0, True])
def test_a_count_that_is_no_count_is_refused(arrivals):
    with pytest.raises(CountdownMisuse, match=r"pe0.tiles at 0 ps: cannot count"):
        Countdown(Environment(), arrivals, "pe0.tiles")
