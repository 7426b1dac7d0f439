"""A profile as the estimators read it: hardware instructions with their operations, waits and semaphores, packets."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from simcore.errors import InputError, Problem
from simcore.oracle.registry import oracle_of
from simcore.program.engines import Engine
from simcore.program.measured import DmaPacket, MeasuredInstruction, Measurement
from simcore.program.program import Program
from simcore.timing.device.lowering import DeviceOp, Kind, device_ops
from simcore.timing.device.packets import DeviceTransfer

TRIGGER = "DMA_DIRECT2D"
FULL, HALF = 1.0, 0.5
"""The PE's speeds, as shares of its clock."""


def clock_ghz(arch: str, engine: str) -> float:
    """The engine's documented clock; 0 for one that has none."""
    return oracle_of(arch, "public").hardware.clocks[Engine[engine]] / 100


@dataclass(frozen=True)
class Observed:
    """One profile: its program's operations beside what was measured of them."""

    program: Program
    measured: Measurement
    ops: tuple[DeviceOp, ...]

    @cached_property
    def op_of(self) -> dict[str, DeviceOp]:
        """Operations by name."""
        return {op.name: op for op in self.ops}

    @cached_property
    def by_engine(self) -> dict[str, list[MeasuredInstruction]]:
        """Hardware instructions by engine, in order of start."""
        found: dict[str, list[MeasuredInstruction]] = defaultdict(list)
        for row in self.measured.instructions:
            found[row.engine].append(row)
        return dict(found)

    @cached_property
    def triggers(self) -> list[tuple[MeasuredInstruction, DeviceTransfer]]:
        """Triggers in order of start, with their transfers."""
        rows = (row for row in self.measured.instructions if row.opcode == TRIGGER)
        return [(row, t) for row in rows if (t := self.op_of[row.program_name].transfer) is not None]

    @cached_property
    def packets(self) -> dict[str, dict[int, list[DmaPacket]]]:
        """Packets by transfer and DMA engine, in order of start."""
        found: dict[str, dict[int, list[DmaPacket]]] = defaultdict(lambda: defaultdict(list))
        for packet in self.measured.packets:
            if packet.transfer is not None:
                found[packet.transfer][packet.engine].append(packet)
        return found

    @cached_property
    def on_engine(self) -> dict[int, list[DmaPacket]]:
        """Packets by DMA engine, in order of start."""
        found: dict[int, list[DmaPacket]] = defaultdict(list)
        for packet in self.measured.packets:
            if packet.transfer is not None:
                found[packet.engine].append(packet)
        return dict(sorted(found.items()))

    def documented_ns(self, op: DeviceOp, speedup: int = 1) -> float:
        """The operation's documented cycles at its engine's clock."""
        ghz = clock_ghz(self.program.arch, op.engine)
        return op.cycles / speedup / ghz if ghz else 0.0

    def waited_until_ns(self, row: MeasuredInstruction) -> int | None:
        """When the last semaphore that ``row`` waited for had its value; None if it waited for none."""
        times = []
        for semaphore, needed in row.waits:
            reached = [at for at, value in self._updates[semaphore] if value >= needed and at <= row.start_ns]
            times += [min(reached)] if reached else []
        return max(times, default=None)

    def set_after_ns(self, row: MeasuredInstruction, within_ns: int) -> int | None:
        """From ``row``'s end to the first update of the semaphore that it raises, at most ``within_ns`` later."""
        delays = [
            at - row.end_ns
            for semaphore, step in row.sets
            if step == 1
            for at, _ in self._updates[semaphore]
            if 0 <= at - row.end_ns <= within_ns
        ]
        return min(delays, default=None)

    def completed_ns(self, trigger: MeasuredInstruction) -> int | None:
        """When the semaphore of a trigger's transfer had its full value."""
        semaphore, step = trigger.sets[0]
        times = (at for at, value in self._updates[semaphore] if value and value % step == 0 and at > trigger.start_ns)
        return min(times, default=None)

    def speed_at(self, time_ns: float) -> float:
        """The PE's speed by the throttle record; half where it says nothing."""
        for state in self.measured.throttle:
            if state.start_ns <= time_ns < state.end_ns:
                return FULL if state.full_speed else HALF
        return HALF

    @cached_property
    def _updates(self) -> dict[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for update in self.measured.semaphores:
            found[update.semaphore].append((update.time_ns, update.value))
        return found

    def is_compute(self, row: MeasuredInstruction) -> bool:
        """Whether ``row`` computes on an engine's datapath."""
        return self.op_of[row.program_name].kind is Kind.compute


def observe(program: Program) -> Observed:
    """The profile behind ``program``. Raises InputError if it is none."""
    measured = program.measured
    if measured is None:
        raise InputError([Problem("holds no measurements (expected neuron-profile JSON)", program.file)])
    if len(program.blocks) != 1:
        raise InputError([Problem(f"holds {len(program.blocks)} blocks (expected 1)", program.file)])
    ops = device_ops(program.blocks[0][1], program.arch, file=program.file)
    return Observed(program, measured, ops)
