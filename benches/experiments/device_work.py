"""Work ``on_device``: one block of instructions on a device platform."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from benches.experiments.findings import Findings
from benches.experiments.program_work import ProgramWork
from benches.experiments.works import Home, Measured, Metric, Run, as_finding
from components.quantities import Ns
from simcore.errors import InputError, hint
from simcore.perfsim.estimate import Prepared
from simcore.units import TICKS_PER_NS


class OnDeviceWork(ProgramWork):
    """A program as of :class:`ProgramWork`, on ``platform`` (a name, or a folder beside the experiment's).

    ``phase_ns`` is where the run begins in a window of the PE's throttle; reads meet the mean of the observed stalls.
    ``without`` leaves effects of the device model out.
    """

    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("window_ns", "from the first instruction's start to the last one's end"),
        Metric("full_speed_ns", "time in which the PE's clock is at full speed"),
        Metric("busy_ns", "time in which an engine has at least one instruction", per="engine"),
        Metric("start_ns", "start of an instruction, or of a transfer's first packet", per="instruction", detail=True),
        Metric("end_ns", "end of an instruction, or of a transfer's last packet", per="instruction", detail=True),
    )

    platform: str
    phase_ns: Ns = Fraction(0)
    without: list[str] = Field(default_factory=list)

    def _on_prepared(self, prepared: Prepared, home: Home, findings: Findings) -> Run | None:
        from components.device.simulate import simulate_on_device
        from simcore.timing.device import Effect
        from topology.platforms import load_device_platform, shipped_platforms

        if self.model != "machine" or self.core or self.options or not self.include_anti_deps:
            findings.add(("model",), "a device has its own rules (allowed: platform, phase_ns, without)")
            return None
        for place, word in enumerate(self.without):
            if word not in list(Effect):
                findings.add(("without", place), f'unknown effect "{word}" {hint(word, list(Effect), shown=20)}')
                return None
        shipped = self.platform in shipped_platforms()
        try:
            platform = load_device_platform(self.platform if shipped else home.folder / self.platform)
        except InputError as error:
            findings.add(("platform",), as_finding(error))
            return None
        if prepared.arch != platform.arch:
            findings.add(("arch",), f"{prepared.arch}, but {self.platform} is a {platform.arch} device")
            return None
        ((_, block),) = prepared.program.blocks

        def run() -> Measured:
            done = simulate_on_device(
                block,
                platform,
                phase_ns=float(self.phase_ns),
                without=frozenset(Effect(word) for word in self.without),
                file=home.file,
            )
            start = {i.name: _ns(i.start_ps) for i in done.instructions}
            end = {i.name: _ns(i.end_ps) for i in done.instructions}
            for name, (first, last) in done.transfers.items():
                start[name], end[name] = _ns(first), _ns(last)
            return Measured(
                single={"window_ns": _ns(done.window_ps), "full_speed_ns": _ns(done.full_speed_ps)},
                several={
                    "busy_ns": {lane: _ns(ticks) for lane, ticks in done.engine_busy_ps().items()},
                    "start_ns": start,
                    "end_ns": end,
                },
            )

        return run


def _ns(ticks: int) -> Fraction:
    return Fraction(ticks, TICKS_PER_NS)
