"""What a run of a block on the device was: instructions, transfers, the PE's speeds, all from the window's start on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from components.device.work import Cause
from simcore.program.measured import BUSY_LANES, covered_ns
from simcore.timing.confidence import Level
from simcore.timing.device.lowering import Kind


@dataclass(frozen=True, slots=True)
class DeviceInstruction:
    """One instruction. ``cause`` is what its start waited for last, and ``on`` the instruction behind that;
    ``confidence`` is how far its own cost can be trusted."""

    name: str
    opcode: str
    engine: str
    kind: Kind
    start_ps: int
    end_ps: int
    cause: Cause
    on: str | None
    confidence: Level


@dataclass(frozen=True, slots=True)
class ThrottleWindow:
    """A stretch of time in which the PE ran at one speed."""

    start_ps: int
    duration_ps: int
    full: bool


@dataclass(frozen=True, slots=True)
class DeviceRun:
    """A run. Times count from the start of the first instruction; ``window_ps`` is the end of the last.

    ``transfers`` are (start of the first packet, end of the last) by name. ``phase_ns`` and ``draw`` are what the run
    was given.
    """

    instructions: tuple[DeviceInstruction, ...]
    transfers: dict[str, tuple[int, int]]
    throttle: tuple[ThrottleWindow, ...]
    window_ps: int
    phase_ns: float
    draw: int | None

    @property
    def finish_ps(self) -> int:
        """When the last instruction and the last transfer have ended: later than the window if nobody waits for it."""
        return max(self.window_ps, *(end for _, end in self.transfers.values()), 0)

    @property
    def full_speed_ps(self) -> int:
        """For how long the PE's clock was at full speed."""
        return sum(window.duration_ps for window in self.throttle if window.full)

    def engine_busy_ps(self) -> dict[str, int]:
        """Busy time by lane, as :meth:`Measurement.engine_busy_ns` counts it: unions of intervals, pure waits not."""
        spans: dict[str, list[tuple[int, int]]] = {lane: [] for lane in BUSY_LANES}
        for instruction in self.instructions:
            if instruction.opcode != "EventSemaphore" and instruction.engine != "DMA":
                spans[instruction.engine].append((instruction.start_ps, instruction.end_ps))
        spans["DMA"] = list(self.transfers.values())
        return {lane: covered_ns(found, 0, self.window_ps) for lane, found in spans.items()}

    def confidence_counts(self) -> dict[str, int]:
        """How many instructions have a cost of each level, least trusted first."""
        count = Counter(instruction.confidence for instruction in self.instructions)
        return {level.name: count[level] for level in Level if count[level]}
