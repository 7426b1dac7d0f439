"""The clock counts whole picoseconds, and nothing else moves it."""

from __future__ import annotations

import enum
from fractions import Fraction

import numpy as np
import pytest
import simpy

from simcore.kernel import DelayRefused, Environment, KernelError, Timeout, show_ticks


class Level(enum.IntEnum):
    HIGH = 1


REFUSED = {
    "a float": (1.5, "round to whole picoseconds"),
    "a whole float": (2.0, "round to whole picoseconds"),
    "NaN": (float("nan"), "round to whole picoseconds"),
    "infinity": (float("inf"), "round to whole picoseconds"),
    "a fraction": (Fraction(3), "round to whole picoseconds"),
    "True": (True, "a truth value is not a time"),
    "a numpy integer": (np.int64(3), "convert it once with int()"),
    "a numpy float": (np.float64(3), "convert it once with int()"),
    "a negative int": (-1, "the clock does not run backwards"),
    "nothing": (None, "round to whole picoseconds"),
    "text": ("3", "round to whole picoseconds"),
    "an enumeration": (Level.HIGH, "round to whole picoseconds"),
}

ENTRANCES = {
    "timeout": lambda env, delay: env.timeout(delay),
    "succeed_in": lambda env, delay: env.succeed_in(env.event(), delay),
    "schedule": lambda env, delay: env.schedule(env.event(), delay=delay),
    "Timeout": Timeout,
}


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("kind", REFUSED)
def test_a_delay_that_is_not_whole_ticks_is_refused_naming_the_process_and_the_time(kind, entrance):
    delay, advice = REFUSED[kind]
    env = Environment()

    def story():
        yield env.timeout(7)
        ENTRANCES[entrance](env, delay)

    with pytest.raises(DelayRefused) as caught:
        env.run(env.spawn(story(), "pe0.dma"))
    assert (caught.value.where, caught.value.now_ticks, env.now) == ("pe0.dma", 7, 7)
    assert f"not {delay!r} of type {type(delay).__name__}" in str(caught.value)
    assert advice in str(caught.value)


def test_simpys_own_timeout_cannot_bring_in_a_float_either():
    env = Environment()
    with pytest.raises(DelayRefused, match=r"\(no process\) at 0 ps: .* not 0.5 of type float"):
        simpy.Timeout(env, 0.5)


def test_a_refused_delay_leaves_the_event_still_to_happen():
    env = Environment()
    event = env.event()
    with pytest.raises(DelayRefused):
        env.succeed_in(event, 1.0)  # type: ignore[arg-type]
    assert not event.triggered
    env.succeed_in(event, 3, "late")
    assert (env.run(event), env.now) == ("late", 3)


def test_an_event_cannot_be_made_to_happen_twice():
    env = Environment()
    event = env.event()
    env.succeed_in(event, 3)
    with pytest.raises(KernelError, match="already made to happen"):
        env.succeed_in(event, 5)
    with pytest.raises(RuntimeError, match="already been triggered"):
        event.succeed()


def test_ten_tenths_of_a_nanosecond_are_one():
    env = Environment()

    def story():
        for _ in range(10):
            yield env.timeout(100)

    env.run(env.spawn(story(), "ten"))
    assert env.now == 1000
    assert type(env.now) is int


def test_time_beyond_64_bits_stays_exact():
    env = Environment()
    env.run(env.timeout(2**70 + 1))
    assert env.now == 2**70 + 1


@pytest.mark.parametrize(
    ("ticks", "text"), [(0, "0 ns"), (1, "0.001 ns"), (500, "0.5 ns"), (10_000, "10 ns"), (12_340, "12.34 ns")]
)
def test_ticks_are_shown_exactly(ticks, text):
    assert show_ticks(ticks) == text
