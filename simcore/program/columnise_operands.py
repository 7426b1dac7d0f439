"""Operands -> arrays, and the PSUM banks that they touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from simcore.program.banks import span_bytes
from simcore.program.codes import DTYPE_CODES, SPACE_CODES
from simcore.program.columnise_fields import Extras, Irregular, codes, optional
from simcore.program.columns import OPERAND_DTYPES, Array, Flag, OperandFlag
from simcore.program.dtypes import DTYPE_BYTES
from simcore.program.generations import PSUM_BANK_BYTES
from simcore.program.instruction import Operand
from simcore.program.limits import MAX_DIM
from simcore.program.vocabulary import Space

_OPERAND_FIELDS = ("space", "partitions", "elements", "dtype", "addr", "bank", "free", "symbolic", "tensor")


def operand_arrays(ins: Sequence[list[Operand]], outs: Sequence[list[Operand]], extras: Extras) -> dict[str, Array]:
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
        "op_space": codes(cols["space"], SPACE_CODES, np.uint8),
        "op_dtype": codes(cols["dtype"], DTYPE_CODES, np.uint8),
        "op_flags": flags,
        "op_partitions": np.array(cols["partitions"], dtype=np.int64),
        "op_elements": elements,
        "op_addr": optional(cols["addr"], np.int64),
        "op_bank": optional(cols["bank"], np.int64),
    }


def _rare_operand_attributes(
    cols: dict[str, Any],
    event: Array,
    flags: Array,
    elements: Array,
    extras: Extras,
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


def bank_masks(operands: dict[str, Array], extras: Extras, flags: Array) -> tuple[Array, Array]:
    n = len(flags)
    reads, writes = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    chosen = np.flatnonzero(operands["op_space"] == Space.PSUM)
    if not len(chosen):
        return reads, writes
    event = np.repeat(np.arange(n), operands["op_count"])
    position = np.arange(len(event)) - np.repeat(
        np.cumsum(operands["op_count"]) - operands["op_count"], operands["op_count"]
    )
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


def apply_given_banks(given: Sequence[list[int] | None], mask: Array, flags: Array, flag: Flag) -> None:
    if given.count(None) == len(given):
        return
    for event, banks in enumerate(given):
        if banks is not None:
            if any(not 0 <= b <= _MASK_BANKS for b in banks):
                raise Irregular("bank")
            mask[event] = sum(1 << b for b in set(banks))
            flags[event] |= np.uint16(flag)
