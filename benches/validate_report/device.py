"""A device platform's predictions: the device's parts run at many phases of the PE clock's throttle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benches.validate_report.timeline import Timeline
from components.device.run import DeviceRun
from components.device.simulate import NO_EFFECTS, simulate_on_device, simulate_runs
from components.device.work import Cause
from simcore.errors import InputError, Problem
from simcore.program.columns import Array, Columns, Flag
from simcore.program.opcodes import Opcode
from simcore.program.program import Program
from simcore.timing.confidence import Confidence, Facts, Level
from simcore.timing.device import DevicePlatform, Effect, fit_device_platform
from simcore.units import TICKS_PER_NS


class DevicePredictor:
    """A platform with its constants; ``without`` leaves effects out.

    ``runs``: how many phases of the throttle, each with other observed stalls of device memory. With
    ``measured_throttle`` there is one run, at the PE speeds that the program's own profile recorded.
    """

    def __init__(
        self,
        timing: str,
        platform: DevicePlatform,
        *,
        runs: int,
        measured_throttle: bool = False,
        without: frozenset[Effect] = NO_EFFECTS,
    ) -> None:
        self.timing = timing
        self.platform = platform
        self.runs = runs
        self.measured_throttle = measured_throttle
        self.without = without

    def predict(self, program: Program) -> Sequence[Timeline]:
        """The program's one block, once for each phase."""
        ((_, block),) = program.blocks
        return tuple(_timeline(block.columns, run) for run in self._runs(program, self.runs))

    def confidence(self, program: Program) -> Confidence:
        """The weakest level among the costs of the block's instructions, and the opcodes that bring it there."""
        (run, *_) = self._runs(program, 1)
        level = min((i.confidence for i in run.instructions), default=Level.UNCALIBRATED)
        weakest = sorted({i.opcode for i in run.instructions if i.confidence is level})
        return Confidence(level, Facts(weakest=tuple(weakest)))

    def _runs(self, program: Program, runs: int) -> Sequence[DeviceRun]:
        ((_, block),) = program.blocks
        file = program.file
        if program.arch != self.platform.arch:
            message = f"ran on {program.arch}, but {self.timing} is of {self.platform.arch} (allowed: the same)"
            raise InputError([Problem(message, file)])
        if not self.measured_throttle:
            return simulate_runs(block, self.platform, runs=runs, without=self.without, file=file)
        measured = program.measured
        if measured is None or not measured.throttle:
            message = 'the table "ham" records no PE clock (allowed: without --measured-throttle)'
            raise InputError([Problem(message, file)])
        run = simulate_on_device(block, self.platform, without=self.without, measured_throttle=measured, file=file)
        return (run,)


class DeviceFitter:
    """Platforms fitted to profiles."""

    effects: Sequence[str] = tuple(effect.value for effect in Effect)

    def __init__(self, timing: str, *, runs: int, measured_throttle: bool) -> None:
        self.timing = timing
        self.runs = runs
        self.measured_throttle = measured_throttle
        self._platforms: dict[tuple[str, ...], DevicePlatform] = {}

    def with_constants_of(self, platform: DevicePlatform, *, without: str | None = None) -> DevicePredictor:
        """The predictor of a platform that is there."""
        left_out = NO_EFFECTS if without is None else frozenset({Effect(without)})
        return DevicePredictor(
            self.timing, platform, runs=self.runs, measured_throttle=self.measured_throttle, without=left_out
        )

    def fitted(self, profiles: Sequence[Program], *, without: str | None = None) -> DevicePredictor:
        """A platform whose constants come from ``profiles`` alone."""
        files = tuple(profile.file for profile in profiles)
        if files not in self._platforms:  # an effect that is left out leaves the constants as they are
            self._platforms[files] = fit_device_platform(list(profiles))
        return self.with_constants_of(self._platforms[files], without=without)


def _timeline(columns: Columns, run: DeviceRun) -> Timeline:
    names = columns.name_list()
    number = {name: k for k, name in enumerate(names)}
    instructions = {i.name: i for i in run.instructions}
    first = np.cumsum(columns.dep_count, dtype=np.int64) - columns.dep_count
    start, end = np.empty(len(names)), np.empty(len(names))
    cause, on = [], np.full(len(names), -1, dtype=np.int64)
    for event, name in enumerate(names):
        if columns.flags[event] & Flag.TRANSFER:
            start[event], end[event] = run.transfers[name]
            on[event] = event - 1
            cause.append(Cause.dependency.value)
            continue
        instruction = instructions[name]
        start[event], end[event] = instruction.start_ps, instruction.end_ps
        cause.append(instruction.cause.value)
        if instruction.on is not None:
            edges = columns.dep_on[first[event] : first[event] + columns.dep_count[event]]
            on[event] = _waited_for(columns, edges, number[instruction.on])
    return Timeline(
        start=start / TICKS_PER_NS,
        end=end / TICKS_PER_NS,
        cause=tuple(cause),
        on=on,
        busy={lane: busy / TICKS_PER_NS for lane, busy in run.engine_busy_ps().items()},
        window_ns=run.window_ps / TICKS_PER_NS,
    )


def _waited_for(columns: Columns, edges: Array, on: int) -> int:
    """The event waited for: where a trigger is named and its transfer is a producer, it was the transfer."""
    started = columns.opcode[on] == Opcode.DMATrigger
    return on + 1 if started and on + 1 in edges else on
