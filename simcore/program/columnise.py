"""Instructions -> columns, field by field rather than instruction by instruction: large programs need the speed.

Anything out of order raises :class:`Irregular`; :mod:`simcore.program.validate` then finds every fault and its place.
The two must agree on what is valid: a fuzz test holds them against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from simcore.program.codes import DGE_CODES, ENGINE_CODES, KIND_CODES, OPCODE_CODES, PERF_MODE_CODES
from simcore.program.columnise_edges import edge_arrays
from simcore.program.columnise_fields import Extras, Irregular, Words, codes, names_text, optional
from simcore.program.columnise_flat import Flat, flatten
from simcore.program.columnise_operands import apply_given_banks, bank_masks, operand_arrays
from simcore.program.columns import EDGE_DTYPES, EVENT_DTYPES, OPERAND_DTYPES, Array, Columns, Flag
from simcore.program.generations import SBUF_PARTITIONS, Generation
from simcore.program.instruction import Instruction
from simcore.program.limits import MAX_ADDR_BYTES, MAX_COST_NS, MAX_DIM, MAX_REGION
from simcore.program.vocabulary import QUEUE_COUNT, DgeType

_EVENT_FIELDS = (
    "name",
    "opcode",
    "engine",
    "dependencies",
    "ins",
    "outs",
    "cost",
    "region",
    "stream_id",
    "kind",
    "dge_type",
    "queue",
    "perf_mode",
    "psum_reads",
    "psum_writes",
    "op",
    "op0",
    "op1",
    "mode",
    "source",
    "latency_estimate",
    "constant",
)
_FLAG_FIELDS = (
    ("is_local", Flag.IS_LOCAL),
    ("psum_writer", Flag.PSUM_WRITER),
    ("is_transpose", Flag.IS_TRANSPOSE),
    ("accumulate", Flag.ACCUMULATE),
    ("acc", Flag.ACC),
    ("is_tensor_tensor_scan", Flag.SCAN),
    ("is_scalar_tensor_tensor", Flag.SCALAR_TENSOR_TENSOR),
)


def columns_from(instructions: Sequence[Instruction], generation: Generation) -> Columns:
    """The block's columns. Raises :class:`Irregular` when any rule of a program is broken."""
    try:
        return _columns_from(instructions, generation)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise Irregular(str(error)) from error


def _columns_from(instructions: Sequence[Instruction], generation: Generation) -> Columns:
    flat = flatten(instructions)
    n = len(flat.events)
    field_lists: Iterable[Any] = zip(*map(attrgetter(*_EVENT_FIELDS), flat.events), strict=True) if n else ()
    cols: dict[str, Any] = dict(zip(_EVENT_FIELDS, field_lists, strict=True)) if n else dict.fromkeys(_EVENT_FIELDS, ())
    flags = _flags(flat)
    extras = Extras()
    edges = edge_arrays(cols["name"], cols["dependencies"], flat.loops, extras)
    operands = operand_arrays(cols["ins"], cols["outs"], extras)
    for key in ("source", "latency_estimate", "constant"):
        extras.put_column(key, cols[key])
    reads, writes = bank_masks(operands, extras, flags)
    apply_given_banks(cols["psum_reads"], reads, flags, Flag.PSUM_READS_GIVEN)
    apply_given_banks(cols["psum_writes"], writes, flags, Flag.PSUM_WRITES_GIVEN)
    flags[(flags & Flag.PSUM_WRITES_GIVEN) != 0] &= ~np.uint16(Flag.WRITES_UNKNOWN_BANK)
    words = Words()
    events: dict[str, Array] = {
        "opcode": codes(cols["opcode"], OPCODE_CODES, np.uint8),
        "engine": codes(cols["engine"], ENGINE_CODES, np.uint8),
        "cost_ns": optional(cols["cost"], np.int64),
        "flags": flags,
        "region": np.array(cols["region"], dtype=np.int64),
        "stream_id": optional(cols["stream_id"], np.int64),
        "collective_kind": codes(cols["kind"], KIND_CODES, np.int8),
        "dge_type": codes(cols["dge_type"], DGE_CODES, np.uint8),
        "queue": optional(cols["queue"], np.int64),
        "perf_mode": codes(cols["perf_mode"], PERF_MODE_CODES, np.uint8),
        **{key: words.codes(cols[key]) for key in ("op", "op0", "op1", "mode")},
        "psum_reads": reads,
        "psum_writes": writes,
        **edges,
        **operands,
    }
    _check_ranges(events, generation)
    for key, dtype in {**EVENT_DTYPES, **EDGE_DTYPES, **OPERAND_DTYPES}.items():
        events[key] = events[key].astype(dtype, copy=False)
    return Columns(
        names=names_text(cols["name"]),
        **events,
        words=tuple(words.table),
        loops=tuple(flat.loops),
        extras=extras.finished(),
    )


def _flags(flat: Flat) -> Array:
    flags = np.zeros(len(flat.events), dtype=np.uint16)
    columns: list[tuple[bool, ...]] = (
        list(zip(*map(attrgetter(*(f for f, _ in _FLAG_FIELDS)), flat.events), strict=True)) if flat.events else []
    )
    for (_, bit), values in zip(_FLAG_FIELDS, columns, strict=False):
        if True in values:
            flags[np.array(values, dtype=bool)] |= np.uint16(bit)
    flags[flat.transfers] |= np.uint16(Flag.TRANSFER)
    return flags


def _check_ranges(events: dict[str, Array], generation: Generation) -> None:
    limits = {
        "cost_ns": MAX_COST_NS,
        "stream_id": 3,
        "queue": QUEUE_COUNT - 1,
        "psum_reads": (1 << generation.psum_banks) - 1,
        "psum_writes": (1 << generation.psum_banks) - 1,
        "op_elements": MAX_DIM,
        "op_partitions": SBUF_PARTITIONS,
        "op_addr": MAX_ADDR_BYTES,
        "region": MAX_REGION,
        "op_count": np.iinfo(np.uint16).max,
    }
    for key, limit in limits.items():
        if events[key].size and events[key].max() > limit:
            raise Irregular(key)
    if np.any(events["op_partitions"] < 1) or np.any(events["op_elements"] < 0) or np.any(events["region"] < 0):
        raise Irregular("negative or zero extent")
    if not generation.has_hwdge and np.any(events["dge_type"] == DgeType.hwdge):
        raise Irregular("hwdge")
