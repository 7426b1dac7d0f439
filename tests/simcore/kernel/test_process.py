"""Processes run in the order in which they were caused, and their errors come out as they went in."""

from __future__ import annotations

import pytest

from simcore.kernel import Deadlock, Environment, InvalidYield, KernelError


class TwoArguments(Exception):
    """An error as SimPy cannot re-create it: two required arguments, of which ``args`` holds neither."""

    def __init__(self, address, bank):
        super().__init__(f"address {address} is not in bank {bank}")
        self.address = address
        self.bank = bank


def test_what_happens_at_one_instant_happens_in_the_order_of_its_cause():
    env = Environment()
    seen = []

    def story(name, *delays):
        for delay in delays:
            seen.append((name, env.now))
            yield env.timeout(delay)
        seen.append((name, env.now))

    env.spawn(story("a", 2, 2), "a")
    env.spawn(story("b", 1, 3), "b")
    env.run(env.spawn(story("c", 4, 0), "c"))
    assert seen == [
        ("a", 0),
        ("b", 0),
        ("c", 0),
        ("b", 1),
        ("a", 2),
        ("c", 4),  # caused at 0, before b's at 1 and a's at 2
        ("b", 4),
        ("a", 4),
        ("c", 4),
    ]


def test_a_process_knows_its_name_and_hands_back_its_result():
    env = Environment()

    def inner():
        yield env.timeout(3)
        return env.me.name

    def outer():
        result = yield env.spawn(inner(), "core0.inner")
        return (result, env.me.name, env.now)

    assert env.run(env.spawn(outer(), "core0.outer")) == ("core0.inner", "core0.outer", 3)
    assert env.processes == {}


def test_a_process_started_in_simpys_way_is_named_after_its_function():
    env = Environment()

    def refill():
        yield env.timeout(1)
        return env.me.name

    assert env.run(env.process(refill())) == "refill"


def test_an_event_that_has_happened_lets_a_process_go_straight_on():
    env = Environment()
    event = env.event().succeed("value")

    def story():
        yield env.timeout(5)
        return (yield event), env.now

    assert env.run(env.spawn(story(), "late")) == ("value", 5)


def test_an_error_leaves_the_run_as_the_object_it_is_with_process_and_time():
    env = Environment()
    error = TwoArguments(0x40, 3)

    def story():
        yield env.timeout(1500)
        raise error

    env.spawn(story(), "pe0.tcm")
    with pytest.raises(TwoArguments) as caught:
        env.run(env.event())
    assert caught.value is error
    assert (caught.value.address, caught.value.bank) == (0x40, 3)
    assert caught.value.__notes__ == ["in pe0.tcm at 1.5 ns"]
    assert env.now == 1500


def test_an_error_in_a_process_ends_the_run_even_if_another_waits_for_that_process():
    env = Environment()
    outlived = []

    def child():
        yield env.timeout(1)
        raise TwoArguments(1, 2)

    def parent():
        try:
            yield env.spawn(child(), "child")
        finally:
            outlived.append(env.now)

    story = parent()
    with pytest.raises(TwoArguments) as caught:
        env.run(env.spawn(story, "parent"))
    assert caught.value.__notes__ == ["in child at 0.001 ns"]
    assert outlived == []
    story.close()


def test_a_failed_event_throws_its_very_error_into_the_process_that_waits():
    env = Environment()
    error = TwoArguments(1, 2)
    event = env.event()

    def story():
        try:
            yield event
        except TwoArguments as thrown:
            yield env.timeout(4)
            return thrown

    done = env.spawn(story(), "waiter")
    event.fail(error)
    assert env.run(done) is error
    assert env.now == 4


def test_a_failed_event_that_nobody_waits_for_ends_the_run():
    env = Environment()
    error = TwoArguments(1, 2)
    env.event().fail(error)
    with pytest.raises(TwoArguments) as caught:
        env.run(env.timeout(1))
    assert caught.value is error


def test_a_completion_event_that_fails_raises_its_error():
    env = Environment()
    error = TwoArguments(1, 2)
    with pytest.raises(TwoArguments) as caught:
        env.run(env.event().fail(error))
    assert caught.value is error


def test_an_error_in_a_callback_names_the_function():
    env = Environment()
    event = env.timeout(2)

    def explode(_event):
        raise TwoArguments(1, 2)

    event.callbacks.append(explode)
    with pytest.raises(TwoArguments) as caught:
        env.run(env.event())
    assert caught.value.__notes__ == [f"in {explode.__qualname__} at 0.002 ns"]


@pytest.mark.parametrize("yielded", [5, None, "event", 1.5])
def test_yielding_something_that_is_no_event_names_the_process_and_points_at_the_line(yielded):
    env = Environment()

    def story():
        yield env.timeout(3)
        yield yielded

    with pytest.raises(InvalidYield) as caught:
        env.run(env.spawn(story(), "core0.pool"))
    assert str(caught.value) == f"core0.pool at 3 ps: yielded {yielded!r}, which is not an event"
    assert [entry.name for entry in caught.traceback][-1] == "story"


def test_a_process_cannot_be_interrupted():
    env = Environment()

    def story():
        yield env.event()

    process = env.spawn(story(), "core0.act")
    with pytest.raises(KernelError, match=r"core0.act at 0 ps: a process of the machine cannot be interrupted"):
        process.interrupt("now")


def test_a_run_ends_at_its_completion_event_and_leaves_the_rest():
    env = Environment()
    seen = []

    def story(name, delay):
        yield env.timeout(delay)
        seen.append(name)

    done = env.spawn(story("short", 3), "short")
    env.spawn(story("long", 9), "long")
    env.run(done)
    assert (seen, env.now) == (["short"], 3)
    env.run(done)
    assert (seen, env.now) == (["short"], 3)


@pytest.mark.parametrize("until", [None, 10, 10.0])
def test_a_run_until_anything_but_an_event_is_refused(until):
    with pytest.raises(KernelError, match="a run ends at its completion event"):
        Environment().run(until)


def test_a_run_cannot_be_stepped():
    with pytest.raises(KernelError, match="not stepped"):
        Environment().step()


def test_me_is_refused_outside_a_process():
    env = Environment()
    with pytest.raises(KernelError, match="outside a process"):
        _ = env.me

    def story():
        yield env.event()

    env.spawn(story(), "waits")
    with pytest.raises(Deadlock):
        env.run(env.event())
    with pytest.raises(KernelError, match="outside a process"):
        _ = env.me
