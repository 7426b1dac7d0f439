"""A profile of a device that is simulated: what a profiler would have written down of a run, with noise."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from components.device.simulate import simulate_on_device
from simcore.kernel import Row
from simcore.program.measured import (
    DmaPacket,
    MeasuredInstruction,
    Measurement,
    SemaphoreUpdate,
    ThrottleState,
)
from simcore.program.program import Program
from simcore.timing.device.lowering import DeviceOp, Kind, device_ops
from simcore.timing.device.platform import DevicePlatform

FULL_STEPS = 16
"""The value of a transfer's semaphore: one for each DMA engine."""

HARDWARE = {
    Kind.compute: "COPY",
    Kind.table_load: "ACT_TABLE_LOAD",
    Kind.trigger: "DMA_DIRECT2D",
    Kind.wait: "EVENT_SEMAPHORE",
}


def profile_of(program: Program, platform: DevicePlatform, *, draw: int, phase_ns: float, noise_ns: float) -> Program:
    """``program`` with the measurements of a run on ``platform``; every time is off by up to ``noise_ns``."""
    ((_, block),) = program.blocks
    log: list[Row] = []
    run = simulate_on_device(block, platform, draw=draw, phase_ns=phase_ns, log=log)
    seen = _Recorder(device_ops(block, program.arch), Random(draw), noise_ns)
    for row in log:
        seen.take(row)
    begin = min(row.start_ns for row in seen.instructions)
    measured = Measurement(
        instructions=tuple(sorted(seen.instructions, key=lambda i: (i.start_ns, i.pc, i.id))),
        packets=tuple(sorted(seen.packets, key=lambda p: (p.start_ns, p.queue, p.engine))),
        semaphores=tuple(sorted(seen.semaphores, key=lambda u: u.time_ns)),
        throttle=tuple(
            ThrottleState(begin + w.start_ps // 1000, w.duration_ps // 1000, 8 if w.full else 4, 8)
            for w in run.throttle
            if w.start_ps > 0
        ),
        window_start_ns=begin,
        window_end_ns=max(row.end_ns for row in seen.instructions),
    )
    return Program(
        name=f"{program.name} {draw}",
        arch=program.arch,
        arch_version=program.arch_version,
        functions=program.functions,
        file=program.file,
        measured=measured,
    )


class _Recorder:
    def __init__(self, ops: tuple[DeviceOp, ...], random: Random, noise_ns: float) -> None:
        self.ops = {op.name: op for op in ops}
        self.by_index = {op.index: op for op in ops}
        self.transfers = {op.transfer.name: op for op in ops if op.transfer is not None}
        self.random, self.noise_ns = random, noise_ns
        self.instructions: list[MeasuredInstruction] = []
        self.packets: list[DmaPacket] = []
        self.semaphores: list[SemaphoreUpdate] = []
        self._started: dict[str, int] = {}
        self._passes: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        self._loading = 0
        self._id = 0

    def take(self, row: Row) -> None:
        """One row of the event log."""
        at, part, what, name, *rest = row
        name = str(name)
        if what == "start":
            self._started[name] = at
        elif what == "load":
            self._loading = at
        elif what == "multiply":
            self._passes[name].append((self._loading, at, at + int(rest[0])))
        elif what == "end":
            self._instruction(self.ops[name], at)
        elif what == "set" and part.endswith(".queue"):
            trigger = self.transfers[name]
            self.semaphores.append(SemaphoreUpdate(self._of_transfer(trigger), self._ns(at), FULL_STEPS))
        elif what == "set" and self.ops[name].kind in (Kind.compute, Kind.matmul, Kind.table_load):
            self.semaphores.append(SemaphoreUpdate(self._of(self.ops[name]), self._ns(at), 1))
        elif what in ("packet", "completion"):
            transfer = self.transfers[name].transfer
            assert transfer is not None
            start, nbytes = self._ns(at), 4 if what == "completion" else transfer.packet_bytes
            # packets of a real engine overlap by 3 ns
            lasts = int(rest[0]) // 1000 + 3
            engine = int(part.rsplit("engine", 1)[1])
            queue = len(transfer.queue)
            self.packets.append(DmaPacket(engine, queue, "", start, lasts, nbytes, what == "completion", name))

    def _instruction(self, op: DeviceOp, end: int) -> None:
        sets: tuple[tuple[int, int], ...] = ()
        if op.kind is Kind.trigger:
            sets = ((self._of_transfer(op), FULL_STEPS),)
        elif op.kind is not Kind.wait:
            sets = ((self._of(op), 1),)
        waits = tuple(
            (self._of_transfer(self.by_index[p]), FULL_STEPS) if of_transfer else (self._of(self.by_index[p]), 1)
            for p, of_transfer in op.waits
        )
        if op.kind is not Kind.matmul:
            self._add(op, HARDWARE[op.kind], self._started[op.name], end, waits, sets)
            return
        passes = self._passes.pop(op.name)
        for number, (load, begin, done) in enumerate(passes):
            last = number == len(passes) - 1
            self._add(op, "LDWEIGHTS", load, begin, waits if number == 0 else (), ())
            self._add(op, "MATMUL", max(load + 2000, begin), done, (), sets if last else ())

    def _add(
        self,
        op: DeviceOp,
        opcode: str,
        start: int,
        end: int,
        waits: tuple[tuple[int, int], ...],
        sets: tuple[tuple[int, int], ...],
    ) -> None:
        self._id += 1
        begin = self._ns(start)
        lasts = max(0, self._ns(end) - begin)
        row = MeasuredInstruction(
            id=self._id,
            program_name=op.name,
            opcode=opcode,
            engine=op.engine,
            pc=self._id,
            start_ns=begin,
            duration_ns=lasts,
            event_wait_ns=None,
            operands="",
            waits=waits,
            sets=sets,
            producers=(),
        )
        self.instructions.append(row)

    def _of(self, op: DeviceOp) -> int:
        return 2 * op.index

    def _of_transfer(self, op: DeviceOp) -> int:
        return 2 * op.index + 1

    def _ns(self, ticks: int) -> int:
        return round(ticks / 1000 + self.random.uniform(-self.noise_ns, self.noise_ns)) + 1000
