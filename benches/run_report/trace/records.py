"""The records of the trace, field by field in the order in which they are written. ``ts`` and ``dur`` are us."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from benches.exact_ns import Ns
from benches.schedule_report.model import BoundBy

Us = Ns
"""A time in microseconds, exactly."""


class NameArgs(msgspec.Struct, frozen=True):
    """Arguments of a record that names a process or a thread."""

    name: str


class SortArgs(msgspec.Struct, frozen=True):
    """Arguments of a record that gives a process or a thread its place."""

    sort_index: int


class Metadata(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a process (no ``tid``) or a thread is called, or where it stands."""

    name: str
    ph: str
    pid: int
    tid: int | None = None
    args: NameArgs | SortArgs


class SliceArgs(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a viewer shows of an instruction. ``index`` is its place in the block's program order."""

    index: int
    opcode: str
    source: str | None = None
    start_ns: Ns
    duration_ns: Ns
    next_dispatch_ns: Ns
    bound_by: BoundBy
    dependencies: list[tuple[str, str]]


class TransferArgs(msgspec.Struct, frozen=True, kw_only=True):
    """What a viewer shows of a transfer on a link, from its first flit to its last."""

    bytes: int
    start_ns: Ns
    duration_ns: Ns


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """A complete event."""

    name: str
    cat: str
    ph: str
    ts: Us
    dur: Us
    pid: int
    tid: int
    args: SliceArgs | TransferArgs


class FlowEnd(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One end of an arrow: ``s`` where it starts, ``f`` where it ends (``bp`` "e" binds it to the slice around it)."""

    name: str
    cat: str
    ph: str
    bp: str | None = None
    id: int
    ts: Us
    pid: int
    tid: int


def names_of(process: str, pid: int, tracks: Sequence[str]) -> Iterator[Metadata]:
    """The records that name a process and its tracks, which are numbered from 1."""
    yield Metadata(name="process_name", ph="M", pid=pid, args=NameArgs(process))
    yield Metadata(name="process_sort_index", ph="M", pid=pid, args=SortArgs(pid))
    for tid, track in enumerate(tracks, start=1):
        yield Metadata(name="thread_name", ph="M", pid=pid, tid=tid, args=NameArgs(track))
        yield Metadata(name="thread_sort_index", ph="M", pid=pid, tid=tid, args=SortArgs(tid))
