"""Instructions -> columns, field by field rather than instruction by instruction, because large programs need the speed.

Anything out of order raises :class:`Irregular`; :mod:`simcore.program.validate` then finds every fault and its place.
The two must agree on what is valid: a fuzz test holds them against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from simcore.program.banks import span_bytes
from simcore.program.columns import (
    EDGE_DTYPES,
    EVENT_DTYPES,
    NAME_SEPARATOR,
    OPERAND_DTYPES,
    Array,
    Columns,
    Extra,
    Flag,
    LoopSpan,
    OperandFlag,
)
from simcore.program.dtypes import DTYPE_BYTES, DType
from simcore.program.edges import EdgeKind
from simcore.program.engines import Engine
from simcore.program.generations import PSUM_BANK_BYTES, SBUF_PARTITIONS, Generation
from simcore.program.instruction import Dependency, Instruction, Operand
from simcore.program.limits import MAX_ADDR_BYTES, MAX_COST_NS, MAX_DIM, MAX_REGION
from simcore.program.opcodes import TRANSFER_OPCODES, Opcode
from simcore.program.vocabulary import PERF_MODE_NAMES, QUEUE_COUNT, CollectiveKind, DgeType, Space


class Irregular(Exception):
    """The instructions break a rule; validation says which."""


OPCODE_CODES = {o.name: int(o) for o in Opcode}
ENGINE_CODES = {e.name: int(e) for e in Engine}
DTYPE_CODES = {d.name: int(d) for d in DType}
SPACE_CODES = {s.name: int(s) for s in Space}
EDGE_CODES: dict[str | int, int] = {**{k.name: int(k) for k in EdgeKind}, **{int(k): int(k) for k in EdgeKind}}
DGE_CODES: dict[str | None, int] = {None: int(DgeType.unassigned), **{d.name: int(d) for d in DgeType}}
PERF_MODE_CODES: dict[str | None, int] = {None: 0, **{n: i for i, n in enumerate(PERF_MODE_NAMES)}}
KIND_CODES: dict[str | int | None, int] = {
    None: -1,
    **{k.name: int(k) for k in CollectiveKind},
    **{int(k): int(k) for k in CollectiveKind},
}

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
_OPERAND_FIELDS = ("space", "partitions", "elements", "dtype", "addr", "bank", "free", "symbolic", "tensor")


def columns_from(instructions: Sequence[Instruction], generation: Generation) -> Columns:
    """The block's columns. Raises :class:`Irregular` when any rule of a program is broken."""
    try:
        return _columns_from(instructions, generation)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise Irregular(str(error)) from error


def _columns_from(instructions: Sequence[Instruction], generation: Generation) -> Columns:
    flat = _flatten(instructions)
    n = len(flat.events)
    field_lists: Iterable[Any] = zip(*map(attrgetter(*_EVENT_FIELDS), flat.events), strict=True) if n else ()
    cols: dict[str, Any] = dict(zip(_EVENT_FIELDS, field_lists, strict=True)) if n else dict.fromkeys(_EVENT_FIELDS, ())
    flags = _flags(flat)
    extras = _Extras()
    edges = _edges(cols["name"], cols["dependencies"], flat.loops, extras)
    operands = _operands(cols["ins"], cols["outs"], extras)
    for key in ("source", "latency_estimate", "constant"):
        extras.put_column(key, cols[key])
    reads, writes = _bank_masks(operands, extras, flags)
    for given, mask, flag in (("psum_reads", reads, Flag.PSUM_READS_GIVEN), ("psum_writes", writes, Flag.PSUM_WRITES_GIVEN)):
        _apply_given_banks(cols[given], mask, flags, flag)
    flags[(flags & Flag.PSUM_WRITES_GIVEN) != 0] &= ~np.uint16(Flag.WRITES_UNKNOWN_BANK)
    words = _Words()
    events: dict[str, Array] = {
        "opcode": _codes(cols["opcode"], OPCODE_CODES, np.uint8),
        "engine": _codes(cols["engine"], ENGINE_CODES, np.uint8),
        "cost_ns": _optional(cols["cost"], np.int64),
        "flags": flags,
        "region": np.array(cols["region"], dtype=np.int64),
        "stream_id": _optional(cols["stream_id"], np.int64),
        "collective_kind": _codes(cols["kind"], KIND_CODES, np.int8),
        "dge_type": _codes(cols["dge_type"], DGE_CODES, np.uint8),
        "queue": _optional(cols["queue"], np.int64),
        "perf_mode": _codes(cols["perf_mode"], PERF_MODE_CODES, np.uint8),
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
        names=_names(cols["name"]),
        **events,
        words=tuple(words.table),
        loops=tuple(flat.loops),
        extras=extras.finished(),
    )


class _Flat:
    """Events in walk order, which of them are transfers, and the loops around them."""

    def __init__(self) -> None:
        self.events: list[Instruction] = []
        self.transfers: list[int] = []
        self.loops: list[LoopSpan] = []


def _flatten(instructions: Sequence[Instruction]) -> _Flat:
    flat = _Flat()
    loop, trigger = "Loop", "DMATrigger"
    if not any(i.opcode in (loop, trigger) or i.transfer is not None or i.body is not None for i in instructions):
        flat.events = list(instructions)
        if any(i.trip_count is not None for i in flat.events):
            raise Irregular("trip count outside a loop")
        return flat
    _flatten_into(flat, instructions, -1)
    return flat


def _flatten_into(flat: _Flat, instructions: Sequence[Instruction], parent: int) -> None:
    for instruction in instructions:
        is_loop, is_trigger = instruction.opcode == "Loop", instruction.opcode == "DMATrigger"
        if is_loop == (instruction.body is None) or is_trigger == (instruction.transfer is None):
            raise Irregular("a loop needs a body, a trigger a transfer, and nothing else has them")
        if instruction.body is not None:
            if instruction.trip_count is not None and not 1 <= instruction.trip_count <= MAX_DIM:
                raise Irregular("trip count")
            header = Instruction(**{f: getattr(instruction, f) for f in _HEADER_FIELDS}, body=None)
            index, begin = len(flat.loops), len(flat.events)
            flat.loops.append(LoopSpan(header, begin, begin, parent))
            _flatten_into(flat, instruction.body, index)
            flat.loops[index] = LoopSpan(header, begin, len(flat.events), parent)
            continue
        if instruction.trip_count is not None:
            raise Irregular("trip count outside a loop")
        flat.events.append(instruction)
        if instruction.transfer is not None:
            transfer = instruction.transfer
            if OPCODE_CODES[transfer.opcode] not in TRANSFER_OPCODES or transfer.transfer or transfer.body or transfer.trip_count:
                raise Irregular("transfer")
            flat.transfers.append(len(flat.events))
            flat.events.append(transfer)


_HEADER_FIELDS = tuple(f for f in Instruction.__struct_fields__ if f != "body")


def _flags(flat: _Flat) -> Array:
    flags = np.zeros(len(flat.events), dtype=np.uint16)
    columns: list[tuple[bool, ...]] = (
        list(zip(*map(attrgetter(*(f for f, _ in _FLAG_FIELDS)), flat.events), strict=True)) if flat.events else []
    )
    for (_, bit), values in zip(_FLAG_FIELDS, columns, strict=False):
        if True in values:
            flags[np.array(values, dtype=bool)] |= np.uint16(bit)
    flags[flat.transfers] |= np.uint16(Flag.TRANSFER)
    return flags


def _codes(values: Sequence[Any], table: dict[Any, int], dtype: type[np.generic]) -> Array:
    return np.array(list(map(table.__getitem__, values)), dtype=dtype)


def _optional(values: Sequence[int | None], dtype: type[np.generic]) -> Array:
    if values.count(None) == len(values):
        return np.full(len(values), -1, dtype=dtype)
    if any(v is not None and v < 0 for v in values):
        raise Irregular("negative number")
    return np.array([-1 if v is None else v for v in values], dtype=dtype)


def _names(names: Sequence[str]) -> Array:
    joined = NAME_SEPARATOR.join(names)
    if not all(names) or (names and not joined.replace(NAME_SEPARATOR, "").isprintable()):
        raise Irregular("name")
    if joined.count(NAME_SEPARATOR) != max(len(names) - 1, 0):
        raise Irregular("name with NUL")
    return np.frombuffer(joined.encode(), dtype=np.uint8)


class _Words:
    """Interns the short strings of ``op`` and the like."""

    def __init__(self) -> None:
        self.table = [""]
        self._code: dict[str | None, int] = {None: 0}

    def codes(self, values: Sequence[str | None]) -> Array:
        if values.count(None) == len(values):
            return np.zeros(len(values), dtype=np.uint8)
        for word in dict.fromkeys(values):
            if word not in self._code:
                if not word or len(self.table) > 255:
                    raise Irregular("too many different words, or an empty one")
                self._code[word] = len(self.table)
                self.table.append(word)
        return _codes(values, self._code, np.uint8)


class _Extras:
    """Collects rare attributes by event."""

    def __init__(self) -> None:
        self._by_event: dict[int, dict[str, Any]] = {}

    def put(self, event: int, key: str, value: Any) -> None:
        self._by_event.setdefault(event, {})[key] = value

    def put_column(self, key: str, values: Sequence[Any]) -> None:
        if values.count(None) != len(values):
            for event, value in enumerate(values):
                if value is not None:
                    if (key == "latency_estimate" and not 0 <= value <= MAX_COST_NS) or value == "":
                        raise Irregular(key)
                    self.put(event, key, value)

    def get(self, event: int, key: str) -> Any:
        return self._by_event.get(event, {}).get(key)

    def finished(self) -> dict[int, Extra]:
        return {event: Extra(**self._by_event[event]) for event in sorted(self._by_event)}


def _edges(
    names: Sequence[str], dependencies: Sequence[Sequence[Dependency | str]], loops: Sequence[LoopSpan], extras: _Extras
) -> dict[str, Array]:
    n = len(names)
    index = dict(zip(names, range(n), strict=True))
    loop_index = {loop.header.name: k for k, loop in enumerate(loops)}
    if len(index) != n or len(loop_index) != len(loops) or not index.keys().isdisjoint(loop_index):
        raise Irregular("duplicate name")
    for loop in loops:
        _check_loop_header(loop, index, loop_index)
    counts = np.array(list(map(len, dependencies)), dtype=np.int64)
    edges = [(d, "Flow") if type(d) is str else d for d in chain.from_iterable(dependencies)]
    producer_names, kind_words = zip(*edges, strict=True) if edges else ((), ())
    kinds = np.array(list(map(EDGE_CODES.__getitem__, kind_words)), dtype=np.uint8)
    consumer = np.repeat(np.arange(n), counts)
    if loop_index:
        producers = np.array([index.get(p, -1) for p in producer_names], dtype=np.int64)
        keep = producers >= 0
        for edge in np.flatnonzero(~keep).tolist():
            span = loops[loop_index[producer_names[edge]]]
            event = int(consumer[edge])
            if span.begin > event:
                raise Irregular("dependency on a later loop")
            known = extras.get(event, "loop_dependencies") or ()
            extras.put(event, "loop_dependencies", (*known, (span.header.name, int(kinds[edge]))))
        consumer, producers, kinds = consumer[keep], producers[keep], kinds[keep]
    else:
        producers = np.array(list(map(index.__getitem__, producer_names)), dtype=np.int64)
    if np.any(producers >= consumer):
        raise Irregular("forward dependency")
    consumer, producers, kinds = merge_edges(consumer, producers, kinds)
    return {"dep_count": np.bincount(consumer, minlength=n), "dep_on": producers, "dep_kind": kinds}


def _check_loop_header(loop: LoopSpan, index: dict[str, int], loop_index: dict[str, int]) -> None:
    header = loop.header
    if header.engine not in ENGINE_CODES or not header.name or not header.name.isprintable():
        raise Irregular("loop header")
    if header.cost is not None or header.ins or header.outs or header.queue is not None:
        raise Irregular("a loop has no cost, operands or queue of its own")
    for dependency in header.dependencies:
        name, kind = (dependency, "Flow") if isinstance(dependency, str) else dependency
        later = index[name] >= loop.begin if name in index else loop_index[name] >= loop_index[header.name]
        if later or kind not in EDGE_CODES:
            raise Irregular("loop dependency")


def merge_edges(consumer: Array, producer: Array, kind: Array) -> tuple[Array, Array, Array]:
    """One edge per (consumer, producer): the strongest kind, at the place of the first. Consumers must be ascending."""
    key = (consumer.astype(np.int64) << 32) | producer.astype(np.int64)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.ones(len(key), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    if first.all():
        return consumer, producer, kind
    strongest = np.maximum.reduceat(kind[order], np.flatnonzero(first))
    place = order[first]
    back = np.argsort(place, kind="stable")
    place = place[back]
    return consumer[place], producer[place], strongest[back]


def _operands(
    ins: Sequence[list[Operand]], outs: Sequence[list[Operand]], extras: _Extras
) -> dict[str, Array]:
    n = len(ins)
    in_count, out_count = np.array(list(map(len, ins)), dtype=np.int64), np.array(list(map(len, outs)), dtype=np.int64)
    count = in_count + out_count
    if not count.any():
        return {"op_count": count, **{k: np.zeros(0, dtype=d) for k, d in OPERAND_DTYPES.items()}}
    flat = list(chain.from_iterable(chain.from_iterable(zip(ins, outs, strict=True))))
    cols = dict(zip(_OPERAND_FIELDS, zip(*map(attrgetter(*_OPERAND_FIELDS), flat), strict=True), strict=True))
    event = np.repeat(np.arange(n), count)
    position = np.arange(len(flat)) - np.repeat(np.cumsum(count) - count, count)
    flags = np.where(position >= in_count[event], np.uint8(OperandFlag.OUTPUT), np.uint8(0))
    if True in cols["symbolic"]:
        flags[np.array(cols["symbolic"], dtype=bool)] |= np.uint8(OperandFlag.SYMBOLIC)
    elements = np.array(cols["elements"], dtype=np.int64)
    _rare_operand_attributes(cols, event, flags, elements, extras, ins, outs)
    return {
        "op_count": count,
        "op_space": _codes(cols["space"], SPACE_CODES, np.uint8),
        "op_dtype": _codes(cols["dtype"], DTYPE_CODES, np.uint8),
        "op_flags": flags,
        "op_partitions": np.array(cols["partitions"], dtype=np.int64),
        "op_elements": elements,
        "op_addr": _optional(cols["addr"], np.int64),
        "op_bank": _optional(cols["bank"], np.int64),
    }


def _rare_operand_attributes(
    cols: dict[str, Any],
    event: Array,
    flags: Array,
    elements: Array,
    extras: _Extras,
    ins: Sequence[list[Operand]],
    outs: Sequence[list[Operand]],
) -> None:
    if cols["free"].count(None) != len(event):
        for k, free in enumerate(cols["free"]):
            if free is None:
                continue
            if not free or any(num < 1 or step < 0 or max(step, num) > MAX_DIM for step, num in free):
                raise Irregular("free pattern")
            if int(np.prod([num for _, num in free], dtype=object)) != elements[k]:
                raise Irregular("free pattern does not give the elements")
            if span_bytes(0, 1, free) != elements[k]:
                flags[k] |= np.uint8(OperandFlag.STRIDED)
    for key in ("free", "tensor"):
        if cols[key].count(None) != len(event):
            getter: Callable[[Operand], Any] = attrgetter(key)
            for e in dict.fromkeys(event[[k for k, v in enumerate(cols[key]) if v is not None]].tolist()):
                values = [getter(o) for o in (*ins[e], *outs[e])]
                extras.put(e, key, tuple(tuple(v) if isinstance(v, list) else v for v in values))
                if "" in values:
                    raise Irregular("empty tensor name")


def _bank_masks(operands: dict[str, Array], extras: _Extras, flags: Array) -> tuple[Array, Array]:
    n = len(flags)
    reads, writes = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    chosen = np.flatnonzero(operands["op_space"] == Space.PSUM)
    if not len(chosen):
        return reads, writes
    event = np.repeat(np.arange(n), operands["op_count"])
    position = np.arange(len(event)) - np.repeat(np.cumsum(operands["op_count"]) - operands["op_count"], operands["op_count"])
    sizes = np.array(DTYPE_BYTES, dtype=np.int64)
    addr, bank = operands["op_addr"][chosen], operands["op_bank"][chosen]
    span = operands["op_elements"][chosen] * sizes[operands["op_dtype"][chosen]]
    for k in np.flatnonzero(operands["op_flags"][chosen] & OperandFlag.STRIDED).tolist():
        operand = chosen[k]
        free = extras.get(int(event[operand]), "free")[int(position[operand])]
        span[k] = span_bytes(0, int(sizes[operands["op_dtype"][operand]]), free)
    known = (addr >= 0) | (bank >= 0)
    first = np.where(bank >= 0, bank, addr // PSUM_BANK_BYTES)
    last = first + (np.where(addr >= 0, addr % PSUM_BANK_BYTES, 0) + np.maximum(span, 1) - 1) // PSUM_BANK_BYTES
    if np.any(last[known] > _MASK_BANKS):
        raise Irregular("bank beyond any generation's")
    mask = np.where(known, (1 << (np.minimum(last, _MASK_BANKS) + 1)) - (1 << np.clip(first, 0, _MASK_BANKS)), 0)
    output = (operands["op_flags"][chosen] & OperandFlag.OUTPUT) != 0
    np.bitwise_or.at(reads, event[chosen][~output], mask[~output])
    np.bitwise_or.at(writes, event[chosen][output], mask[output])
    flags[event[chosen][output & ~known]] |= np.uint16(Flag.WRITES_UNKNOWN_BANK)
    return reads, writes


_MASK_BANKS = 31


def _apply_given_banks(given: Sequence[list[int] | None], mask: Array, flags: Array, flag: Flag) -> None:
    if given.count(None) == len(given):
        return
    for event, banks in enumerate(given):
        if banks is not None:
            if any(not 0 <= b <= _MASK_BANKS for b in banks):
                raise Irregular("bank")
            mask[event] = sum(1 << b for b in set(banks))
            flags[event] |= np.uint16(flag)


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

