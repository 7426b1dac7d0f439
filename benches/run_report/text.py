"""The report as tables for people."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from decimal import Decimal

from rich.console import Console

from benches.exact_ns import Ns
from benches.learned_report.difference import print_learned
from benches.run_report.model import DelayRecord, DevicesReport, PartRecord, RunReport
from benches.schedule_report.text import ns_text, print_block, print_rests_on, table_of
from benches.unroll_report import print_unroll

DELAY_ROWS = 12
"""Instructions that are shown with what made them last longer: those with the most of it, in program order."""


CAUSES_SHOWN = 12
"""Causes of a difference that are named in a line: the largest ones."""


FULL_DEVICES = 4
"""So many devices that ran together are shown one by one; of more, the one that takes longest, and a row of each."""

DEVICE_ROWS = 32
"""Devices with a row: those that take longest."""

PART_ROWS = 16
"""Parts that carry bytes that are shown: the busiest ones."""


def print_devices(report: DevicesReport, console: Console) -> None:
    """Prints the report of each device, of many only the longest and a row of each, and that of all together."""
    few = len(report.devices) <= FULL_DEVICES
    by_time = sorted(report.devices, key=lambda device: -device.makespan_ns)
    for device in report.devices if few else by_time[:1]:
        print_report(device, console)
        console.print()
    console.print(f"{len(report.devices)} devices of {report.topology} at once")
    if not few:
        _print_rows(report.devices, {id(device) for device in by_time[:DEVICE_ROWS]}, console)
    _print_difference(report.makespan_ns, report.perfsim_ns, report.difference_ns, report.attribution, console)
    if report.parts:
        _print_parts(report.parts, console)


def _print_rows(devices: Sequence[RunReport], shown: Container[int], console: Console) -> None:
    """A row of each device that is ``shown``, by its identity, in the order of the command line."""
    table = table_of("device", "program", ">machine ns", ">PerfSim ns", ">later ns", "most of it")
    for device in devices:
        if id(device) in shown:
            most = max(device.attribution.items(), key=lambda cause: abs(Decimal(cause[1])), default=None)
            times = map(str, (device.makespan_ns, device.perfsim_ns, device.difference_ns))
            table.add_row(device.device or "", device.program, *times, "" if most is None else f"{most[0]} {most[1]:+}")
    console.print(table)
    if len(devices) > DEVICE_ROWS:
        console.print(f"the {DEVICE_ROWS} of {len(devices)} devices that take longest")
    console.print("above in full: the device that takes longest; --json has all")


def print_report(report: RunReport, console: Console) -> None:
    """Prints everything the report holds."""
    oracle = f"{report.oracle} oracle" if report.timing == "hwm" else f"{report.timing} timing"
    on = f", {report.device} of {report.topology}" if report.device is not None else ""
    console.print(f"{report.program} on {report.arch}, simulated ({oracle}, {report.memory} memory{on})")
    several, placed = len(report.blocks) != 1, report.device is not None
    for block in report.blocks:
        print_block(block, console, titled=several)
        _print_difference(block.makespan_ns, block.perfsim_ns, block.difference_ns, block.attribution, console)
        if block.delays is not None:
            _print_delays(block.delays, console)
        if several or not placed:
            _print_parts(block.parts, console)
    if several:
        console.print("\nall blocks")
        _print_difference(report.makespan_ns, report.perfsim_ns, report.difference_ns, report.attribution, console)
    if several or placed:
        _print_parts(report.parts, console)
    if report.whole_program_ns != report.makespan_ns:
        console.print(f"whole program with all trips: {ns_text(report.whole_program_ns)}")
    if report.unroll is not None:
        print_unroll(report.unroll, console)
    if report.learned is not None:
        print_learned(report.learned, console)
    print_rests_on(report.provenance, report.not_costed, console)
    for note in report.notes:
        console.print(f"note: {note}", soft_wrap=True)


def _print_difference(
    makespan_ns: Ns, perfsim_ns: Ns, difference_ns: Ns, attribution: Mapping[str, Ns], console: Console
) -> None:
    line = f"machine {ns_text(makespan_ns)}, PerfSim {ns_text(perfsim_ns)}: "
    causes = _causes(attribution)
    line += f"{difference_ns:+} ns" if difference_ns else "equal"
    console.print(f"{line} ({causes})" if causes else line, soft_wrap=True)


def _causes(attribution: Mapping[str, Ns]) -> str:
    """The largest pieces by name, in their order, and the rest as one."""
    sizes = {cause: abs(Decimal(ns)) for cause, ns in attribution.items() if ns}
    largest = sorted(sizes, key=lambda cause: -sizes[cause])
    named = set(largest[:CAUSES_SHOWN])
    words = [f"{cause} {ns:+} ns" for cause, ns in attribution.items() if cause in named]
    if rest := largest[CAUSES_SHOWN:]:
        words.append(f"{len(rest)} smaller causes {sum(attribution[cause] for cause in rest):+} ns")
    return ", ".join(words)


def _print_delays(delays: list[DelayRecord], console: Console) -> None:
    own = [(sum(delay.own.values()), k) for k, delay in enumerate(delays) if delay.own]
    if not own:
        return
    table = table_of("instruction", ">late ns", ">itself ns", "because of", "and inherits from")
    for _, k in sorted(sorted(own, key=lambda pair: (-pair[0], pair[1]))[:DELAY_ROWS], key=lambda pair: pair[1]):
        delay = delays[k]
        causes = ", ".join(f"{label} {ns}" for label, ns in delay.own.items())
        whence = delay.inherited
        inherited = "" if whence is None else f"{whence.ns} ns, {whence.moment} of {whence.on}"
        table.add_row(delay.name, str(delay.delay_ns), str(sum(delay.own.values())), causes, inherited)
    console.print(f"memory makes {len(own)} of {len(delays)} instructions last longer; the most:")
    console.print(table)


def _print_parts(parts: Mapping[str, PartRecord], console: Console) -> None:
    around = [name for name, part in parts.items() if part.bytes is not None]
    busiest = sorted(around, key=lambda name: (-parts[name].utilisation, -parts[name].wait, name))[:PART_ROWS]
    table = table_of("part", ">requests", ">busy ns", ">utilisation", ">waited for ns", *([">bytes"] if around else []))
    for name in [*(name for name in parts if parts[name].bytes is None), *busiest]:
        part = parts[name]
        row: list[object] = [part.requests, part.busy, f"{part.utilisation:.1%}", part.wait]
        if around:
            row.append("" if part.bytes is None else part.bytes)
        table.add_row(name, *map(str, row))
    console.print(table)
    if len(around) > len(busiest):
        console.print(f"and {len(around) - len(busiest)} more links, memories and DMA engines, which are less busy")
