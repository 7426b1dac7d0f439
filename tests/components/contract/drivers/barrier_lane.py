"""Drives the barrier lane: barriers that run at once, side by side, and one that waits for another."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.core.barrier_lane import BarrierLane
from components.core.work import Work
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench

COSTS_NS = [500, 64, 0, 65, 1000]


def parameters(impl: str) -> dict[str, object]:
    return {"overlap_ns": 64, "overlaps_from_ns": 65}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    retired = Port(env, f"{name}->core", Work)
    retired.attach("in", Actor("core"))
    lane = build(env, entry.kind, name, parameters, {"retired": retired}, entry.impl)
    assert isinstance(lane, BarrierLane)
    batch: list[Countdown] = []

    def send_batch() -> Event:
        works = [
            Work(i, f"B{i}", lane, *lane.durations(cost, overlaps=True), edges=int(i == 4))
            for i, cost in enumerate(COSTS_NS)
        ]
        works[0].tell_end(works[4], 0)
        batch[:] = [Countdown(env, len(works), "batch")]
        lane.load(works, works)
        return batch[0]

    def note(work: Work) -> None:
        board.answers.append((env.now, work.name))
        batch[0].arrive()

    retired.hand_to(note)
    board = Bench(
        lane, send_batch, len(COSTS_NS), {}, refuses_nothing="a barrier may wait for anything and cost anything"
    )
    return board
