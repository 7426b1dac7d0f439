"""Writing the trace: record by record, into as many files as keep each below a viewer's limit, all of them or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import msgspec
import numpy as np

from benches.exact_ns import exact_ns
from benches.run_report.execute import MachineBlock
from benches.run_report.trace.arrows import Arrows, arrows_of
from benches.run_report.trace.links import DrawnLinks, LinkPiece, OnLink
from benches.run_report.trace.records import FlowEnd, Metadata, Slice, SliceArgs, Us, names_of
from benches.run_report.trace.tracks import Tracks, tracks_of
from benches.schedule_report.model import BoundBy
from simcore.program.decolumnise import Events
from simcore.program.event_names import EventNames
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause
from simcore.staged_files import StagedFiles

MOST_RECORDS = 999_999
"""Records of one file."""

_CATEGORY = "dependency"
_TRIGGER = "Trigger"


class OtherData(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says of itself: its place among the files, and the dependencies that it draws no arrow for.

    ``arrows_between_files`` run from an instruction of another file to one of this; ``arrows_back_in_time`` would
    end before they start. The instructions' arguments name all dependencies.
    """

    program: str
    file: int
    files: int
    arrows_between_files: int
    arrows_back_in_time: int


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A block with its layout, called ``name``, which starts at tick ``since`` of the trace.

    ``first_in[i]..first_in[i + 1]`` are the arrows to instruction i; ``out`` alike.
    """

    block: MachineBlock
    name: str
    since: int
    pid: int
    tracks: Tracks
    arrows: Arrows
    first_in: list[int]
    first_out: list[int]
    by_producer: list[int]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Instructions ``begin..end`` of a block, in one file, with their arrows that stay inside."""

    drawn: _Drawn
    begin: int
    end: int
    left_out: int


@dataclass(slots=True)
class _File:
    """What one file holds."""

    room: int
    pieces: list[_Piece] = field(default_factory=list)
    links: list[LinkPiece] = field(default_factory=list)


def write_trace(
    path: Path,
    program: str,
    blocks: Sequence[MachineBlock],
    *,
    most_records: int = MOST_RECORDS,
    processes: Sequence[tuple[str, int]] | None = None,
    carried: Sequence[OnLink] = (),
) -> list[Path]:
    """Writes the trace of ``blocks`` to ``path``, and what does not fit there to ``path``.2, ``path``.3, ...

    Times count from the start of each block, unless ``processes`` has a name and a start (in ticks) for each. What
    links have ``carried`` follows in a process of its own. Returns the paths. Raises InputError, and leaves nothing
    behind, if one cannot be written.
    """
    named = processes or [(f"{block.function}/{block.block}", 0) for block in blocks]
    drawn = [_draw(block, *process, pid) for pid, (block, process) in enumerate(zip(blocks, named, strict=True), 1)]
    files = _split(drawn, most_records)
    if carried:
        links = DrawnLinks.of(carried, len(blocks) + 1)
        begin = 0
        while begin < len(carried):
            if files[-1].room <= links.names:
                files.append(_File(most_records))
            end = min(len(carried), begin + max(files[-1].room - links.names, 1))
            files[-1].links.append(LinkPiece(links, begin, end))
            files[-1].room = 0
            begin = end
    paths = [path if k == 0 else path.with_name(f"{path.name}.{k + 1}") for k in range(len(files))]
    with StagedFiles() as staged:
        for number, (target, content) in enumerate(zip(paths, files, strict=True), start=1):
            with staged.open(target) as file:
                _write_file(file, program, number, len(files), content)
    return paths


def _draw(block: MachineBlock, name: str, since: int, pid: int) -> _Drawn:
    arrows = arrows_of(block)
    borders = np.arange(len(block.columns) + 1)
    by_producer = np.argsort(arrows.producer, kind="stable")
    return _Drawn(
        block,
        name,
        since,
        pid,
        tracks_of(block.schedule),
        arrows,
        np.searchsorted(arrows.consumer, borders).tolist(),
        np.searchsorted(arrows.producer[by_producer], borders).tolist(),
        by_producer.tolist(),
    )


def _split(drawn: Sequence[_Drawn], most_records: int) -> list[_File]:
    """The pieces of each file. An instruction with its arrows never goes into a file that it would overfill."""
    files = [_File(most_records)]
    room = most_records
    for d in drawn:
        names = 2 * (1 + len(d.tracks.names))
        if room <= names and files[-1].pieces:
            files.append(_File(most_records))
            room = most_records
        room -= names
        begin = left_out = 0
        producer = d.arrows.producer.tolist()
        for i in range(len(d.block.columns)):
            sources = producer[d.first_in[i] : d.first_in[i + 1]]
            inside = sum(source >= begin for source in sources)
            if 1 + 2 * inside > room:
                files[-1].pieces.append(_Piece(d, begin, i, left_out))
                files.append(_File(most_records))
                room = most_records - names
                begin, left_out, inside = i, 0, 0
            room -= 1 + 2 * inside
            left_out += len(sources) - inside
        files[-1].pieces.append(_Piece(d, begin, len(d.block.columns), left_out))
        files[-1].room = room
    return files


def _write_file(file: BinaryIO, program: str, number: int, files: int, content: _File) -> None:
    pieces = content.pieces
    about = OtherData(
        program=program,
        file=number,
        files=files,
        arrows_between_files=sum(piece.left_out for piece in pieces),
        arrows_back_in_time=sum(piece.drawn.arrows.impossible for piece in pieces if piece.begin == 0),
    )
    encoder = msgspec.json.Encoder(decimal_format="number")
    file.write(b'{"displayTimeUnit":"ns","otherData":' + encoder.encode(about) + b',"traceEvents":[')
    before = b"\n"
    # Arrows are counted through the file, so that no two of one file share an id, whatever their blocks.
    first_id = 1
    for piece in pieces:
        for record in _records(piece, first_id):
            file.write(before)
            file.write(encoder.encode(record))
            before = b",\n"
        first_id += len(piece.drawn.arrows.producer)
    for link_piece in content.links:
        for link_record in link_piece.records():
            file.write(before)
            file.write(encoder.encode(link_record))
            before = b",\n"
    file.write(b"\n]}\n")


def _records(piece: _Piece, first_id: int) -> Iterator[Metadata | Slice | FlowEnd]:
    d = piece.drawn
    pid = d.pid
    yield from names_of(d.name, pid, d.tracks.names)
    s, arrows, tids = d.block.schedule, d.arrows, d.tracks.tid
    slices = _Slices(d)
    for i in range(piece.begin, piece.end):
        yield slices.one(i)
        # Behind its slice: where several slices share an instant, a viewer takes the last one that it has read.
        tid = int(tids[i])
        for k in range(d.first_in[i], d.first_in[i + 1]):
            if arrows.producer[k] >= piece.begin:
                at = slices.us(d.since + int(s.start[i]))
                kind = slices.kind(int(arrows.producer[k]), i)
                yield FlowEnd(name=kind, cat=_CATEGORY, ph="f", bp="e", id=first_id + k, ts=at, pid=pid, tid=tid)
        for k in d.by_producer[d.first_out[i] : d.first_out[i + 1]]:
            if arrows.consumer[k] < piece.end:
                at = slices.us(d.since + int(arrows.leaves_at[k]))
                kind = slices.kind(i, int(arrows.consumer[k]))
                yield FlowEnd(name=kind, cat=_CATEGORY, ph="s", id=first_id + k, ts=at, pid=pid, tid=tid)


class _Slices:
    """Makes the slice of one instruction at a time."""

    def __init__(self, drawn: _Drawn) -> None:
        self.drawn = drawn
        self.columns, self.schedule = drawn.block.columns, drawn.block.schedule
        self.names = EventNames(self.columns)
        self.events = Events(self.columns, self.names)

    def one(self, i: int) -> Slice:
        c, s = self.columns, self.schedule
        opcode = Opcode(int(c.opcode[i])).name
        on = int(s.on[i])
        extra = c.extras.get(i)
        start, duration, dispatch = int(s.start[i]), int(s.duration[i]), int(s.next_dispatch[i])
        return Slice(
            name=self.names[i],
            cat=opcode,
            ph="X",
            ts=self.us(self.drawn.since + start),
            dur=self.us(duration),
            pid=self.drawn.pid,
            tid=int(self.drawn.tracks.tid[i]),
            args=SliceArgs(
                index=i,
                opcode=opcode,
                source=extra.source if extra is not None else None,
                start_ns=exact_ns(start, s.ticks_per_ns),
                duration_ns=exact_ns(duration, s.ticks_per_ns),
                next_dispatch_ns=exact_ns(dispatch, s.ticks_per_ns),
                bound_by=BoundBy(Cause(int(s.cause[i])).name, self.names[on] if on >= 0 else None),
                dependencies=self.events.dependencies(i),
            ),
        )

    def kind(self, producer: int, consumer: int) -> str:
        """The strongest kind of the pair's edges; without one that counts, a transfer that follows its trigger."""
        region = self.columns.region
        if region[producer] != region[consumer]:
            return _TRIGGER
        kinds = [kind for other, kind in self.events.edges(consumer) if other == producer]
        return max(kinds).name if kinds else _TRIGGER

    def us(self, ticks: int) -> Us:
        """Ticks in microseconds."""
        return exact_ns(ticks, 1000 * self.schedule.ticks_per_ns)
