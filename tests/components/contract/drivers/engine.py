"""Drives an engine: instructions that overlap, that are too short to, that cost nothing, and one that must wait."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.core.engine import Engine
from components.registry import Registered, build
from simcore.kernel import Environment
from tests.components.contract.bench import Bench
from tests.components.contract.lane_bench import Retirement, works_on

COSTS_NS = [500, 64, 0, 65, 1000, 0, 300]
HELD_BACK = 4
FREED_AT_PS = 5_000_000


def parameters(impl: str) -> dict[str, object]:
    return {"overlap_ns": 64, "overlaps_from_ns": 65}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    retirement = Retirement(env, name, len(COSTS_NS))
    engine = build(env, entry.kind, name, parameters, {"retired": retirement.port}, entry.impl)
    assert isinstance(engine, Engine)

    def send_batch() -> Event:
        works = works_on(engine, COSTS_NS)
        works[HELD_BACK].waits += 1
        engine.load(works, works)
        env.spawn(free(works[HELD_BACK], works[0]), f"{name}.producer")
        return retirement.batch()

    def free(work, producer):
        yield env.timeout(FREED_AT_PS)
        work.wait_over(env.now, 0, producer)

    def load_while_it_runs() -> None:
        send_batch()
        send_batch()

    return Bench(
        engine,
        send_batch,
        len(COSTS_NS),
        {"a program while another runs": load_while_it_runs},
        answers=retirement.answers,
    )
