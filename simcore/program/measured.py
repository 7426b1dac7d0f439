"""What a hardware profile measured, kept beside the program that was derived from it. Times are integer nanoseconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from simcore.errors import InputError, Problem

SUMMARY_SCHEMA = "kernbench.measured/1"

BUSY_LANES = ("Pool", "Activation", "PE", "DMA", "DVE", "SP")
"""The lanes whose busy time a profile gives, by name, in the order of their numbers."""

WAITING_OPCODE = "EVENT_SEMAPHORE"
"""The hardware instruction that only waits; the profiler does not count it as activity of its engine, nor do we."""


@dataclass(frozen=True, slots=True)
class MeasuredInstruction:
    """One hardware instruction of the profile; ``program_name`` is the program instruction it belongs to.

    ``engine`` is a lane name (Pool, Activation, PE, DVE, SP); ``waits`` are (semaphore id, value) it waited for,
    ``sets`` are (semaphore id, increment): an instruction's own when it completes, a DMA trigger's when its transfer
    does. ``producers`` are (hardware instruction id, EdgeKind name). ``event_wait_ns`` is the profiler's own figure;
    it counts from when the engine had fetched the instruction, so it can reach back before the kernel.
    """

    id: int
    program_name: str
    opcode: str
    engine: str
    pc: int
    start_ns: int
    duration_ns: int
    event_wait_ns: int | None
    operands: str
    waits: tuple[tuple[int, int], ...]
    sets: tuple[tuple[int, int], ...]
    producers: tuple[tuple[int, str], ...]

    @property
    def end_ns(self) -> int:
        """When the instruction completed."""
        return self.start_ns + self.duration_ns


@dataclass(frozen=True, slots=True)
class DmaPacket:
    """One DMA packet as one of the sixteen DMA engines carried it.

    ``transfer`` names the program's transfer, None if that is not certain. A ``completion`` packet carries no data:
    it raises the transfer's semaphore.
    """

    engine: int
    queue: int
    kind: str
    start_ns: int
    duration_ns: int
    nbytes: int
    completion: bool
    transfer: str | None

    @property
    def end_ns(self) -> int:
        """When the packet was through."""
        return self.start_ns + self.duration_ns


@dataclass(frozen=True, slots=True)
class SemaphoreUpdate:
    """A semaphore took a value at a time."""

    semaphore: int
    time_ns: int
    value: int


@dataclass(frozen=True, slots=True)
class ThrottleState:
    """The PE clock ran at ``k`` of ``n`` steps from ``start_ns`` on for ``duration_ns``."""

    start_ns: int
    duration_ns: int
    k: int
    n: int

    @property
    def end_ns(self) -> int:
        """When the state was over."""
        return self.start_ns + self.duration_ns

    @property
    def full_speed(self) -> bool:
        """Whether the clock ran at all of its steps."""
        return self.k == self.n


@dataclass(frozen=True, slots=True)
class Measurement:
    """A profile's record of one run. The window runs from the first kernel instruction's start to the last one's end.

    ``instructions`` are ordered by start, ``packets``, ``semaphores`` and ``throttle`` likewise. Before the first
    throttle record the profile says nothing about the PE clock.
    """

    instructions: tuple[MeasuredInstruction, ...]
    packets: tuple[DmaPacket, ...]
    semaphores: tuple[SemaphoreUpdate, ...]
    throttle: tuple[ThrottleState, ...]
    window_start_ns: int
    window_end_ns: int

    @property
    def window_ns(self) -> int:
        """Length of the kernel window."""
        return self.window_end_ns - self.window_start_ns

    def engine_busy_ns(self) -> dict[str, int]:
        """Busy time inside the window by lane name: the length of the union of the lane's intervals.

        Overlapping weight loads and matmuls count once, pure waits not at all. DMA is busy while any packet of the
        kernel is under way on any DMA engine.
        """
        intervals: dict[str, list[tuple[int, int]]] = {lane: [] for lane in BUSY_LANES}
        for i in self.instructions:
            if i.opcode != WAITING_OPCODE:
                intervals[i.engine].append((i.start_ns, i.end_ns))
        intervals["DMA"] = [(p.start_ns, p.end_ns) for p in self.packets]
        begin, end = self.window_start_ns, self.window_end_ns
        return {lane: covered_ns(spans, begin, end) for lane, spans in intervals.items()}

    def transfer_spans_ns(self) -> dict[str, tuple[int, int]]:
        """(first packet's start, last packet's end) by transfer, for those whose packets are known."""
        spans: dict[str, tuple[int, int]] = {}
        for p in self.packets:
            if p.transfer is not None:
                begin, end = spans.get(p.transfer, (p.start_ns, p.end_ns))
                spans[p.transfer] = (min(begin, p.start_ns), max(end, p.end_ns))
        return spans

    def summary(self, program: str) -> MeasuredSummary:
        """The few numbers that stay with a program derived from this profile; times count from the window's start."""
        return MeasuredSummary(
            program=program,
            window_ns=self.window_ns,
            engine_busy_ns=self.engine_busy_ns(),
            hardware_instructions=len(self.instructions),
            dma_packets=len(self.packets),
            throttle=[
                SummaryThrottle(start_ns=t.start_ns - self.window_start_ns, duration_ns=t.duration_ns, k=t.k, n=t.n)
                for t in self.throttle
            ],
        )


def covered_ns(spans: Iterable[tuple[int, int]], begin: int, end: int) -> int:
    """Length of the union of ``spans`` (start, end) inside ``begin..end``."""
    total, reached = 0, begin
    for start, stop in sorted(spans):
        start, stop = max(start, reached), min(stop, end)
        if stop > start:
            total += stop - start
            reached = stop
    return total


class SummaryThrottle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The PE clock at ``k`` of ``n`` steps; ``start_ns`` counts from the window's start (negative: it began before)."""

    start_ns: int
    duration_ns: int
    k: int
    n: int


class MeasuredSummary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Measured figures that travel beside a derived program, in a file of schema ``kernbench.measured/1``.

    ``engine_busy_ns`` is by lane name. ``throttle`` begins with the first state that the profile recorded.
    """

    schema: str = SUMMARY_SCHEMA
    program: str
    window_ns: int
    engine_busy_ns: dict[str, int]
    hardware_instructions: int
    dma_packets: int
    throttle: list[SummaryThrottle]

    def save(self, path: Path) -> None:
        """Writes the summary as JSON, two spaces deep."""
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n")


def summary_path(program: Path) -> Path:
    """Where the measured summary of a program file lies: beside it, ``.measured.json`` in place of the endings."""
    stem = program.name.removesuffix(".gz").rsplit(".", 1)[0]
    return program.with_name(f"{stem}.measured.json")


def load_summary(path: Path) -> MeasuredSummary:
    """The summary in ``path``. Raises InputError if the file cannot be read or does not keep the schema."""
    try:
        summary = msgspec.json.decode(path.read_bytes(), type=MeasuredSummary)
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", str(path))]) from error
    except msgspec.DecodeError as error:
        raise InputError([Problem(f"not a measured summary: {error}", str(path))]) from error
    problems = [
        Problem(f"{name}: {value} is negative", str(path))
        for name, value in (("window_ns", summary.window_ns), *summary.engine_busy_ns.items())
        if value < 0
    ]
    if summary.schema != SUMMARY_SCHEMA:
        problems.append(Problem(f'schema "{summary.schema}" (allowed: {SUMMARY_SCHEMA})', str(path)))
    problems += [
        Problem(f'engine_busy_ns: unknown lane "{lane}" (allowed: {", ".join(BUSY_LANES)})', str(path))
        for lane in summary.engine_busy_ns
        if lane not in BUSY_LANES
    ]
    if problems:
        raise InputError(problems)
    return summary
