"""Drives a DMA engine: reads that begin anew and that follow another, and a write of another queue beside them."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.device.dma_engine import DeviceDmaEngine
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment
from tests.components.contract.bench import Bench
from tests.components.contract.device_work import transfer_of

STALLS = (400, 30, 250)
SHARES = [
    ("r0", "SP", 3, True, 0),
    ("r1", "SP", 2, True, 100),
    ("w0", "Activation", 4, False, 600),
    ("e0", "SP", 0, True, 700),
]
"""(transfer, queue, packets, whether it reads, when it comes)."""


def parameters(impl: str) -> dict[str, object]:
    return {"idle_ps": 60, "completion_ps": 6}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    engine = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(engine, DeviceDmaEngine)

    def send_batch() -> Event:
        batch = Countdown(env, len(SHARES), "batch")
        for what, queue, packets, reads, delay in SHARES:
            transfer = transfer_of(what, queue, (packets,), 155, reads=reads, stalls=STALLS)

            def done(what=what) -> None:
                board.answers.append((env.now, what))
                batch.arrive()

            env.spawn(submit(transfer, delay, done), f"{name}.{what}.{env.now}")
        return batch

    def submit(transfer, delay, done):
        yield env.timeout(delay)
        engine.submit(transfer, 0, done)

    def no_such_share() -> None:
        engine.submit(transfer_of("r0", "SP", (1,), 155, reads=True), 1, lambda: None)

    board = Bench(engine, send_batch, len(SHARES), {"a share that the transfer has not": no_such_share})
    return board
