"""Runs a program's blocks on a device platform and works out the report."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from benches.band import DIGITS, band_of, nearest_to_mean
from benches.device_report.model import DeviceBlock, DeviceEvent, DeviceReport, DeviceTransferEvent
from benches.device_report.path import critical_path
from components.device.run import DeviceRun
from components.device.simulate import simulate_on_device, simulate_runs
from simcore.errors import InputError, Problem
from simcore.program.program import Block, Program
from simcore.timing.device.lowering import unused_costs
from simcore.timing.device.platform import DevicePlatform
from simcore.units import TICKS_PER_NS


def device_report(
    program: Program,
    platform: DevicePlatform,
    *,
    runs: int,
    phase_ns: float | None,
    events: bool,
    explain: bool,
) -> DeviceReport:
    """The report of ``program``: over ``runs`` evenly spaced phases, or at the one of ``phase_ns``.

    Raises InputError for a program of another generation and for what the device model does not know.
    """
    if program.arch != platform.arch:
        message = f"is for {program.arch}, but platform {platform.name} is a {platform.arch} device"
        raise InputError([Problem(message, program.file)])
    done = [(block, _runs(program, block, platform, runs, phase_ns)) for _, block in program.blocks]
    count = 1 if phase_ns is not None else runs
    whole_ns = [sum(_window_ns(own[number]) for _, own in done) for number in range(count)]
    return DeviceReport(
        schema="kernbench.device-run/1",
        program=program.name,
        platform=platform.name,
        arch=platform.arch,
        profiles=platform.profiles,
        runs=count,
        window_ns=_ns(fmean(whole_ns)),
        band_ns=band_of(whole_ns),
        blocks=[_block(block, own, events=events, explain=explain) for block, own in done],
        notes=[*program.notes, *_unused_costs(program)],
        measured_ns=None if program.measured is None else program.measured.window_ns,
    )


def _unused_costs(program: Program) -> list[str]:
    count = sum(unused_costs(block) for _, block in program.blocks)
    if not count:
        return []
    return [f"given costs of transfers and waiting instructions are not used, a platform has its own: {count}"]


def _runs(
    program: Program, block: Block, platform: DevicePlatform, runs: int, phase_ns: float | None
) -> Sequence[DeviceRun]:
    if phase_ns is not None:
        return (simulate_on_device(block, platform, phase_ns=phase_ns, file=program.file),)
    return simulate_runs(block, platform, runs=runs, file=program.file)


def _block(block: Block, runs: Sequence[DeviceRun], *, events: bool, explain: bool) -> DeviceBlock:
    windows_ns = [_window_ns(run) for run in runs]
    shown = runs[nearest_to_mean(windows_ns)]
    busy = [run.engine_busy_ps() for run in runs]
    path = critical_path(shown) if explain else None
    waits: dict[str, float] = {}
    for step in path or ():
        waits[step.cause] = _ns(waits.get(step.cause, 0.0) + step.ns)
    return DeviceBlock(
        name=block.name,
        window_ns=_ns(fmean(windows_ns)),
        band_ns=band_of(windows_ns),
        finish_ns=_ns(fmean(run.finish_ps for run in runs) / TICKS_PER_NS),
        busy_ns={lane: _ns(fmean(run[lane] for run in busy) / TICKS_PER_NS) for lane in busy[0]},
        full_speed_share=round(fmean(run.full_speed_ps / max(1, run.window_ps) for run in runs), 4),
        confidence=shown.confidence_counts(),
        shown_phase_ns=_ns(shown.phase_ns),
        shown_window_ns=_ns(_window_ns(shown)),
        waits_ns=dict(sorted(waits.items(), key=lambda item: -item[1])) if explain else None,
        path=path,
        events=[_event(shown, number) for number in range(len(shown.instructions))] if events else None,
        transfers=[
            DeviceTransferEvent(name, _ns(start / TICKS_PER_NS), _ns(end / TICKS_PER_NS))
            for name, (start, end) in shown.transfers.items()
        ]
        if events
        else None,
    )


def _event(run: DeviceRun, number: int) -> DeviceEvent:
    instruction = run.instructions[number]
    return DeviceEvent(
        name=instruction.name,
        opcode=instruction.opcode,
        engine=instruction.engine,
        start_ns=_ns(instruction.start_ps / TICKS_PER_NS),
        end_ns=_ns(instruction.end_ps / TICKS_PER_NS),
        cause=instruction.cause.value,
        confidence=instruction.confidence.name,
        on=instruction.on,
    )


def _window_ns(run: DeviceRun) -> float:
    return run.window_ps / TICKS_PER_NS


def _ns(value: float) -> float:
    return round(value, DIGITS)
