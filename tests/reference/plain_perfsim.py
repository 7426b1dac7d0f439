"""PerfSim a second time, written to be read rather than to be fast: a check on the product, used by tests only.

One object per event, timelines as lists, one line of code per line of the rule. Input is a stream document
(``kernbench.stream/1``) as a plain dict with ``cost`` on every instruction; there is no oracle here. All times are
integer nanoseconds.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.reference.plain_program import (
    ACTIVATION,
    ALL,
    ANTI,
    ARCH_NAMES,
    ARCH_VERSIONS,
    COLLECTIVE_COMPUTE,
    COLLECTIVE_OPCODES,
    DMA,
    DMA_TRIGGER,
    DVE,
    LANES,
    LOOP,
    ORDERED,
    PE,
    POOL,
    SP,
    STREAM_LANES,
    PsumUse,
    Record,
    edges_of,
    every_instruction,
    lane_of,
    opcode_number,
    psum_use,
    queue_of,
    stream_id_of,
)

FULL, HALF, THREE_QUARTERS, QUARTER = Fraction(1), Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)
SHARES_BY_ARCH = {
    "sunda": (FULL, FULL, FULL, FULL),
    "gen3": (THREE_QUARTERS, QUARTER),
    "core_v4": (HALF, QUARTER, QUARTER),
}
SHARES_BY_HIGHEST_STREAM = ((FULL,), (THREE_QUARTERS, QUARTER), (HALF, QUARTER, QUARTER))

DEFAULT_RING_DEPTHS = {10: 4, 12: 1}


@dataclass(frozen=True)
class PlainEvent:
    """Where one instruction ended up; times in ns."""

    name: str
    lane: int
    start: int
    duration: int
    next_dispatch: int

    @property
    def end(self) -> int:
        return self.start + self.duration


@dataclass
class Event:
    """An instruction on a timeline; ``duration`` can still grow under collective reflow."""

    instruction: Record
    opcode: int
    lane: int
    region: int
    start: int
    duration: int

    @property
    def end(self) -> int:
        return self.start + self.duration


class Walk:
    """The state of one block's pass: timelines, banks and rings, all empty at first."""

    def __init__(
        self,
        instructions: Sequence[Record],
        *,
        arch: str,
        include_anti: bool,
        coupled: bool,
        clamped: bool,
        ring_depths: Mapping[int, int],
        collective_share: str,
        overlap_windows: tuple[int, int],
        reflow: tuple[float, float] | None,
    ) -> None:
        self.arch = arch
        self.include_anti = include_anti
        self.coupled = coupled
        self.clamped = clamped
        self.ring_depths = ring_depths
        self.collective_share = collective_share
        self.compute_window, self.dma_window = overlap_windows
        self.reflow = reflow
        self.names: set[str] = set()
        self.highest_stream = 0
        for instruction in every_instruction(instructions):
            if instruction["name"] in self.names:
                raise ValueError(f"{instruction['name']}: the name is taken")
            self.names.add(instruction["name"])
            if opcode_number(instruction) in COLLECTIVE_OPCODES:
                self.highest_stream = max(self.highest_stream, stream_id_of(instruction))
        self.timelines: list[list[Event]] = [[] for _ in range(LANES)]
        self.program_order: list[Event] = []
        self.event_of: dict[str, Event] = {}
        self.ready_of: dict[str, int] = {}
        self.bank_time: dict[int, int] = {}
        self.psum_writer_end: dict[int, int] = {}
        self.rings: dict[int, deque[tuple[Record, Record]]] = {queue: deque() for queue in range(13)}

    def walk(self, instructions: Sequence[Record]) -> None:
        for instruction in instructions:
            opcode = opcode_number(instruction)
            if opcode == LOOP:
                self.walk(instruction["body"])
            elif opcode == DMA_TRIGGER:
                trigger = self.place(instruction, lane_of(instruction), floor=0)
                self.place(instruction["transfer"], DMA, floor=trigger.start)
            else:
                self.place(instruction, lane_of(instruction), floor=0)

    def place(self, instruction: Record, lane: int, *, floor: int) -> Event:
        name = instruction["name"]
        opcode = opcode_number(instruction)
        psum = psum_use(instruction)
        ready = self.ready_time(instruction, lane)
        self.ready_of[name] = ready
        start = max(self.start_time(ready, lane, psum), floor)
        cost = self.cost(instruction, lane)
        if opcode == COLLECTIVE_COMPUTE and lane in STREAM_LANES and self.reflow is not None:
            cost = self.reflow_overlapping(lane, start, cost)
        if opcode == DMA_TRIGGER:
            queue = queue_of(instruction)
            ring, depth = self.rings[queue], self.ring_depths.get(queue, 0)
            if depth > 0 and len(ring) >= depth:
                _, oldest_transfer = ring.popleft()
                start = max(start, self.next_dispatch(self.event_of[oldest_transfer["name"]]))
            ring.append((instruction, instruction["transfer"]))
        event = Event(instruction, opcode, lane, instruction.get("region", 0), start, cost)
        self.timelines[lane].append(event)
        self.program_order.append(event)
        self.event_of[name] = event
        if cost > 0:
            if psum.is_writer:
                self.psum_writer_end[lane] = event.end
            for bank in psum.reads + psum.writes:
                self.bank_time[bank] = self.next_dispatch(event)
        return event

    def ready_time(self, instruction: Record, lane: int) -> int:
        ready = 0
        region = instruction.get("region", 0)
        for producer_name, kind in edges_of(instruction).items():
            if kind == ANTI and not self.include_anti:
                continue
            if producer_name not in self.names:
                raise ValueError(f"{instruction['name']}: no instruction {producer_name} in this block")
            if producer_name not in self.event_of:  # a Loop, or an instruction that comes later
                continue
            producer = self.event_of[producer_name]
            if producer.region != region:
                continue
            time = producer.start
            if producer.opcode != DMA_TRIGGER:
                time += producer.duration
            if kind == ORDERED:
                time = self.next_dispatch(producer)
                consumer_qualifies = opcode_number(instruction) == COLLECTIVE_COMPUTE or lane == POOL
                if consumer_qualifies and producer.opcode == COLLECTIVE_COMPUTE:
                    time = min(time, self.ready_of[producer_name])
            ready = max(ready, time)
        return ready

    def start_time(self, ready: int, lane: int, psum: PsumUse) -> int:
        if lane == ALL:
            free = max(self.lane_next_dispatch(sub) for sub in (ACTIVATION, DVE, PE, POOL, SP))
        else:
            free = self.lane_next_dispatch(lane)
        start = max(ready, free)
        if psum.is_writer:
            if psum.writes:
                for bank in psum.writes:
                    start = max(start, self.bank_time.get(bank, 0))
            else:
                for time in self.bank_time.values():
                    start = max(start, time)
        if self.coupled:
            if lane == DVE:
                start = max(start, self.lane_next_dispatch(POOL))
            if lane == POOL:
                start = max(start, self.lane_next_dispatch(DVE))
        if self.clamped and lane == ACTIVATION:
            start = max(start, self.psum_writer_end.get(DVE, 0), self.psum_writer_end.get(POOL, 0))
        return start

    def lane_next_dispatch(self, lane: int) -> int:
        return self.next_dispatch(self.timelines[lane][-1]) if self.timelines[lane] else 0

    def next_dispatch(self, event: Event) -> int:
        if event.duration <= self.compute_window:
            return event.end
        if event.lane == DMA:
            return event.end if event.duration < self.dma_window else event.end - self.dma_window
        if event.lane in STREAM_LANES:
            return event.end
        if event.opcode == DMA_TRIGGER:
            return event.end
        return event.end - self.compute_window

    def cost(self, instruction: Record, lane: int) -> int:
        cost = instruction.get("cost")
        if cost is None:
            raise ValueError(f"{instruction['name']}: no cost; this reference has no oracle")
        if opcode_number(instruction) != COLLECTIVE_COMPUTE or lane not in STREAM_LANES:
            return int(cost)
        return math.floor(Fraction(cost) / self.share(lane - STREAM_LANES[0], instruction["name"]))

    def share(self, stream: int, name: str) -> Fraction:
        shares: tuple[Fraction, ...] = ()
        if self.collective_share == "arch":
            shares = SHARES_BY_ARCH.get(self.arch, ())
        elif self.collective_share == "max_stream":
            if self.highest_stream < len(SHARES_BY_HIGHEST_STREAM):
                shares = SHARES_BY_HIGHEST_STREAM[self.highest_stream]
        else:
            raise ValueError(f"collective_share {self.collective_share!r} (arch, max_stream)")
        if stream >= len(shares):
            raise ValueError(f"{name}: the share of stream {stream} is not modelled")
        return shares[stream]

    def reflow_overlapping(self, lane: int, start: int, cost: int) -> int:
        """The new collective's longer cost; lengthens the collectives on other streams that it overlaps."""
        assert self.reflow is not None
        weight_new, weight_old = self.reflow
        longer = cost
        for other in self.program_order:
            if other.opcode != COLLECTIVE_COMPUTE or other.lane not in STREAM_LANES or other.lane == lane:
                continue
            overlap = min(start + cost, other.end) - max(start, other.start)
            if overlap > 0:
                longer += math.floor(weight_new * overlap)
                other.duration += math.floor(weight_old * overlap)
        return longer


def simulate_block(
    doc: Record,
    function_index: int,
    block_index: int,
    *,
    include_anti: bool = True,
    ring_depths: Mapping[int, int] | None = None,
    collective_share: str = "arch",
    overlap_windows: tuple[int, int] = (100, 1300),
    pool_dve_coupling: bool | None = None,
    activation_clamp: bool | None = None,
    reflow: tuple[float, float] | None = None,
) -> list[PlainEvent]:
    """The block's events in program order, each transfer right after its trigger.

    ``ring_depths`` (queue -> depth) replaces the default {10: 4, 12: 1}; a queue that is missing or has a depth of 0
    or less never fills. ``overlap_windows`` is (compute, DMA) in ns. ``pool_dve_coupling`` None means coupled when
    arch_version <= 29; ``activation_clamp`` None means as the coupling is. ``reflow`` is the pair of weights (of the
    new collective, of those it overlaps). Raises ValueError for a missing cost, an unknown producer, a repeated
    name, a stream without a share.
    """
    word: str = doc["arch"]
    arch = ARCH_NAMES.get(word, word)
    arch_version: int | None = doc.get("arch_version")
    if arch_version is None:
        arch_version = ARCH_VERSIONS[arch]
    coupled = arch_version <= 29 if pool_dve_coupling is None else pool_dve_coupling
    instructions: Sequence[Record] = doc["functions"][function_index]["blocks"][block_index]["instructions"]
    state = Walk(
        instructions,
        arch=arch,
        include_anti=include_anti,
        coupled=coupled,
        clamped=coupled if activation_clamp is None else activation_clamp,
        ring_depths=DEFAULT_RING_DEPTHS if ring_depths is None else ring_depths,
        collective_share=collective_share,
        overlap_windows=overlap_windows,
        reflow=reflow,
    )
    state.walk(instructions)
    return [
        PlainEvent(e.instruction["name"], e.lane, e.start, e.duration, state.next_dispatch(e))
        for e in state.program_order
    ]


def critical_path(events: Sequence[PlainEvent]) -> int:
    """The source's figure (ns): the latest end among the last event of each lane."""
    last_of_lane = {event.lane: event for event in events}
    return max((event.end for event in last_of_lane.values()), default=0)


def makespan(events: Sequence[PlainEvent]) -> int:
    """The latest end (ns) of all events."""
    return max((event.end for event in events), default=0)
