"""Drives a device engine: operations whose datapath is busy, a wait, a table load, and one that waits for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from simpy.events import Event

from components.device.engine import DeviceEngine
from components.device.semaphore import DeviceSemaphore
from components.device.work import DeviceWork
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment
from simcore.timing.device.lowering import Kind
from tests.components.contract.bench import Bench
from tests.components.contract.device_work import lasting, work_of


def parameters(impl: str) -> dict[str, object]:
    return {
        "start_ps": 150,
        "control_ps": 7,
        "wake_ps": 22,
        "event_ps": 40,
        "event_gap_ps": 90,
        "table_load_ps": 1_283,
        "trigger_ps": 540,
        "trigger_gap_ps": 50,
        "preparation_ps": 0,
        "trigger_interval_ps": 0,
    }


def works() -> list[DeviceWork]:
    own = ((1, False),)
    return [
        work_of(0, Kind.table_load),
        work_of(1, cost=lasting(500, 700)),
        work_of(2, cost=lasting(100, 130)),
        work_of(3, Kind.wait, waits=own),
        work_of(4, cost=lasting(0, 0)),
    ]


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    engine = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(engine, DeviceEngine)
    return engine_bench(env, name, engine, works)


def engine_bench(env: Environment, name: str, engine: DeviceEngine, works: Callable[[], list[DeviceWork]]) -> Bench:
    """An engine that runs ``works``, the waits of which are for each other."""
    semaphore = build(env, "device_semaphore", f"{name}.semaphore", {"end_to_set_ps": 12}, {})
    assert isinstance(semaphore, DeviceSemaphore)

    def send_batch() -> Event:
        batch = works()
        left = Countdown(env, len(batch), "batch")
        running = list(batch)

        def retired() -> None:
            ended = next(work for work in running if work.end_at == env.now)
            running.remove(ended)
            board.answers.append((env.now, ended.op.name))
            left.arrive()

        for work in batch:
            for producer, _ in work.op.waits:
                batch[producer].followers.append(work)
        engine.retired = retired
        engine.load(batch, semaphore)
        return left

    def load_while_it_runs() -> None:
        send_batch()
        send_batch()

    def move_without_a_queue() -> None:
        engine.load([work_of(0, Kind.trigger)], semaphore)

    board = Bench(
        engine,
        send_batch,
        len(works()),
        {"a program while another runs": load_while_it_runs, "a transfer without a queue": move_without_a_queue},
    )
    return board
