"""A run that cannot go on says who holds, who waits, for which instruction and since when."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict

from simcore.errors import KernbenchError
from simcore.kernel import Channel, Countdown, Deadlock, Environment, Part, Port, PortSpec, Waiting


class Nothing(BaseModel):
    model_config = ConfigDict(frozen=True)


class Bystander(Part[Nothing]):
    """A part that does nothing by itself."""


def take_both(env, first, second, instruction, pause):
    """Holds ``first``, and after ``pause`` ticks wants ``second`` too."""
    me = env.me
    yield first.acquire(me, f"{instruction}.a")
    yield env.timeout(pause)
    yield second.acquire(me, f"{instruction}.b")


def deadlock_of(env, until=None):
    with pytest.raises(Deadlock) as caught:
        env.run(env.event() if until is None else until)
    return caught.value


def test_two_channels_held_crosswise_print_their_cycle():
    env = Environment()
    left, right = Channel(env, "left"), Channel(env, "right")
    env.spawn(take_both(env, left, right, "I0", 2000), "core0.pool")
    env.spawn(take_both(env, right, left, "I1", 3500), "core0.act")
    error = deadlock_of(env)
    assert str(error) == (
        "deadlock at 3.5 ns, the model's fault: nothing is left to happen, but the program is not done"
        " (2 blocked, 0 idle)\n"
        "  each waits for the next, the last for the first:\n"
        "    core0.pool (for I0.b) waits since 2 ns for channel right, held by core0.act (for I1.a) since 0 ns\n"
        "    core0.act (for I1.b) waits since 3.5 ns for channel left, held by core0.pool (for I0.a) since 0 ns\n"
        "  left in the machine:\n"
        "    channel left: 1 of 1 slots held, 1 waiting\n"
        "    channel right: 1 of 1 slots held, 1 waiting"
    )
    assert isinstance(error, KernbenchError)
    assert (error.now_ticks, error.fault, error.exit_code) == (3500, "model", 3)
    assert [(wait.waiter, wait.on, wait.since_ticks) for wait in error.cycle] == [
        ("core0.pool", "channel right", 2000),
        ("core0.act", "channel left", 3500),
    ]
    assert error.roots == ()


def test_a_cycle_of_three_is_told_from_those_who_are_held_up_behind_it():
    env = Environment()
    a, b, c = Channel(env, "a"), Channel(env, "b"), Channel(env, "c")

    def bystander():
        yield env.timeout(9)
        yield a.acquire(env.me, "I9")

    env.spawn(bystander(), "behind")
    env.spawn(take_both(env, a, b, "I0", 1), "first")
    env.spawn(take_both(env, b, c, "I1", 1), "second")
    env.spawn(take_both(env, c, a, "I2", 1), "third")
    error = deadlock_of(env)
    assert [(wait.waiter, wait.on) for wait in error.cycle] == [
        ("first", "channel b"),
        ("second", "channel c"),
        ("third", "channel a"),
    ]
    assert [wait.waiter for wait in error.blocked] == ["behind", "first", "second", "third"]
    assert (
        "  also blocked:\n    behind (for I9) waits since 0.009 ns for channel a, held by first (for I0.a) since 0 ns"
        in str(error)
    )


def test_a_process_that_wants_a_slot_twice_waits_for_itself():
    env = Environment()
    channel = Channel(env, "ring")
    env.spawn(take_both(env, channel, channel, "I0", 5), "core0.dma")
    assert [(wait.waiter, wait.on) for wait in deadlock_of(env).cycle] == [("core0.dma", "channel ring")]


def test_every_holder_of_a_wide_channel_is_named():
    env = Environment()
    ring = Channel(env, "ring", 2)

    def keep(instruction):
        yield ring.acquire(env.me, instruction)
        yield env.event()

    env.spawn(keep("I0"), "one")
    env.spawn(keep("I1"), "two")
    env.spawn(keep("I2"), "three")
    error = deadlock_of(env)
    assert [str(wait) for wait in error.blocked] == [
        "one waits since 0 ns for an event",
        "two waits since 0 ns for an event",
        "three (for I2) waits since 0 ns for channel ring,"
        " held by one (for I0) since 0 ns, held by two (for I1) since 0 ns",
    ]
    assert error.cycle == ()
    assert [wait.waiter for wait in error.roots] == ["one", "two"]


def test_an_event_that_nobody_will_make_happen_is_the_root_and_no_cycle():
    env = Environment()
    lost = env.event()

    def waiter():
        me = env.me
        yield env.timeout(4)
        yield me.waiting_on(lost, "the doorbell of ring 3", "D7")

    def follower(process):
        yield process

    first = env.spawn(waiter(), "core0.dma")
    env.spawn(follower(first), "core0.sp")
    assert str(deadlock_of(env)) == (
        "deadlock at 0.004 ns, the model's fault: nothing is left to happen, but the program is not done"
        " (2 blocked, 0 idle)\n"
        "  nobody will end these waits:\n"
        "    core0.dma (for D7) waits since 0.004 ns for the doorbell of ring 3\n"
        "  also blocked:\n"
        "    core0.sp waits since 0 ns for the end of process core0.dma"
    )


def test_a_channel_that_was_never_released_shows_its_holder_though_it_has_ended():
    env = Environment()
    channel = Channel(env, "tcm.read")

    def forget():
        yield channel.acquire(env.me, "I0")

    env.spawn(forget(), "pe0.fetch")
    env.spawn(take_both(env, channel, Channel(env, "tcm.write"), "I1", 1), "pe0.store")
    error = deadlock_of(env)
    assert [str(wait) for wait in error.roots] == [
        "pe0.store (for I1.a) waits since 0 ns for channel tcm.read, held by pe0.fetch (for I0) since 0 ns"
    ]


def test_a_wait_that_the_program_asked_for_makes_it_the_programs_fault():
    env = Environment()

    def engine(other, instruction):
        me = env.me
        yield me.waiting_on(env.event(), processes[other], instruction, by_program=True)

    processes = []
    processes += [env.spawn(engine(1, "I0"), "core0.pe"), env.spawn(engine(0, "I1"), "core0.act")]
    error = deadlock_of(env)
    assert [(wait.waiter, wait.on, wait.instruction) for wait in error.cycle] == [
        ("core0.pe", "core0.act", "I0"),
        ("core0.act", "core0.pe", "I1"),
    ]
    assert (error.fault, error.exit_code) == ("program", 2)
    assert "the program's fault" in str(error)


def test_a_root_that_the_program_asked_for_makes_it_the_programs_fault():
    env = Environment()

    def engine():
        yield env.me.waiting_on(env.event(), "semaphore 3", "I5", by_program=True)

    env.spawn(engine(), "core0.pe")
    error = deadlock_of(env)
    assert [str(wait) for wait in error.roots] == ["core0.pe (for I5) waits since 0 ns for semaphore 3"]
    assert error.exit_code == 2


def test_a_note_holds_only_for_the_event_it_was_made_for():
    env = Environment()

    def engine():
        yield env.me.waiting_on(env.timeout(3), "semaphore 3", "I5", by_program=True)
        yield env.event()

    env.spawn(engine(), "core0.pe")
    error = deadlock_of(env)
    assert [str(wait) for wait in error.roots] == ["core0.pe waits since 0.003 ns for an event"]
    assert error.exit_code == 3


def test_a_note_about_a_channel_shows_and_follows_its_holders():
    env = Environment()
    ring, other = Channel(env, "ring"), Channel(env, "other")

    def notified():
        me = env.me
        yield other.acquire(me, "I0")
        yield env.timeout(1)
        yield me.waiting_on(env.event(), ring, "I1")

    env.spawn(notified(), "notified")
    env.spawn(take_both(env, ring, other, "I2", 1), "keeper")
    assert [str(wait) for wait in deadlock_of(env).cycle] == [
        "notified (for I1) waits since 0.001 ns for channel ring, held by keeper (for I2.a) since 0 ns",
        "keeper (for I2.b) waits since 0.001 ns for channel other, held by notified (for I0) since 0 ns",
    ]


def test_a_part_owes_through_each_of_its_processes():
    env = Environment()
    channel = Channel(env, "lock")
    part = Bystander(env, "pe0.gemm", Nothing(), {})

    def client():
        me = env.me
        yield channel.acquire(me, "I0")
        yield me.waiting_on(env.event(), part, "I0")

    def inner():
        yield env.timeout(1)
        yield channel.acquire(env.me, "I1")

    env.spawn(client(), "pe0.sched")
    part.spawn(inner(), "array")
    assert [(wait.waiter, wait.on) for wait in deadlock_of(env).cycle] == [
        ("pe0.sched", "pe0.gemm"),
        ("pe0.gemm.array", "channel lock"),
    ]


def test_a_request_that_a_part_left_a_callback_on_is_told_by_the_channel():
    env = Environment()
    channel = Channel(env, "lock")
    part = Bystander(env, "pe0.gemm", Nothing(), {})
    channel.acquire(part, "I0")
    channel.acquire(part, "I1").callbacks.append(print)
    assert [str(wait) for wait in deadlock_of(env).cycle] == [
        "pe0.gemm (for I1) waits since 0 ns for channel lock, held by pe0.gemm (for I0) since 0 ns"
    ]


def test_a_part_tells_itself_what_it_left_a_callback_on():
    class Engine(Part[Nothing]):
        """Waits for a dependency in a callback."""

        def waiting(self):
            yield Waiting("the end of I4", "I5", 12_000)

    env = Environment()
    Engine(env, "core0.pe", Nothing(), {})
    assert [str(wait) for wait in deadlock_of(env).roots] == ["core0.pe (for I5) waits since 12 ns for the end of I4"]


def test_a_condition_is_told_as_the_events_that_are_still_to_come():
    env = Environment()
    left, right = Channel(env, "left"), Channel(env, "right")

    def both():
        me = env.me
        yield left.acquire(me, "I0")
        yield env.timeout(2)
        yield env.timeout(1) & (right.acquire(me, "I1") | Countdown(env, 2, "tiles"))

    env.spawn(both(), "core0.pool")
    env.spawn(take_both(env, right, left, "I2", 1), "core0.act")
    error = deadlock_of(env)
    assert [(wait.waiter, wait.on) for wait in error.blocked] == [
        ("core0.pool", "channel right"),
        ("core0.pool", "countdown tiles (2 still to arrive)"),
        ("core0.act", "channel left"),
    ]
    assert [wait.waiter for wait in error.cycle] == ["core0.pool", "core0.act"]


class Relay(Part[Nothing]):
    """Passes on what it gets."""

    port_specs = (PortSpec("source", "in", int), PortSpec("sink", "out", int))

    def __init__(self, env, name, parameters, ports):
        super().__init__(env, name, parameters, ports)
        self.spawn(self.relay(), "relay")

    def relay(self):
        while True:
            message = yield self.ports["source"].get()
            self.ports["sink"].put(message)


def ring_of_relays(env):
    """Two relays that feed each other."""
    there, back = Port(env, "there", int), Port(env, "back", int)
    Relay(env, "one", Nothing(), {"source": back, "sink": there})
    return Relay(env, "two", Nothing(), {"source": there, "sink": back})


def test_receivers_without_a_message_are_idle_and_no_cycle():
    env = Environment()
    ring_of_relays(env)
    assert str(deadlock_of(env)) == (
        "deadlock at 0 ns, the model's fault: nothing is left to happen, but the program is not done"
        " (0 blocked, 2 idle)\n"
        "  idle:\n"
        "    one.relay waits since 0 ns for a message at port back\n"
        "    two.relay waits since 0 ns for a message at port there"
    )


def test_a_cycle_may_lead_through_a_receiver_that_will_get_no_message():
    env = Environment()
    client_port, sink = Port(env, "client->relay", int), Port(env, "relay->sink", int)
    relay = Relay(env, "relay", Nothing(), {"source": client_port, "sink": sink})
    sink.attach("in", relay)

    def client():
        me = env.me
        yield env.timeout(1)
        yield me.waiting_on(env.event(), relay, "I0")

    client_port.attach("out", env.spawn(client(), "client"))
    assert [(wait.waiter, wait.on) for wait in deadlock_of(env).cycle] == [
        ("client", "relay"),
        ("relay.relay", "a message at port client->relay"),
    ]


def test_a_cycle_of_holders_is_told_rather_than_one_through_a_receiver():
    env = Environment()
    client_port, sink = Port(env, "client->relay", int), Port(env, "relay->sink", int)
    relay = Relay(env, "relay", Nothing(), {"source": client_port, "sink": sink})
    sink.attach("in", relay)

    def client():
        yield env.me.waiting_on(env.event(), relay, "I0")

    client_port.attach("out", env.spawn(client(), "client"))
    left, right = Channel(env, "left"), Channel(env, "right")
    env.spawn(take_both(env, left, right, "I1", 1), "core0.pool")
    env.spawn(take_both(env, right, left, "I2", 1), "core0.act")
    error = deadlock_of(env)
    assert [wait.waiter for wait in error.cycle] == ["core0.pool", "core0.act"]
    assert [wait.waiter for wait in error.blocked] == ["client", "core0.pool", "core0.act"]


def test_a_long_report_is_cut_and_counted_but_its_fields_are_complete():
    env = Environment()

    def stuck():
        yield env.event()

    for number in range(23):
        env.spawn(stuck(), f"p{number}")
    error = deadlock_of(env)
    assert len(error.roots) == 23
    assert str(error).endswith("    p19 waits since 0 ns for an event\n    and 3 more")


def test_a_program_that_is_done_while_others_wait_is_no_deadlock():
    env = Environment()
    ring_of_relays(env)
    env.run(env.timeout(3))
    assert env.now == 3
