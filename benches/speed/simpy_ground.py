"""What the ground costs, in raw SimPy timeouts: ``python -m benches.speed.simpy_ground``.

Each row is the cost of one operation divided by the cost of one ``yield env.timeout(1)`` of plain SimPy, both measured
in this process. The runs of all rows are interleaved and each row keeps its fastest one, because neighbours on the same
processor slow single runs down by half.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import simpy

from simcore.kernel import Channel, Countdown, Environment, Port

OPERATIONS = 20_000
ROUNDS = 15

Story = Generator[simpy.Event, Any, Any]


def raw_timeout() -> Callable[[], object]:
    env = simpy.Environment()

    def story() -> Story:
        for _ in range(OPERATIONS):
            yield env.timeout(1)

    done = env.process(story())
    return lambda: env.run(done)


def guarded_timeout() -> Callable[[], object]:
    env = Environment()

    def story() -> Story:
        for _ in range(OPERATIONS):
            yield env.timeout(1)

    done = env.spawn(story(), "story")
    return lambda: env.run(done)


def raw_process() -> Callable[[], object]:
    env = simpy.Environment()

    def child() -> Story:
        yield env.timeout(1)

    def story() -> Story:
        for _ in range(OPERATIONS):
            yield env.process(child())

    done = env.process(story())
    return lambda: env.run(done)


def process() -> Callable[[], object]:
    env = Environment()

    def child() -> Story:
        yield env.timeout(1)

    def story() -> Story:
        for _ in range(OPERATIONS):
            yield env.spawn(child(), "child")

    done = env.spawn(story(), "story")
    return lambda: env.run(done)


def event_in() -> Callable[[], object]:
    env = Environment()

    def story() -> Story:
        for _ in range(OPERATIONS):
            event = env.event()
            env.succeed_in(event, 1)
            yield event

    done = env.spawn(story(), "story")
    return lambda: env.run(done)


def raw_store() -> Callable[[], object]:
    env = simpy.Environment()
    there, back = simpy.Store(env), simpy.Store(env)

    def server() -> Story:
        while True:
            back.put((yield there.get()))

    def client() -> Story:
        for number in range(OPERATIONS // 2):
            there.put(number)
            yield back.get()

    env.process(server())
    done = env.process(client())
    return lambda: env.run(done)


def port_waiting() -> Callable[[], object]:
    env = Environment()
    there, back = Port(env, "there", int), Port(env, "back", int)

    def server() -> Story:
        while True:
            back.put((yield there.get()))

    def client() -> Story:
        for number in range(OPERATIONS // 2):
            there.put(number)
            yield back.get()

    _connect(env, there, back)
    env.spawn(server(), "server")
    done = env.spawn(client(), "client")
    return lambda: env.run(done)


def port_filled() -> Callable[[], object]:
    env = Environment()
    port = Port(env, "port", int)

    def story() -> Story:
        for number in range(OPERATIONS):
            port.put(number)
            yield port.get()

    _connect(env, port)
    done = env.spawn(story(), "story")
    return lambda: env.run(done)


def port_handler() -> Callable[[], object]:
    env = Environment()
    port = Port(env, "port", int)
    port.hand_to(lambda _: None)

    def story() -> Story:
        for number in range(OPERATIONS):
            port.put(number)
        yield env.timeout(1)

    _connect(env, port)
    done = env.spawn(story(), "story")
    return lambda: env.run(done)


def raw_resource() -> Callable[[], object]:
    env = simpy.Environment()
    resource = simpy.Resource(env)

    def story() -> Story:
        for _ in range(OPERATIONS):
            request = resource.request()
            yield request
            resource.release(request)

    done = env.process(story())
    return lambda: env.run(done)


def channel_free() -> Callable[[], object]:
    env = Environment()
    channel = Channel(env, "channel")

    def story() -> Story:
        me = env.me
        for _ in range(OPERATIONS):
            token = channel.acquire(me, "instruction")
            yield token
            channel.release(token)

    done = env.spawn(story(), "story")
    return lambda: env.run(done)


def raw_resource_contended() -> Callable[[], object]:
    env = simpy.Environment()
    resource = simpy.Resource(env)

    def story() -> Story:
        for _ in range(OPERATIONS // 2):
            request = resource.request()
            yield request
            yield env.timeout(1)
            resource.release(request)

    env.process(story())
    done = env.process(story())
    return lambda: env.run(done)


def channel_contended() -> Callable[[], object]:
    env = Environment()
    channel = Channel(env, "channel")

    def story() -> Story:
        me = env.me
        for _ in range(OPERATIONS // 2):
            token = channel.acquire(me, "instruction")
            yield token
            yield env.timeout(1)
            channel.release(token)

    env.spawn(story(), "one")
    done = env.spawn(story(), "two")
    return lambda: env.run(done)


def raw_all_of() -> Callable[[], object]:
    env = simpy.Environment()

    def story() -> Story:
        for _ in range(OPERATIONS):
            events = [env.event() for _ in range(4)]
            for event in events:
                event.succeed()
            yield env.all_of(events)

    done = env.process(story())
    return lambda: env.run(done)


def countdown() -> Callable[[], object]:
    env = Environment()

    def story() -> Story:
        for _ in range(OPERATIONS):
            latch = Countdown(env, 4, "latch")
            for _ in range(4):
                latch.arrive()
            yield latch

    done = env.spawn(story(), "story")
    return lambda: env.run(done)


@dataclass(frozen=True)
class Row:
    """An operation: what it is, how to set up a run of it, and SimPy's own way to do the same."""

    title: str
    setup: Callable[[], Callable[[], object]]
    raw: Callable[[], Callable[[], object]] | None = None


ROWS = [
    Row("timeout", guarded_timeout, raw_timeout),
    Row("process: start + 1 timeout + wait for its end", process, raw_process),
    Row("event made to happen after a delay", event_in),
    Row("port: message to a waiting process", port_waiting, raw_store),
    Row("port: message that is already there", port_filled),
    Row("port: message to a handler", port_handler),
    Row("channel: acquire + release, free", channel_free, raw_resource),
    Row("channel: acquire + hold 1 tick + release, two contend", channel_contended, raw_resource_contended),
    Row("countdown of 4 arrivals + wait", countdown, raw_all_of),
]


def measure(rounds: int) -> dict[Callable[[], Callable[[], object]], float]:
    """Nanoseconds of processor time per operation, for every set-up of :data:`ROWS`."""
    setups = [setup for row in ROWS for setup in (row.setup, row.raw) if setup is not None]
    best = dict.fromkeys(setups, float("inf"))
    for _ in range(rounds):
        for setup in setups:
            run = setup()
            gc.collect()
            start = time.process_time_ns()
            run()
            best[setup] = min(best[setup], (time.process_time_ns() - start) / OPERATIONS)
    return best


def _connect(env: Environment, *ports: Port[int]) -> None:
    for port in ports:
        port.attach("out", Channel(env, f"{port.name} sender"))
        port.attach("in", Channel(env, f"{port.name} receiver"))


def main() -> dict[str, object]:
    """Measures, prints the table and returns it as JSON holds it."""
    best = measure(ROUNDS)
    unit = best[raw_timeout]
    print(f"raw SimPy timeout: {unit:.0f} ns of processor time = 1.00\n")
    print(f"{'operation':<56}{'here':>8}{'SimPy':>8}")
    rows = []
    for row in ROWS:
        here, raw = best[row.setup] / unit, best[row.raw] / unit if row.raw is not None else None
        print(f"{row.title:<56}{here:8.2f}{'' if raw is None else f'{raw:8.2f}'}")
        rows.append({"operation": row.title, "here": round(here, 3), "simpy": None if raw is None else round(raw, 3)})
    print(flush=True)
    return {"raw_timeout_ns": round(unit, 1), "in_raw_timeouts": rows}


if __name__ == "__main__":
    main()
