"""Drives an engine: instructions that overlap, that are too short to, that cost nothing, and one that must wait."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.core.engine import Engine
from components.core.work import Work
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench

COSTS_NS = [500, 64, 0, 65, 1000, 0, 300]
HELD_BACK = 4
FREED_AT_PS = 5_000_000


def parameters(impl: str) -> dict[str, object]:
    return {"overlap_ns": 64, "overlaps_from_ns": 65}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    retired = Port(env, f"{name}->core", Work)
    retired.attach("in", Actor("core"))
    engine = build(env, entry.kind, name, parameters, {"retired": retired}, entry.impl)
    assert isinstance(engine, Engine)
    left = Countdown(env, len(COSTS_NS), f"the program of {name}")

    def send_batch() -> Event:
        works = [
            Work(i, f"I{i}", engine, *engine.durations(cost, overlaps=True), edges=int(i == HELD_BACK))
            for i, cost in enumerate(COSTS_NS)
        ]
        engine.load(works, works)
        env.spawn(free(works[HELD_BACK], works[0]), "producer")
        return left

    def free(work: Work, producer: Work):
        yield env.timeout(FREED_AT_PS)
        work.wait_over(env.now, 0, producer)

    def load_twice() -> None:
        send_batch()
        send_batch()

    def note(work: Work) -> None:
        board.answers.append((env.now, work.name))
        left.arrive()

    retired.hand_to(note)
    board = Bench(engine, send_batch, len(COSTS_NS), {"a second program": load_twice}, once=True)
    return board
