"""PerfSim one instruction at a time, for whoever decides the order: place, ask, checkpoint, roll back.

The walk that runs over whole blocks runs here over one event at a time (a trigger and its transfer are two), on
arrays that grow. A schedule built step by step therefore equals the estimate of the finished block.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from simcore.errors import InputError, Problem
from simcore.oracle import cost_block
from simcore.perfsim.block_walk import WalkSettings, fresh_state
from simcore.perfsim.compiled import plain_walk
from simcore.perfsim.lower import lower
from simcore.perfsim.options import PerfSimOptions
from simcore.perfsim.walk import (
    EDGE_CURSOR,
    LANE_DISPATCH,
    LANE_END,
    LANES,
    PSUM_WRITE,
    RING_CURSOR,
    RING_FULL,
    TRIGGER,
)
from simcore.program.build import program_from_record
from simcore.program.edges import EdgeKind
from simcore.program.engines import Lane
from simcore.program.generations import generation
from simcore.program.instruction import BlockRecord, FunctionRecord, Instruction, ProgramRecord
from simcore.program.lanes import rings_of
from simcore.program.opcodes import Opcode
from simcore.program.vocabulary import QUEUE_COUNT

_EVENT_ROWS = ("duration", "lane", "klass", "bank_waits", "bank_sets")


@dataclass(frozen=True, slots=True)
class Placed:
    """Times of one placed event, in ns."""

    name: str
    lane: Lane
    start: int
    duration: int
    next_dispatch: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A point to roll back to."""

    events: int
    state: tuple[int, ...]
    rings: tuple[tuple[int, ...], ...]


class Simulator:
    """Timelines that grow by one instruction at a time.

    Edges to names that are not placed are ignored, as are those from another region. The optional collective reflow
    changes events that are already placed, so it is refused here (ValueError).
    """

    def __init__(
        self, arch: str, *, timing: str = "hwm", options: PerfSimOptions | None = None, include_anti_deps: bool = True
    ) -> None:
        self.arch = generation(arch).name
        self.timing = timing
        self.options = options or PerfSimOptions()
        if self.options.collective_reflow != "none":
            raise ValueError("collective_reflow changes placed events; use an estimate of the whole block")
        self._settings = WalkSettings.of(
            self.options, generation(arch).arch_version, include_anti_deps=include_anti_deps
        )
        self._alone = self._settings.without_lanes()
        self._state: list[int] = fresh_state().tolist()
        self._rings: list[deque[int]] = [deque() for _ in range(QUEUE_COUNT)]
        self._index: dict[str, int] = {}
        self._region: list[int] = []
        self._placed: list[Placed] = []
        self._rows: dict[str, list[int]] = {key: [] for key in _EVENT_ROWS}
        self._edges: dict[str, list[int]] = {"dep_count": [], "dep_on": [], "dep_kind": []}
        self._ring_head: list[int] = []
        self._times: list[int] = []
        self._written: dict[str, list[int]] = {key: [] for key in ("cause", "on", "ready_at", "ready_on")}

    def place(self, instruction: Instruction, *, floor_ns: int = 0, lane: Lane | None = None) -> list[Placed]:
        """Adds ``instruction`` (and a trigger's transfer) as early as the rules allow, not before ``floor_ns``.

        ``lane`` overrides where it runs; its overlap window stays that of its own lane, as in the source. Raises
        InputError for an invalid instruction, a loop, or a name already placed; nothing is placed then.
        """
        return self._place(instruction, floor_ns, lane, self._settings, ignored=0)

    def start_of(self, instruction: Instruction, *, floor_ns: int = 0, lane: Lane | None = None) -> int:
        """When ``instruction`` would start, without placing it."""
        return self._try(instruction, floor_ns, lane, self._settings, ignored=0)

    def ready_time(self, instruction: Instruction) -> int:
        """When its placed producers (and its ring) let ``instruction`` go, whatever its lane and banks say."""
        return self._try(instruction, 0, None, self._alone, ignored=PSUM_WRITE)

    def is_ring_ready(self, ring: int, time_ns: int) -> bool:
        """Whether a trigger on ``ring`` would find a slot at ``time_ns``."""
        depth, queue = self.options.depth(ring), self._rings[ring]
        return depth is None or len(queue) < depth or self._times[2 * queue[0] + 1] <= time_ns

    def end_ns(self) -> int:
        """The critical path so far: the latest of the lanes' last ends."""
        return max(self._state[LANE_END : LANE_END + LANES])

    def next_dispatch_ns(self, lane: Lane) -> int:
        """When ``lane`` can issue again."""
        return self._state[LANE_DISPATCH + lane]

    def checkpoint(self) -> Checkpoint:
        """The present moment, to come back to."""
        return Checkpoint(len(self._placed), tuple(self._state), tuple(tuple(r) for r in self._rings))

    def rollback(self, checkpoint: Checkpoint) -> None:
        """Forgets everything placed since ``checkpoint``."""
        n = checkpoint.events
        for event in self._placed[n:]:
            del self._index[event.name]
        del self._placed[n:], self._region[n:]
        for column in (*self._rows.values(), *self._written.values()):
            del column[n:]
        del self._times[2 * n :]
        del self._edges["dep_count"][n:]
        for key in ("dep_on", "dep_kind"):
            del self._edges[key][checkpoint.state[EDGE_CURSOR] :]
        del self._ring_head[checkpoint.state[RING_CURSOR] :]
        self._state = list(checkpoint.state)
        self._rings = [deque(ring) for ring in checkpoint.rings]

    @property
    def events(self) -> tuple[Placed, ...]:
        """Everything placed, in order of placement."""
        return tuple(self._placed)

    def _try(
        self, instruction: Instruction, floor_ns: int, lane: Lane | None, settings: WalkSettings, *, ignored: int
    ) -> int:
        checkpoint = self.checkpoint()
        start = self._place(instruction, floor_ns, lane, settings, ignored=ignored)[0].start
        self.rollback(checkpoint)
        return start

    def _place(
        self, instruction: Instruction, floor_ns: int, lane: Lane | None, settings: WalkSettings, *, ignored: int
    ) -> list[Placed]:
        """Places an instruction; ``ignored`` are class bits whose rules do not count for it."""
        parts = [instruction] + ([instruction.transfer] if instruction.transfer is not None else [])
        self._check(instruction, parts)
        rows, ring = self._lowered(instruction)
        begin = len(self._placed)
        rows["klass"][0] &= ~ignored
        if lane is not None:
            rows["lane"][0] = int(lane)
        if ring is not None and self._join_ring(ring, transfer=begin + 1):
            rows["klass"][0] |= RING_FULL
        for key, values in rows.items():
            self._rows[key].extend(values)
        for offset, part in enumerate(parts):
            event = begin + offset
            self._add_edges(part)
            self._times.extend((0, 0))
            for column in self._written.values():
                column.append(0)
            self._walk(event, floor_ns if offset == 0 else 0, settings)
            self._index[part.name] = event
            self._region.append(part.region)
            self._placed.append(self._result(event, part.name))
        return self._placed[begin:]

    def _check(self, instruction: Instruction, parts: list[Instruction]) -> None:
        taken = [part.name for part in parts if part.name in self._index]
        if taken or instruction.body is not None:
            what = f'the name "{taken[0]}" is already placed' if taken else "a loop cannot be placed (place its body)"
            raise InputError([Problem(what, where=f"instruction {instruction.name}")])

    def _lowered(self, instruction: Instruction) -> tuple[dict[str, list[int]], int | None]:
        """The walk's rows of an instruction and its ring, from the lowering that whole blocks go through."""
        record = ProgramRecord(
            name="placement",
            arch=self.arch,
            functions=[
                FunctionRecord(
                    name="main", blocks=[BlockRecord(name="bb0", instructions=[_without_edges(instruction)])]
                )
            ],
        )
        columns = program_from_record(record).blocks[0][1].columns
        costs = cost_block(columns, arch=self.arch, timing=self.timing)
        inputs = lower(columns, costs.total_ns, self.arch, self.options)
        rows: dict[str, list[int]] = {key: getattr(inputs, key).tolist() for key in _EVENT_ROWS}
        triggers = (columns.opcode == Opcode.DMATrigger).nonzero()[0]
        return rows, int(rings_of(columns, triggers)[0]) if len(triggers) else None

    def _join_ring(self, ring: int, *, transfer: int) -> bool:
        """Puts a transfer into its ring; True if the ring was full, and then the oldest transfer left for it."""
        queue, depth = self._rings[ring], self.options.depth(ring)
        full = depth is not None and len(queue) >= depth
        if full:
            self._ring_head.append(queue.popleft())
        queue.append(transfer)
        return full

    def _add_edges(self, instruction: Instruction) -> None:
        strongest: dict[int, int] = {}
        for dependency in instruction.dependencies:
            name, kind = (dependency, "Flow") if isinstance(dependency, str) else dependency
            producer = self._index.get(name)
            if producer is not None and self._region[producer] == instruction.region:
                code = int(EdgeKind[kind]) if isinstance(kind, str) else kind
                strongest[producer] = max(strongest.get(producer, 0), code)
        self._edges["dep_count"].append(len(strongest))
        self._edges["dep_on"].extend(strongest)
        self._edges["dep_kind"].extend(strongest.values())

    def _walk(self, event: int, floor_ns: int, settings: WalkSettings) -> None:
        read: list[Any] = [self._rows[key] for key in _EVENT_ROWS]
        written = self._written
        plain_walk(
            event,
            event + 1,
            *read,
            self._edges["dep_count"],
            self._edges["dep_on"],
            self._edges["dep_kind"],
            self._ring_head,
            *settings.as_lists(floor_ns),
            self._state,
            self._times,
            written["cause"],
            written["on"],
            written["ready_at"],
            written["ready_on"],
        )

    def _result(self, event: int, name: str) -> Placed:
        done, dispatch = self._times[2 * event : 2 * event + 2]
        duration = self._rows["duration"][event]
        start = done if self._rows["klass"][event] & TRIGGER else done - duration
        return Placed(name, Lane(self._rows["lane"][event]), start, duration, dispatch)


def _without_edges(instruction: Instruction) -> Instruction:
    """A copy that can be validated alone."""
    fields = {f: getattr(instruction, f) for f in instruction.__struct_fields__}
    fields["dependencies"] = []
    if instruction.transfer is not None:
        fields["transfer"] = _without_edges(instruction.transfer)
    return Instruction(**fields)
