"""The report of a run on a device platform, as text for people."""

from __future__ import annotations

from rich.console import Console

from benches.device_report.model import DeviceBlock, DeviceReport
from benches.schedule_report.text import table_of


def print_device_report(report: DeviceReport, console: Console) -> None:
    """The window with its band, then each block: engines, PE speed, confidence, and what was asked for."""
    console.print(
        f"{report.program} on platform {report.platform} ({report.arch}; fitted to {', '.join(report.profiles)})",
        soft_wrap=True,
    )
    if report.runs > 1:
        over = f"mean of {report.runs} runs over the PE clock's phases and observed memory stalls"
        console.print(f"window {report.window_ns:.0f} ns ({over}), 5 to 95 %: {_band(report.band_ns)}")
    else:
        phase = f" at a phase of {report.blocks[0].shown_phase_ns:g} ns" if report.blocks else ""
        console.print(f"window {report.window_ns:.0f} ns (one run{phase})")
    if report.measured_ns is not None:
        error = ""
        if report.measured_ns:
            error = f": {100 * (report.window_ns - report.measured_ns) / report.measured_ns:+.2f} %"
        console.print(f"measured {report.measured_ns} ns{error}")
    for block in report.blocks:
        _print_block(block, console)
    for note in report.notes:
        console.print(f"note: {note}", soft_wrap=True)


def _print_block(block: DeviceBlock, console: Console) -> None:
    console.print()
    console.print(f"block {block.name}: {block.window_ns:.0f} ns ({_band(block.band_ns)})")
    if block.finish_ns > block.window_ns:
        console.print(f"transfers that no instruction waits for end at {block.finish_ns:.0f} ns")
    table = table_of("engine", ">busy ns", ">of the window")
    for lane, busy_ns in block.busy_ns.items():
        if busy_ns:
            table.add_row(lane, f"{busy_ns:.0f}", f"{100 * busy_ns / block.window_ns:.1f} %")
    console.print(table)
    console.print(f"the PE's clock is at full speed for {100 * block.full_speed_share:.1f} % of the window")
    counts = ", ".join(f"{count} {level}" for level, count in block.confidence.items())
    console.print(f"instructions by confidence of their costs: {counts}")
    if block.waits_ns is not None and block.path is not None:
        console.print(
            f"critical path of the run nearest to the mean ({block.shown_window_ns:.0f} ns), {len(block.path)} steps:"
        )
        for cause, ns in block.waits_ns.items():
            if ns:
                console.print(f"  {cause:12} {ns:10.0f} ns  {100 * ns / max(block.shown_window_ns, 1e-9):5.1f} %")
    if block.events is not None:
        events = table_of(">start ns", ">end ns", "engine", "opcode", "name", "cause", "on")
        for e in block.events:
            events.add_row(f"{e.start_ns:.1f}", f"{e.end_ns:.1f}", e.engine, e.opcode, e.name, e.cause, e.on or "")
        console.print(events)


def _band(band_ns: tuple[float, float]) -> str:
    low, high = band_ns
    return f"{low:.0f} .. {high:.0f}"
