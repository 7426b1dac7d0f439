"""Drives the barrier lane: barriers that run at once, side by side, and one that waits for another."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.core.barrier_lane import BarrierLane
from components.registry import Registered, build
from simcore.kernel import Environment
from tests.components.contract.bench import Bench
from tests.components.contract.lane_bench import Retirement, works_on

COSTS_NS = [500, 64, 0, 65, 1000]


def parameters(impl: str) -> dict[str, object]:
    return {"overlap_ns": 64, "overlaps_from_ns": 65}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    retirement = Retirement(env, name, len(COSTS_NS))
    lane = build(env, entry.kind, name, parameters, {"retired": retirement.port}, entry.impl)
    assert isinstance(lane, BarrierLane)

    def send_batch() -> Event:
        works = works_on(lane, COSTS_NS)
        works[4].waits += 1
        works[0].tell_end((works[4], 0))
        lane.load(works, works)
        return retirement.batch()

    def load_while_it_runs() -> None:
        send_batch()
        send_batch()

    return Bench(
        lane,
        send_batch,
        len(COSTS_NS),
        {"a program while another runs": load_while_it_runs},
        answers=retirement.answers,
    )
