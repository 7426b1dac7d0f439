"""Drives a queue over two DMA engines: two reads close together, a write, and one who waits for each."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.device.dma_engine import DeviceDmaEngine
from components.device.dma_queue import DmaQueue
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment
from tests.components.contract.bench import Bench
from tests.components.contract.device_work import transfer_of, work_of

TRANSFERS = [("t0", True, 0), ("t1", True, 500), ("t2", False, 600)]


def parameters(impl: str) -> dict[str, object]:
    return {
        "first_read_ps": 1_300,
        "first_write_ps": 1_200,
        "behind_read_ps": 400,
        "per_transfer_ps": 300,
        "per_packet_ps": 8,
        "tail_read_ps": 360,
        "tail_write_ps": 370,
        "stagger_ps": (0, 15),
    }


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    queue = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(queue, DmaQueue)
    given = {"idle_ps": 60, "completion_ps": 6}
    engines = [build(env, "device_dma_engine", f"{name}.engine{n}", given, {}) for n in range(2)]
    queue.engines = [engine for engine in engines if isinstance(engine, DeviceDmaEngine)]

    def send_batch() -> Event:
        batch = Countdown(env, len(TRANSFERS), "batch")
        for index, (what, reads, delay) in enumerate(TRANSFERS):
            trigger, consumer = work_of(index), work_of(10 + index, waits=((index, True),))
            transfer = transfer_of(what, "SP", (3, 2), 155, reads=reads, trigger=trigger, stalls=(100, 10, 0))
            transfer.followers.append(consumer)

            def go(consumer=consumer) -> None:
                board.answers.append((env.now, consumer.op.name))
                batch.arrive()

            consumer.go = go
            env.spawn(begin(transfer, delay), f"{name}.{what}.{env.now}")
        return batch

    def begin(transfer, delay):
        yield env.timeout(delay)
        queue.begin(transfer)

    def too_many_shares() -> None:
        queue.begin(transfer_of("t9", "SP", (1, 1, 1), 155, reads=True))

    board = Bench(queue, send_batch, len(TRANSFERS), {"shares for more engines than there are": too_many_shares})
    return board
