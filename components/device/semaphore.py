"""Semaphore: an engine's news that an instruction is done, some time after its end (ADR-0070).

First action: none; an engine raises it when an instruction ends. After ``end_to_set_ps`` all that wait for the
instruction hear of it.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.device.work import DeviceWork, Ps
from components.registry import register
from simcore.kernel import Part, Timeout


class DeviceSemaphoreParameters(BaseModel):
    """``end_to_set_ps``: from an instruction's end to the semaphore's new value."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    end_to_set_ps: Ps


@register("device_semaphore", "counting", default=True)
class DeviceSemaphore(Part[DeviceSemaphoreParameters]):
    """The semaphore that one engine raises."""

    def raise_for(self, work: DeviceWork, *, at_once: bool = False) -> None:
        """``work`` has ended; ``at_once`` for an instruction that raises none and is only waited for in order."""
        if work.end_at != self.env.now:
            raise self.error(f"{work.op.name} did not end now")
        self.accepted += 1

        def arrive(_news: Event) -> None:
            self.completed += 1
            if self.record is not None:
                self.record((self.env.now, self.name, "set", work.op.name))
            for follower in work.followers:
                follower.hear(self.env.now, work, of_transfer=False)

        Timeout(self.env, 0 if at_once else self.parameters.end_to_set_ps).callbacks.append(arrive)
