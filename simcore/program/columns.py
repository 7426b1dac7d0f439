"""A block as flat arrays: what PerfSim walks, what oracles cost, what the ``.npz`` format stores.

Events are in program order; a DMATrigger's transfer comes right after it; a loop's body lies inline once. Counts
(`dep_count`, `op_count`) rather than offsets keep the arrays small and sliceable.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntFlag
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from simcore.program.instruction import Instruction

Array = npt.NDArray[Any]

NAME_SEPARATOR = "\0"


class Flag(IntFlag):
    """Bits of :attr:`Columns.flags`. ``TRANSFER``: this event is the transfer of the trigger right before it."""

    TRANSFER = 1
    IS_LOCAL = 2
    PSUM_WRITER = 4
    PSUM_READS_GIVEN = 8
    PSUM_WRITES_GIVEN = 16
    IS_TRANSPOSE = 32
    ACCUMULATE = 64
    ACC = 128
    SCAN = 256
    SCALAR_TENSOR_TENSOR = 512
    WRITES_UNKNOWN_BANK = 1024
    """A PSUM output without bank or address: the instruction waits as a writer but names no bank."""


class OperandFlag(IntFlag):
    """Bits of :attr:`Columns.op_flags`."""

    OUTPUT = 1
    SYMBOLIC = 2
    STRIDED = 4
    """The free pattern is given (see :attr:`Extra.free`) and is not contiguous."""


class LoopSpan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A loop: its header (an instruction without body) and the events ``begin..end`` of its body.

    ``parent`` is the index of the enclosing loop in :attr:`Columns.loops`, or -1. Loops are in program order.
    """

    header: Instruction
    begin: int
    end: int
    parent: int

    @property
    def trip_count(self) -> int:
        """How often the body runs (1 if the program does not say)."""
        return 1 if self.header.trip_count is None else self.header.trip_count


class Extra(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Rare attributes of one event; operand lists run over the event's inputs, then its outputs.

    ``loop_dependencies`` holds edges whose producer is a loop (kept, but no model reads them).
    """

    source: str | None = None
    latency_estimate: int | None = None
    constant: float | int | None = None
    free: tuple[tuple[tuple[int, int], ...] | None, ...] = ()
    tensor: tuple[str | None, ...] = ()
    loop_dependencies: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Columns:
    """One block of n events, m edges, k operands. Unset integers are -1.

    ``names`` is the UTF-8 text of all names joined by NUL. ``dep_on`` counts events from the block's start.
    ``psum_reads``/``psum_writes`` are bank masks, resolved from explicit lists or operands. ``op``, ``op0``, ``op1``,
    ``mode`` index ``words`` (entry 0 is "not said"). ``cost_ns`` is the given cost.
    """

    names: Array
    opcode: Array
    engine: Array
    cost_ns: Array
    flags: Array
    region: Array
    stream_id: Array
    collective_kind: Array
    dge_type: Array
    queue: Array
    perf_mode: Array
    op: Array
    op0: Array
    op1: Array
    mode: Array
    psum_reads: Array
    psum_writes: Array
    dep_count: Array
    dep_on: Array
    dep_kind: Array
    op_count: Array
    op_space: Array
    op_dtype: Array
    op_flags: Array
    op_partitions: Array
    op_elements: Array
    op_addr: Array
    op_bank: Array
    words: tuple[str, ...]
    loops: tuple[LoopSpan, ...]
    extras: dict[int, Extra]

    def __len__(self) -> int:
        return len(self.opcode)

    def name_list(self) -> list[str]:
        """The events' names, decoded (n strings)."""
        return self.names.tobytes().decode().split(NAME_SEPARATOR) if len(self) else []

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(v.nbytes for v in (getattr(self, f.name) for f in fields(self)) if isinstance(v, np.ndarray))


EVENT_DTYPES: dict[str, type[np.generic]] = {
    "opcode": np.uint8,
    "engine": np.uint8,
    "cost_ns": np.int64,
    "flags": np.uint16,
    "region": np.int32,
    "stream_id": np.int8,
    "collective_kind": np.int8,
    "dge_type": np.uint8,
    "queue": np.int8,
    "perf_mode": np.uint8,
    "op": np.uint8,
    "op0": np.uint8,
    "op1": np.uint8,
    "mode": np.uint8,
    "psum_reads": np.uint8,
    "psum_writes": np.uint8,
    "dep_count": np.uint32,
    "op_count": np.uint16,
}
"""Element type of each per-event array."""

EDGE_DTYPES: dict[str, type[np.generic]] = {"dep_on": np.int32, "dep_kind": np.uint8}
"""Element type of each per-edge array."""

OPERAND_DTYPES: dict[str, type[np.generic]] = {
    "op_space": np.uint8,
    "op_dtype": np.uint8,
    "op_flags": np.uint8,
    "op_partitions": np.int32,
    "op_elements": np.int64,
    "op_addr": np.int64,
    "op_bank": np.int16,
}
"""Element type of each per-operand array."""
