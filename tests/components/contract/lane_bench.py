"""What the drivers of lanes share: works that cost so many nanoseconds, and somebody at the port ``retired``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from components.core.lane import LanePart
from components.core.work import Work
from simcore.kernel import Countdown, Environment, Port
from tests.components.actor import Actor


def works_on(lane: LanePart, costs_ns: Sequence[int]) -> list[Work]:
    """Works ``I0``, ``I1``, .. that wait for nothing."""
    cost = np.array(costs_ns, dtype=np.int64)
    dispatch, end = (ticks.tolist() for ticks in lane.durations(cost, np.ones(len(cost), dtype=bool)))
    return [Work(i, f"I{i}", lane, *ticks) for i, ticks in enumerate(zip(dispatch, end, strict=True))]


class Retirement:
    """Notes (time in ps, name) of each work that ends, and counts batches of ``length``."""

    def __init__(self, env: Environment, lane: str, length: int) -> None:
        self.env = env
        self.length = length
        self.answers: list[tuple[int, str]] = []
        self.left = Countdown(env, length, f"{lane}: instructions to end")
        self.port: Port[Work] = Port(env, f"{lane}->core", Work)
        self.port.attach("in", Actor("core"))
        self.port.hand_to(self._note)

    def batch(self) -> Countdown:
        """The event of the end of a batch that begins now."""
        self.left = Countdown(self.env, self.length, self.left.name)
        return self.left

    def _note(self, work: Work) -> None:
        self.answers.append((self.env.now, work.name))
        self.left.arrive()
