"""The critical path of a run on a device: from its end back over what each start waited for last."""

from __future__ import annotations

from benches.device_report.model import PathStep
from components.device.run import DeviceRun
from simcore.units import TICKS_PER_NS

LAST = "completion"
"""The stretch from the last instruction's start to the run's end."""


def critical_path(run: DeviceRun) -> list[PathStep]:
    """Steps from the window's start to its end; their times add up to the window."""
    by_name = {instruction.name: instruction for instruction in run.instructions}
    if not by_name:
        return []
    at = max(run.instructions, key=lambda instruction: instruction.end_ps)
    steps = [PathStep(at.name, LAST, (at.end_ps - at.start_ps) / TICKS_PER_NS, at.name)]
    while True:
        before = by_name[at.on] if at.on is not None else None
        since = before.start_ps if before is not None else 0
        steps.append(PathStep(at.name, at.cause.value, (at.start_ps - since) / TICKS_PER_NS, at.on))
        if before is None:
            return steps[::-1]
        at = before
