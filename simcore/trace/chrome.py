"""Chrome traces: one file per block, in the schema that the compiler's cost simulator writes.

A trace is a JSON array: the names of the threads, then one record per event, lane by lane and within a lane in program
order. Records are made and written one by one, so a trace of millions of events needs a few arrays of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec
import numpy as np

from simcore.program.columns import Columns, Flag
from simcore.program.decolumnise import Events
from simcore.program.edges import EdgeKind
from simcore.program.engines import Lane
from simcore.program.event_names import EventNames
from simcore.program.opcodes import Opcode
from simcore.schedule import Schedule
from simcore.staged_files import StagedFiles, make_folder
from simcore.trace.file_names import TracePrefix, trace_file_names
from simcore.trace.operand_text import access_pattern_text, shape_text
from simcore.trace.records import (
    THREAD_NAMES,
    EventArgs,
    Predecessor,
    ThreadArgs,
    ThreadName,
    TraceEvent,
    TraceRecord,
    tid_of,
)

if TYPE_CHECKING:
    from simcore.perfsim.estimate import Estimate

_CHUNK = 4096
"""Events whose indices are Python integers at one time."""


def trace_records(columns: Columns, schedule: Schedule) -> Iterator[TraceRecord]:
    """The records of one block's trace: eleven thread names, then its events. ``schedule`` is PerfSim's (in ns)."""
    for tid, name in enumerate(THREAD_NAMES):
        yield ThreadName(tid=tid, args=ThreadArgs(name))
    tracer = _Tracer(columns, schedule)
    order = np.argsort(schedule.lane, kind="stable")
    for begin in range(0, len(order), _CHUNK):
        yield from map(tracer.event, order[begin : begin + _CHUNK].tolist())


def write_traces(estimate: Estimate, folder: Path, prefix: TracePrefix = TracePrefix.ESTIMATE) -> list[Path]:
    """Writes the trace of every block into ``folder``, one record a line, and returns the paths.

    The folder is made if missing. All files appear or none. Raises InputError if one cannot be written.
    """
    blocks = estimate.blocks
    names = trace_file_names(prefix, estimate.prepared.program.name, [(b.function, b.block) for b in blocks])
    make_folder(folder)
    paths = [folder / name for name in names]
    with StagedFiles() as staged:
        for path, block in zip(paths, blocks, strict=True):
            with staged.open(path) as file:
                _write_records(file, trace_records(block.columns, block.schedule))
    return paths


def _write_records(file: BinaryIO, records: Iterator[TraceRecord]) -> None:
    encoder, before = msgspec.json.Encoder(), b"[\n"
    for record in records:
        file.write(before)
        file.write(encoder.encode(record))
        before = b",\n"
    file.write(b"\n]\n")


class _Tracer:
    """Makes the record of one event at a time."""

    def __init__(self, columns: Columns, schedule: Schedule) -> None:
        self.columns, self.schedule = columns, schedule
        self.names = EventNames(columns)
        self.events = Events(columns, self.names)

    def event(self, i: int) -> TraceEvent:
        instruction = self.events.one(i)
        if self.columns.opcode[i] == Opcode.DMATrigger and self.columns.flags[i + 1] & Flag.TRANSFER:
            instruction.transfer = self.events.one(i + 1)
        ins, outs = instruction.ins, instruction.outs
        return TraceEvent(
            name=instruction.name,
            ts=int(self.schedule.start[i]),
            dur=int(self.schedule.duration[i]),
            tid=tid_of(int(self.schedule.lane[i])),
            args=EventArgs(
                bir_id=i,
                bir_name=instruction.name,
                opcode=instruction.opcode,
                nki_source_location=instruction.source or "",
                input_shapes="; ".join(map(shape_text, ins)),
                output_shapes="; ".join(map(shape_text, outs)),
                input_access_patterns="; ".join(map(access_pattern_text, ins)),
                output_access_patterns="; ".join(map(access_pattern_text, outs)),
                inst_dump=msgspec.json.encode(instruction).decode(),
                deps=self.predecessors(i),
            ),
        )

    def predecessors(self, i: int) -> list[Predecessor]:
        """One entry per producer with an event, with the strongest kind, in the producers' program order."""
        strongest: dict[int, EdgeKind] = {}
        for producer, kind in self.events.edges(i):
            strongest[producer] = max(kind, strongest.get(producer, EdgeKind.Invalid))
        return [self.predecessor(producer, strongest[producer], i) for producer in sorted(strongest)]

    def predecessor(self, producer: int, kind: EdgeKind, consumer: int) -> Predecessor:
        s, lane = self.schedule, int(self.schedule.lane[producer])
        return Predecessor(
            name=self.names[producer],
            edge_type=kind.name,
            end_time=int(s.start[producer] + s.duration[producer]),
            engine=Lane(lane).name if lane != s.lane[consumer] else None,
        )
