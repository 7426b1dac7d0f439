"""Operands -> arrays, with their rare attributes, and the bank lists that instructions give themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from simcore.program.banks import bank_mask, span_bytes
from simcore.program.codes import DTYPE_CODES, SPACE_CODES
from simcore.program.columnise_fields import Extras, Fields, Irregular, is_text
from simcore.program.columns import OPERAND_DTYPES, Array, OperandFlag
from simcore.program.limits import MAX_DIM


def operand_arrays(events: Fields, first_event: int, extras: Extras) -> tuple[dict[str, Array], dict[int, int]]:
    """The operand columns of ``events`` (from ``first_event`` on), and the spans (elements) of the strided ones."""
    n = events.count
    in_count = events.lengths("ins")
    count = in_count + events.lengths("outs")
    if not count.any():
        return {"op_count": count, **{k: np.zeros(0, dtype=d) for k, d in OPERAND_DTYPES.items()}}, {}
    fields = events.operands
    event = np.repeat(np.arange(n), count)
    position = np.arange(fields.count) - np.repeat(np.cumsum(count) - count, count)
    flags = np.where(position >= in_count[event], np.uint16(OperandFlag.OUTPUT), np.uint16(0))
    flags |= fields.flags("symbolic", OperandFlag.SYMBOLIC)
    arrays = {
        "op_count": count,
        "op_space": fields.codes("space", SPACE_CODES),
        "op_dtype": fields.codes("dtype", DTYPE_CODES),
        "op_flags": flags,
        "op_partitions": fields.integers("partitions"),
        "op_elements": fields.integers("elements"),
        "op_addr": fields.optional("addr"),
        "op_bank": fields.optional("bank"),
    }
    spans = _free_patterns(fields, arrays)
    for key in ("free", "tensor"):
        values = fields.given(key)
        for e in dict.fromkeys(event[[v is not None for v in values]].tolist()) if values else ():
            extras.put(
                first_event + e, key, tuple(_frozen(getattr(o, key)) for o in (*events["ins"][e], *events["outs"][e]))
            )
    if not all(is_text(t) for t in fields.given("tensor") or () if t is not None):
        raise Irregular("tensor")
    return arrays, spans


def _frozen(value: Any) -> Any:
    return tuple(map(tuple, value)) if isinstance(value, list) else value


def _free_patterns(fields: Fields, arrays: dict[str, Array]) -> dict[int, int]:
    """Marks the strided operands in ``op_flags`` and returns their spans by position."""
    spans = {}
    for k, free in enumerate(fields.given("free") or ()):
        if free is not None:
            if not is_free_pattern(free, int(arrays["op_elements"][k])):
                raise Irregular("free pattern")
            span = span_bytes(0, 1, free)
            if span != arrays["op_elements"][k]:
                arrays["op_flags"][k] |= np.uint16(OperandFlag.STRIDED)
                spans[k] = span
    return spans


def is_free_pattern(free: Sequence[tuple[int, int]], elements: int) -> bool:
    """Whether ``free`` is a pattern of positive counts and steps from 0 that covers ``elements``."""
    in_range = all(0 <= step <= MAX_DIM and 1 <= num <= MAX_DIM for step, num in free)
    return bool(free) and in_range and math.prod(num for _, num in free) == elements


def given_masks(fields: Fields, field: str, banks: int) -> tuple[Array, Array]:
    """Which events give a list of PSUM banks, and its mask."""
    masks, is_given = np.zeros(fields.count, np.int64), np.zeros(fields.count, bool)
    for event, given in enumerate(fields.given(field) or ()):
        if given is not None:
            if not all(0 <= b < banks for b in given):
                raise Irregular("bank")
            masks[event], is_given[event] = bank_mask(given), True
    return is_given, masks
