"""Work ``on_memory``: one block of instructions on cores of a system, with memory behind its fabric."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

from benches.experiments.findings import Findings
from benches.experiments.program_work import ProgramWork, measured
from benches.experiments.works import Home, Measured, Metric, Run, as_finding
from simcore.errors import InputError
from simcore.perfsim.estimate import Prepared
from simcore.units import TICKS_PER_NS


class MemoryWork(ProgramWork):
    """A program as of :class:`ProgramWork`, on every one of ``devices`` of ``topology`` (a name, or a file beside the
    experiment's). ``sbuf_impl`` takes the place of the impl that the system gives its scratchpads.

    The metrics of instructions, and what makes the end late, are those of the first device.
    """

    metrics: ClassVar[tuple[Metric, ...]] = (
        *ProgramWork.metrics,
        Metric("perfsim_ns", "PerfSim's makespan of the same program"),
        Metric("device_ns", "end of a device's latest instruction", per="device"),
        Metric("late_ns", "what makes the end later than PerfSim's, by the first word of the cause", per="cause"),
    )

    topology: str
    devices: list[str]
    sbuf_impl: str | None = None

    def _on_prepared(self, prepared: Prepared, home: Home, findings: Findings) -> Run | None:
        from benches.run_report.on_fabric import place, run_on_fabric
        from simcore.perfsim.estimate import run as estimate
        from topology.loader import load_system, shipped_systems
        from topology.machine.devices import devices_of
        from topology.machine.site import Site

        if self.model != "machine" or self.core or self.options:
            findings.add(("model",), "real memory is the machine's, with the core's rules as the topology has them")
            return None
        shipped = self.topology in shipped_systems()
        source: str | Path = self.topology if shipped else home.folder / self.topology
        try:
            site = Site(load_system(source))
            devices = devices_of(site, self.devices)
            if self.sbuf_impl is not None:
                devices = [replace(device, sbuf_impl=self.sbuf_impl) for device in devices]
            analytic = estimate(prepared, include_anti_deps=self.include_anti_deps)
            placed = place(site, [(device, analytic) for device in devices])
        except InputError as error:
            findings.add(("topology",), as_finding(error))
            return None

        def run() -> Measured:
            done = run_on_fabric(site, placed)
            (block,) = done.devices[0].blocks
            attribution = block.attribution()
            assert attribution is not None
            late: Counter[str] = Counter()
            for why, ticks in attribution.of_makespan().items():
                late[why.word] += ticks
            found = measured(block.schedule, block.columns, None)
            per_device = {d.placed.device.name: Fraction(d.ended_at, TICKS_PER_NS) for d in done.devices}
            return Measured(
                single={**found.single, "perfsim_ns": Fraction(analytic.makespan_ns)},
                several={
                    **found.several,
                    "device_ns": per_device,
                    "late_ns": {word: Fraction(ticks, TICKS_PER_NS) for word, ticks in late.items()},
                },
            )

        return run
