"""The Chrome trace of a run on real memory: a process per block of each device, and one for what the links carried."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from benches.run_report.on_fabric import FabricRun
from benches.run_report.trace import write_trace
from benches.run_report.trace.links import OnLink
from components.fabric.flow import Flow
from components.fabric.passage import link_label


@dataclass(slots=True)
class Carried:
    """Keeps what each transfer with payload did on each of its links."""

    rows: list[OnLink] = field(default_factory=list)

    def __call__(self, flow: Flow) -> None:
        """``flow`` has ended."""
        if not flow.nbytes:
            return
        for leg in flow.legs:
            ticks = leg.time.ticks
            for track, began, last_end in zip(leg.tracks, leg.began, leg.last_ends, strict=True):
                self.rows.append(OnLink(link_label(track.link), flow.name, flow.nbytes, ticks(began), ticks(last_end)))


def write_fabric_trace(path: Path, run: FabricRun, carried: Carried) -> list[Path]:
    """Writes the trace to ``path``, and what does not fit to ``path``.2, ..; times count from the start of the run."""
    blocks = [block for device in run.devices for block in device.blocks]
    processes = [
        (f"{device.placed.device.name} {block.function}/{block.block}", since)
        for device in run.devices
        for block, since in zip(device.blocks, device.starts, strict=True)
    ]
    programs = dict.fromkeys(device.placed.estimate.prepared.program.name for device in run.devices)
    return write_trace(path, ", ".join(programs), blocks, processes=processes, carried=carried.rows)
