"""Polling: the share it takes, the stretch of others, the discovery, saturation, and the wait itself."""

from __future__ import annotations

from fractions import Fraction

import pytest

from simcore.errors import InputError
from simcore.kernel import Deadlock, Environment
from simcore.timing.clock import Clock
from simcore.timing.polled_slave import PolledSlave
from simcore.timing.polling import BusPollers, PollCondition, discovery_cycles
from simcore.timing.transfers import AnchoredChannels, PortLatency, full_read, full_write, word_span

CLOCK = Clock.of_hz(10**9)


def slave(env: Environment, said: list[str] | None = None, **more: object) -> PolledSlave:
    warn = (said if said is not None else []).append
    return PolledSlave(env, "regs", CLOCK, warn=warn, **more)  # type: ignore[arg-type]


def elapsed(env: Environment, story: object) -> Fraction:
    start = env.now
    env.run(env.spawn(story, "master"))  # type: ignore[arg-type]
    return CLOCK.cycles(env.now - start)


def test_a_condition_that_already_holds_is_seen_half_an_interval_later() -> None:
    env = Environment()
    assert elapsed(env, slave(env).poll_until(0, PollCondition("Eq", 0), 11)) == 5
    assert discovery_cycles(11) == 5
    assert discovery_cycles(4) == Fraction(3, 2)
    assert discovery_cycles(0.5) == 0


def test_only_the_words_of_a_transfer_are_stretched() -> None:
    stretch = 1 / (1 - Fraction(1, 4))
    assert full_read(64, PortLatency(2, 3), 0, 1) == 69
    assert full_read(64, PortLatency(2, 3), 0, stretch) == 5 + Fraction(256, 3)  # 90.333
    assert full_read(4, PortLatency(0, 3), 0, 2) == 11
    assert full_read(1, PortLatency(0, 3), 20, 1 / (1 - Fraction(1, 7))) == 20 + Fraction(7, 6) + 3
    assert full_write(10, PortLatency(4), 2) == 24
    assert word_span(10, PortLatency(4)) == 14


def test_shares_of_all_polls_add_up_and_end_with_them() -> None:
    pollers = BusPollers("bus", [].append)
    first = pollers.start(8)
    second = pollers.start(16, beat_cost=2)
    assert (pollers.overhead, pollers.stretch) == (Fraction(1, 4), Fraction(4, 3))
    pollers.start(0)
    assert pollers.overhead == Fraction(1, 4)
    pollers.stop(first)
    assert pollers.overhead == Fraction(1, 8)
    pollers.stop(second)
    assert pollers.stretch == 1


def test_a_saturated_bus_is_slowed_a_hundred_times_and_says_so_once_per_onset() -> None:
    said: list[str] = []
    pollers = BusPollers("bus", said.append)
    ticket = pollers.start(1)
    other = pollers.start(2)
    assert pollers.stretch == 100
    assert said == ["bus is polling-bound: polls take all of it, other words are slowed 100 times"]
    pollers.stop(ticket)
    assert pollers.stretch == 2
    pollers.stop(other)
    pollers.start(1)
    assert len(said) == 2


def test_the_warning_begins_at_ninety_nine_hundredths() -> None:
    said: list[str] = []
    pollers = BusPollers("bus", said.append)
    pollers.start(1000, beat_cost=989)
    assert (said, pollers.stretch) == ([], 1 / (1 - Fraction(989, 1000)))
    pollers.start(1000)
    assert len(said) == 1


def test_a_poll_slows_the_write_that_it_waits_for_and_returns_what_it_saw() -> None:
    env = Environment()
    regs = slave(env, latency=PortLatency(4))

    def master():
        yield env.timeout(100_000)
        yield from regs.write(8, 7, words=6)

    def poll():
        value = yield from regs.poll_until(8, PollCondition("Ne", 0), 4)
        assert value == 7
        assert regs.pollers.stretch == 1

    env.spawn(master(), "writer")
    # 100 until the write, 4 + 6 * 4/3 for it, (4-1)/2 to see it.
    assert elapsed(env, poll()) == 100 + 4 + 8 + Fraction(3, 2)


def test_a_poll_takes_its_share_until_it_has_seen_the_change() -> None:
    env = Environment()
    regs = slave(env)
    env.spawn(regs.poll_until(0, PollCondition("Eq", 0), 101, beat_cost=50.5), "poll")

    def masters():
        yield env.timeout(10_000)
        yield from regs.write(4, 1, words=10)  # 10 cycles stretched twice
        assert env.now == 30_000
        yield env.timeout(70_000)
        yield from regs.write(4, 1, words=10)  # the poll ended at 50
        assert env.now == 110_000

    env.run(env.spawn(masters(), "master"))


def test_a_link_of_two_is_polled_without_slowing_anybody() -> None:
    env = Environment()
    regs = slave(env, is_shared=False)
    env.spawn(regs.poll_until(0, PollCondition("Eq", 0), 1001, beat_cost=900), "poll")
    assert elapsed(env, regs.write(4, 1, words=10)) == 10


def test_a_read_is_stretched_by_the_polls_at_its_return() -> None:
    env = Environment()
    regs = slave(env, latency=PortLatency(2, 3), access=20)

    def reader():
        value = yield from regs.read(4, words=6)
        assert value == 0

    def late_poll():
        yield env.timeout(21_000)
        yield from regs.poll_until(0, PollCondition("Eq", 0), 1001, beat_cost=500.5)

    env.spawn(late_poll(), "poll")
    assert elapsed(env, reader()) == 2 + 20 + 3 + 12


@pytest.mark.parametrize("write_other", [True, False])
def test_a_wait_costs_an_event_a_write_and_one_that_never_ends_is_a_deadlock(write_other: bool) -> None:
    env = Environment()
    regs = slave(env)
    env.spawn(regs.write(4 if write_other else 0, 3), "writer")
    with pytest.raises(Deadlock, match="register 0"):
        env.run(env.spawn(regs.poll_until(0, PollCondition("Eq", 9), 4), "poll"))


@pytest.mark.parametrize("op", ["Lt", "eq", ""])
def test_a_poll_waits_for_equal_or_different_only(op: str) -> None:
    with pytest.raises(InputError, match=r"allowed: Eq, Ne"):
        PollCondition(op, 1)


def test_what_a_poll_compares_is_a_whole_number_and_its_discovery_is_the_mean() -> None:
    with pytest.raises(InputError, match=r"whole numbers, not 1\.5"):
        PollCondition("Eq", 1.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r'unknown discovery "random" \(allowed: mean'):
        discovery_cycles(4, "random")


def test_transfers_anchored_in_the_past_wait_for_each_other_on_their_channel() -> None:
    channels = AnchoredChannels()
    assert channels.transfer("write", 0, 0, 1000) == (0, 1000)
    assert channels.transfer("write", 0, 0, 1000) == (1000, 2000)
    assert channels.transfer("read", 0, 0, 500) == (0, 500)
    assert channels.transfer("read", 400, 5000, 100, min_span=300) == (500, 5000)
    assert channels.transfer("read", 0, 0, 1) == (800, 801)


def test_a_half_duplex_memory_has_one_channel() -> None:
    channels = AnchoredChannels(half_duplex=True)
    assert channels.transfer("write", 0, 0, 1000) == (0, 1000)
    assert channels.transfer("read", 0, 0, 500) == (1000, 1500)
