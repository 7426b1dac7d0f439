"""Drives semaphores: edges from one producer to two consumers and on, each of which takes its time."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.core.semaphore import Semaphores
from components.core.work import Work
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment
from tests.components.contract.bench import Bench
from tests.components.contract.hand_lane import HandLane

EDGES = [(0, 1), (0, 2), (1, 3), (2, 3)]
TICKS = [(900, 1000), (300, 300), (0, 0), (50, 64)]


def parameters(impl: str) -> dict[str, object]:
    return {"latency_ns": 25}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    semaphores = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(semaphores, Semaphores)
    batch: list[Countdown] = []

    def send_batch() -> Event:
        batch[:] = [Countdown(env, len(TICKS), "batch")]
        consumers = [consumer for _, consumer in EDGES]
        works = [lane.work(i, f"I{i}", *ticks, waits=consumers.count(i)) for i, ticks in enumerate(TICKS)]
        for producer, consumer in EDGES:
            works[producer].tell_end((semaphores.towards(works[consumer]), 0))
        lane.begin(works)
        return batch[0]

    def note(work: Work) -> None:
        board.answers.append((env.now, work.name))
        batch[0].arrive()

    lane = HandLane(env, f"{name}.lane", note)
    board = Bench(
        semaphores, send_batch, len(EDGES), {}, refuses_nothing="an edge may lead from and to any instruction"
    )
    return board
