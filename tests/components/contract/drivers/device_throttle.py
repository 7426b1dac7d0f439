"""Drives a throttle: pieces of work one after the other, so that its speed changes between and within them."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.device.throttle import Throttle
from components.registry import Registered, build
from simcore.kernel import Environment
from tests.components.contract.bench import Bench
from tests.components.contract.play import PAUSE_PS

WINDOW_PS = PAUSE_PS // 5
"""A pause holds whole windows, so that a batch meets the same grid wherever it begins."""

WORK_PS = [WINDOW_PS // 2, 3 * WINDOW_PS, 100, 0]
BATCH_PS = 10 * WINDOW_PS
BATCHES = 4


def parameters(impl: str) -> dict[str, object]:
    if impl == "recorded":
        starts = [batch * (BATCH_PS + PAUSE_PS) for batch in range(BATCHES)]
        return {"full_ps": tuple((start + WINDOW_PS, start + 3 * WINDOW_PS) for start in starts)}
    return {
        "window_ps": WINDOW_PS,
        "needed_ps": WINDOW_PS * 3 // 8,
        "phase_ps": 0,
        "half_speed": True,
        "full_speed": True,
    }


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    throttle = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(throttle, Throttle)

    def send_batch() -> Event:
        return env.spawn(work(), f"{name}.pe.{env.now}")

    def work():
        begin = env.now
        for number, full_ps in enumerate(WORK_PS):
            yield env.timeout(throttle.work(env.now, full_ps) - env.now)
            board.answers.append((env.now, f"piece {number}"))
        yield env.timeout(begin + BATCH_PS - env.now)

    board = Bench(
        throttle,
        send_batch,
        len(WORK_PS),
        {
            "work in the past": lambda: throttle.work(-1, 10),
            "less than no work": lambda: throttle.work(0, -1),
        },
    )
    return board
