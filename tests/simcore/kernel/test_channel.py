"""A channel grants its slots in the order of request and takes each one back once."""

from __future__ import annotations

import pytest

from simcore.kernel import Channel, ChannelMisuse, Environment, KernelError


def holder(env, channel, seen, arrive, hold):
    """Asks at ``arrive``, holds a slot for ``hold`` ticks, and notes both ends."""
    me = env.me
    yield env.timeout(arrive)
    token = channel.acquire(me, f"I{arrive}")
    yield token
    seen.append((me.name, "in", env.now))
    yield env.timeout(hold)
    channel.release(token)
    seen.append((me.name, "out", env.now))


def run_holders(capacity, *stories, log=None):
    """The channel and what was seen after ``(name, arrive, hold)`` stories have all ended."""
    env = Environment(log)
    channel = Channel(env, "tcm.read", capacity)
    seen = []
    ends = [env.spawn(holder(env, channel, seen, arrive, hold), name) for name, arrive, hold in stories]
    for end in ends:
        env.run(end)
    return channel, seen


def test_one_slot_serves_one_after_another_in_the_order_of_request():
    channel, seen = run_holders(1, ("a", 0, 10), ("c", 2, 3), ("b", 1, 5))
    assert seen == [
        ("a", "in", 0),
        ("a", "out", 10),
        ("b", "in", 10),
        ("b", "out", 15),
        ("c", "in", 15),
        ("c", "out", 18),
    ]
    assert (channel.busy_ticks, channel.wait_ticks) == (18, 9 + 13)


def test_requests_of_one_instant_are_served_in_the_order_in_which_they_were_made():
    _, seen = run_holders(1, ("z", 5, 1), ("a", 5, 1), ("m", 5, 1))
    assert [name for name, what, _ in seen if what == "in"] == ["z", "a", "m"]


def test_two_slots_serve_two_at_a_time():
    channel, seen = run_holders(2, ("a", 0, 10), ("b", 0, 4), ("c", 0, 4))
    assert [entry for entry in seen if entry[1] == "in"] == [("a", "in", 0), ("b", "in", 0), ("c", "in", 4)]
    assert (channel.busy_ticks, channel.wait_ticks) == (18, 4)


def test_a_newcomer_does_not_overtake_one_who_waits_at_the_instant_of_the_release():
    # b waits since 1; at 10 a releases, and c asks right after that, before b's process has had its turn.
    env = Environment()
    channel = Channel(env, "tcm.read")
    seen = []

    def first():
        me = env.me
        token = channel.acquire(me)
        yield token
        yield env.timeout(10)
        channel.release(token)
        again = channel.acquire(me)
        yield again
        seen.append(("first again", env.now))
        channel.release(again)

    done = env.spawn(first(), "first")
    env.spawn(holder(env, channel, seen, 1, 7), "b")
    env.run(done)
    assert seen == [("b", "in", 10), ("b", "out", 17), ("first again", 17)]


def test_a_free_slot_is_granted_in_place():
    env = Environment()
    channel = Channel(env, "tcm.read")

    def story():
        yield env.timeout(3)
        token = channel.acquire(env.me)
        assert token.processed
        yield token
        return env.now

    assert env.run(env.spawn(story(), "story")) == 3


def test_busy_and_wait_times_count_what_still_holds_and_still_waits():
    env = Environment()
    channel = Channel(env, "ring", 1)
    seen = []
    env.spawn(holder(env, channel, seen, 2, 100), "a")
    env.spawn(holder(env, channel, seen, 5, 100), "b")
    env.run(env.timeout(12))
    assert (channel.busy_ticks, channel.wait_ticks) == (10, 7)


def test_a_token_may_be_released_by_another_than_who_acquired_it():
    env = Environment()
    ring = Channel(env, "ring")
    seen = []

    def trigger():
        token = ring.acquire(env.me, "D0")
        yield token
        env.timeout(8).callbacks.append(lambda _event: ring.release(token))

    env.spawn(trigger(), "trigger")
    env.run(env.spawn(holder(env, ring, seen, 1, 1), "next"))
    assert seen == [("next", "in", 8), ("next", "out", 9)]


def test_a_second_release_is_an_error():
    env = Environment()
    channel = Channel(env, "tcm.read")

    def story():
        token = channel.acquire(env.me, "I7")
        yield token
        channel.release(token)
        yield env.timeout(5)
        channel.release(token)

    with pytest.raises(ChannelMisuse) as caught:
        env.run(env.spawn(story(), "pe0.dma"))
    assert str(caught.value) == "tcm.read at 5 ps: released twice (pe0.dma for I7)"


def test_a_release_before_the_grant_is_an_error():
    env = Environment()
    channel = Channel(env, "tcm.read")

    def story():
        yield channel.acquire(env.me, "I1")
        channel.release(channel.acquire(env.me, "I2"))

    with pytest.raises(ChannelMisuse, match=r"released before it was granted \(pe0.dma for I2\)"):
        env.run(env.spawn(story(), "pe0.dma"))


def test_a_release_with_the_token_of_another_channel_is_an_error():
    env = Environment()
    read, write = Channel(env, "tcm.read"), Channel(env, "tcm.write")

    def story():
        token = read.acquire(env.me)
        yield token
        write.release(token)

    with pytest.raises(ChannelMisuse) as caught:
        env.run(env.spawn(story(), "pe0.dma"))
    assert str(caught.value) == (
        "tcm.write at 0 ps: released with a token of channel tcm.read (pe0.dma for no instruction)"
    )


@pytest.mark.parametrize("capacity", [0, -1, 1.0, True])
def test_a_capacity_that_is_no_count_is_refused(capacity):
    with pytest.raises(ChannelMisuse, match=r"tcm.read at 0 ps: capacity"):
        Channel(Environment(), "tcm.read", capacity)


def test_two_channels_of_one_name_are_refused():
    env = Environment()
    Channel(env, "tcm.read")
    with pytest.raises(KernelError, match=r"tcm.read at 0 ps: this name is already taken"):
        Channel(env, "tcm.read")


def test_the_log_has_a_row_for_every_grant_and_release_in_order():
    log = []
    run_holders(1, ("a", 0, 10), ("b", 1, 5), log=log)
    assert log == [
        (0, "tcm.read", "grant", "I0", "a"),
        (10, "tcm.read", "release", "I0", "a"),
        (10, "tcm.read", "grant", "I1", "b"),
        (15, "tcm.read", "release", "I1", "b"),
    ]
