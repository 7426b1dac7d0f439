"""The records of a Chrome trace (JSON Array Format), field by field in the order in which they are written."""

from __future__ import annotations

import msgspec

from simcore.program.engines import Lane

THREAD_NAMES = (
    "0. Unassigned",
    "4. POOL",
    "7. ACT",
    "5. PE",
    "1. DMA",
    "6. DVE",
    "3. SP",
    "2.0 CCStream0",
    "2.1 CCStream1",
    "2.2 CCStream2",
    "2.3 CCStream3",
)
"""Name of each thread by ``tid``. The leading number makes a viewer sort the threads."""

BARRIER_TID = 0
"""The barrier lane has no thread of its own; its events are drawn on the thread of unassigned instructions."""


def tid_of(lane: int) -> int:
    """The thread that draws ``lane``: lanes below the barrier lane keep their number, those above move down by one."""
    if lane == Lane.ALL:
        return BARRIER_TID
    return lane if lane < Lane.ALL else lane - 1


class ThreadArgs(msgspec.Struct, frozen=True):
    """Arguments of a metadata record."""

    name: str


class ThreadName(msgspec.Struct, frozen=True, kw_only=True):
    """Metadata: what thread ``tid`` is called."""

    name: str = "thread_name"
    ph: str = "M"
    pid: int = 0
    tid: int
    args: ThreadArgs


class Predecessor(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A producer that the event had to follow: the edge's kind and the producer's end in ns.

    ``engine`` is the producer's lane, said only when it is not the event's own.
    """

    name: str
    edge_type: str
    end_time: int
    engine: str | None = None


class EventArgs(msgspec.Struct, frozen=True, kw_only=True):
    """What a viewer shows of an event.

    ``bir_id`` is its place in the block's program order. Shapes and access patterns are those of
    :mod:`simcore.trace.operand_text`, joined by ``"; "``. ``inst_dump`` is the instruction in the stream format (JSON),
    a trigger with its transfer.
    """

    bir_id: int
    bir_name: str
    opcode: str
    nki_source_location: str
    input_shapes: str
    output_shapes: str
    input_access_patterns: str
    output_access_patterns: str
    inst_dump: str
    deps: list[Predecessor]


class TraceEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A complete event. ``ts`` and ``dur`` are ns, which a viewer that expects microseconds shows as such."""

    name: str
    ph: str = "X"
    ts: int
    dur: int
    pid: int = 0
    tid: int
    args: EventArgs


TraceRecord = ThreadName | TraceEvent
