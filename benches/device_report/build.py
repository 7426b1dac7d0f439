"""Runs a program's blocks on a device platform and works out the report."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from benches.device_report.model import DeviceBlock, DeviceEvent, DeviceReport, DeviceTransferEvent
from benches.device_report.path import critical_path
from components.device.run import DeviceRun
from components.device.simulate import simulate_on_device, simulate_runs
from simcore.errors import InputError, Problem
from simcore.program.program import Block, Program
from simcore.timing.device.platform import DevicePlatform
from simcore.units import TICKS_PER_NS

BAND_PERCENT = (5, 95)
"""The band's ends: quantiles of the runs' windows."""


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
    blocks = [
        _block(block, _runs(program, block, platform, runs, phase_ns), events=events, explain=explain)
        for _, block in program.blocks
    ]
    return DeviceReport(
        schema="kernbench.device_run/1",
        program=program.name,
        platform=platform.name,
        arch=platform.arch,
        profiles=platform.profiles,
        runs=1 if phase_ns is not None else runs,
        window_ns=_ns(sum(block.window_ns for block in blocks)),
        low_ns=_ns(sum(block.low_ns for block in blocks)),
        high_ns=_ns(sum(block.high_ns for block in blocks)),
        blocks=blocks,
        notes=list(program.notes),
        measured_ns=None if program.measured is None else program.measured.window_ns,
    )


def _runs(
    program: Program, block: Block, platform: DevicePlatform, runs: int, phase_ns: float | None
) -> Sequence[DeviceRun]:
    if phase_ns is not None:
        return (simulate_on_device(block, platform, phase_ns=phase_ns, file=program.file),)
    return simulate_runs(block, platform, runs=runs, file=program.file)


def _block(block: Block, runs: Sequence[DeviceRun], *, events: bool, explain: bool) -> DeviceBlock:
    windows = [run.window_ps / TICKS_PER_NS for run in runs]
    mean = fmean(windows)
    low, high = np.percentile(windows, BAND_PERCENT)
    shown = min(runs, key=lambda run: abs(run.window_ps / TICKS_PER_NS - mean))
    busy = [run.engine_busy_ps() for run in runs]
    path = critical_path(shown) if explain else None
    waits: dict[str, float] = {}
    for step in path or ():
        waits[step.cause] = _ns(waits.get(step.cause, 0.0) + step.ns)
    return DeviceBlock(
        name=block.name,
        window_ns=_ns(mean),
        low_ns=_ns(float(low)),
        high_ns=_ns(float(high)),
        finish_ns=_ns(fmean(run.finish_ps for run in runs) / TICKS_PER_NS),
        busy_ns={lane: _ns(fmean(run[lane] for run in busy) / TICKS_PER_NS) for lane in busy[0]},
        full_speed_share=round(fmean(_full_share(run) for run in runs), 4),
        confidence=shown.confidence_counts(),
        shown_phase_ns=_ns(shown.phase_ns),
        shown_window_ns=_ns(shown.window_ps / TICKS_PER_NS),
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


def _full_share(run: DeviceRun) -> float:
    return sum(window.duration_ps for window in run.throttle if window.full) / max(1, run.window_ps)


def _ns(value: float) -> float:
    return round(value, 3)
