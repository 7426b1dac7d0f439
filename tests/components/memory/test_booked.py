"""A booked channel grants what a channel of the kernel would, and says so ahead of the clock."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from components.memory.booked import BookedChannel
from simcore.kernel import Channel, Environment


def test_a_booking_begins_at_once_where_nobody_is_before_it() -> None:
    channel = BookedChannel()
    assert channel.book(0, 0, 10) == 0
    assert channel.book(0, 0, 10) == 10
    assert channel.book(25, 25, 5) == 25


def test_a_gap_before_a_later_booking_is_used_if_it_is_long_enough() -> None:
    channel = BookedChannel()
    assert channel.book(0, 100, 10) == 100
    assert channel.book(0, 0, 101) == 110
    assert channel.book(0, 0, 100) == 0
    assert channel.book(0, 0, 1) == 211


def test_a_booking_of_no_time_waits_for_a_free_slot_and_takes_none() -> None:
    channel = BookedChannel()
    channel.book(0, 0, 10)
    assert channel.book(3, 3, 0) == 10
    assert channel.book(3, 3, 4) == 10
    assert channel.busy_ticks == 14
    assert channel.wait_ticks == 14


def test_two_slots_serve_two_at_a_time() -> None:
    channel = BookedChannel(2)
    assert [channel.book(0, 0, 10) for _ in range(4)] == [0, 0, 10, 10]


def test_a_saved_channel_comes_back_as_it_was() -> None:
    channel = BookedChannel()
    channel.book(0, 5, 10)
    saved = channel.save()
    begins = [channel.book(0, 0, 7) for _ in range(3)]
    channel.restore(saved)
    assert [channel.book(0, 0, 7) for _ in range(3)] == begins
    assert channel.busy_ticks == 31


requests = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 30)), max_size=25)


@given(requests, st.integers(1, 3))
def test_requests_for_now_are_served_as_by_a_channel_of_the_kernel(pauses, slots: int) -> None:
    env = Environment()
    channel, booked = Channel(env, "c", slots), BookedChannel(slots)
    granted: list[tuple[int, int]] = []
    expected: list[tuple[int, int]] = []

    def one(number: int, ticks: int):
        token = channel.acquire(env.me, str(number))
        yield token
        granted.append((number, env.now))
        yield env.timeout(ticks)
        channel.release(token)

    def all_of_them():
        running = []
        for number, (pause, ticks) in enumerate(pauses):
            yield env.timeout(pause)
            expected.append((number, booked.book(env.now, env.now, ticks)))
            running.append(env.spawn(one(number, ticks), f"one{number}"))
        yield from running

    env.run(env.spawn(all_of_them(), "all"))
    assert sorted(granted) == expected
    assert booked.busy_ticks == channel.busy_ticks
    assert booked.wait_ticks == channel.wait_ticks
