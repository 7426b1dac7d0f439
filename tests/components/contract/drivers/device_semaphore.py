"""Drives a semaphore: ends of instructions that others wait for, two of them at one instant."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.device.semaphore import DeviceSemaphore
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment
from tests.components.contract.bench import Bench
from tests.components.contract.device_work import work_of

ENDS_PS = [100, 100, 450]


def parameters(impl: str) -> dict[str, object]:
    return {"end_to_set_ps": 12_000}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    semaphore = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(semaphore, DeviceSemaphore)

    def send_batch() -> Event:
        batch = Countdown(env, len(ENDS_PS), "batch")
        for index, delay in enumerate(ENDS_PS):
            producer, consumer = work_of(index), work_of(10 + index, waits=((index, False),))
            producer.followers.append(consumer)

            def go(consumer=consumer) -> None:
                board.answers.append((env.now, consumer.op.name))
                batch.arrive()

            consumer.go = go
            env.spawn(end(producer, delay), f"{name}.{producer.op.name}.{env.now}")
        return batch

    def end(work, delay):
        yield env.timeout(delay)
        work.end_at = env.now
        semaphore.raise_for(work)

    board = Bench(
        semaphore,
        send_batch,
        len(ENDS_PS),
        {"an instruction that did not end": lambda: semaphore.raise_for(work_of(0))},
    )
    return board
