"""Events without end at one instant are reported with the set that repeats."""

from __future__ import annotations

import pytest

from simcore.kernel import Environment, Livelock, Port


def test_two_processes_that_wake_each_other_for_ever_are_named_with_their_events():
    env = Environment(instant_limit=200)
    there, back = Port(env, "there", int), Port(env, "back", int)

    def echo(source, sink, name):
        process = env.spawn(relay(source, sink), name)
        source.attach("in", process)
        sink.attach("out", process)

    def relay(source, sink):
        while True:
            sink.put((yield source.get()))

    def bystander():
        yield env.timeout(5)
        there.put(1)

    echo(there, back, "core0.ping")
    echo(back, there, "core0.pong")
    env.spawn(bystander(), "bystander")
    with pytest.raises(Livelock) as caught:
        env.run(env.event())
    assert str(caught.value) == (
        "livelock at 0.005 ns: more than 200 events at one instant; these repeat:\n"
        "    core0.ping woken by a message at port there, 99 times\n"
        "    core0.pong woken by a message at port back, 99 times"
    )
    assert (caught.value.now_ticks, caught.value.exit_code, caught.value.fault) == (5, 3, "model")


def test_a_loop_without_delay_is_a_livelock():
    env = Environment(instant_limit=3000)

    def poll():
        yield env.timeout(2)
        while True:
            yield env.timeout(0)

    with pytest.raises(Livelock) as caught:
        env.run(env.spawn(poll(), "core0.sp"))
    assert caught.value.repeating == (("core0.sp woken by a delay of 0 ps", 1000),)


def burst(env, length):
    """``length`` events at instant 4, then one at 5."""
    yield env.timeout(4)
    for _ in range(length - 1):
        yield env.timeout(0)
    yield env.timeout(1)


def test_exactly_the_limit_at_one_instant_is_allowed_and_one_more_is_not():
    env = Environment(instant_limit=50)
    env.run(env.spawn(burst(env, 50), "burst"))
    assert env.now == 5
    env = Environment(instant_limit=50)
    with pytest.raises(Livelock):
        env.run(env.spawn(burst(env, 51), "burst"))


def test_the_count_starts_again_at_every_instant():
    env = Environment(instant_limit=10)

    def story():
        for _ in range(20):
            yield from burst(env, 9)

    env.run(env.spawn(story(), "story"))
    assert env.now == 100


def test_only_the_events_of_the_instant_that_does_not_end_are_reported():
    env = Environment(instant_limit=10)

    def story():
        yield from burst(env, 9)
        yield env.timeout(7)
        while True:
            yield env.process(child())

    def child():
        yield env.timeout(0)

    with pytest.raises(Livelock) as caught:
        env.run(env.spawn(story(), "story"))
    assert (caught.value.now_ticks, caught.value.repeating) == (
        12,
        (
            ("child woken by its start", 3),
            ("child woken by a delay of 0 ps", 3),
            ("story woken by the end of process child", 3),
        ),
    )


def test_many_different_events_at_one_instant_say_that_the_limit_may_be_too_low():
    env = Environment(instant_limit=30)

    def once():
        yield env.timeout(1)

    for number in range(40):
        env.spawn(once(), f"p{number}")
    with pytest.raises(Livelock, match="none of the last ones repeats, so the limit may be too low"):
        env.run(env.event())


def test_an_event_that_nobody_waits_for_is_named_so():
    env = Environment(instant_limit=5)

    def flood(_event=None):
        env.timeout(0)
        env.timeout(0).callbacks.append(flood)

    flood()
    with pytest.raises(Livelock) as caught:
        env.run(env.event())
    assert caught.value.repeating == (
        ("nobody woken by a delay of 0 ps", 3),
        (f"{flood.__qualname__} woken by a delay of 0 ps", 2),
    )
