"""Device PE: passes of weight load and multiplication at the throttle's speed (ADR-0070, ADR-0071).

First action: as a device engine's. A pass multiplies when its weights are loaded and the pass before it is done; the
load runs behind that pass, so it costs time only after a pause. The control looks at the next pass when one begins to
multiply.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.device.engine import DeviceEngine, DeviceEngineParameters
from components.device.throttle import HALF, Throttle
from components.device.work import Cause, DeviceWork
from components.registry import register
from simcore.kernel import Environment, Port, Story
from simcore.timing.device.costs import MatmulCost
from simcore.timing.device.lowering import Kind


@register("device_pe", "hidden_loads", default=True)
class DevicePe(DeviceEngine):
    """The PE. Its ``throttle`` is given before the program is loaded."""

    throttle: Throttle[Any]

    def __init__(
        self, env: Environment, name: str, parameters: DeviceEngineParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self._slow = False

    def perform(self, work: DeviceWork) -> Story:
        """Runs the passes of a matmul; anything else as every engine does."""
        if work.op.kind is not Kind.matmul:
            yield from super().perform(work)
            return
        if not isinstance(work.cost, MatmulCost):
            raise self.error(f"{work.op.name} has no cost")
        env, cost = self.env, work.cost
        at, cause, on = self.noticed(work)
        if at > env.now:
            yield env.timeout(at - env.now)
        elif cause is Cause.control and self.free_at > env.now:
            cause = Cause.throttle if self._slow else Cause.engine
        self.started(work, cause, on)
        speed = HALF
        for _ in range(cost.passes):
            if self.record is not None:
                self.record((env.now, self.name, "load", work.op.name))
            begin = max(env.now + cost.load_ps[self.throttle.speed(env.now)], self.free_at)
            if begin > env.now:
                yield env.timeout(begin - env.now)
            done = self.throttle.work(env.now, cost.pass_ps)
            speed = self.throttle.speed(max(env.now, done - 1))
            self._slow = speed == HALF
            self.free_at = done + cost.gap_ps[speed]
            if self.record is not None:
                lasts = self.free_at + cost.latency_ps[speed] - env.now
                self.record((env.now, self.name, "multiply", work.op.name, lasts))
            if self.parameters.control_ps:
                yield env.timeout(self.parameters.control_ps)
        self.end_in(work, max(0, self.free_at + cost.latency_ps[speed] - env.now))
