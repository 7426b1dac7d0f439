"""Which PSUM banks each event reads and writes according to its operands (:mod:`simcore.program.banks`, on arrays)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simcore.program.banks import LAST_BIT
from simcore.program.columns import Array, OperandFlag
from simcore.program.dtypes import DTYPE_BYTES
from simcore.program.generations import PSUM_BANK_BYTES
from simcore.program.vocabulary import Space

MAX_SPAN_ELEMENTS = 2**48
"""A strided span counts as at most this, far beyond any bank, so that its bytes fit 64 bits."""

_DTYPE_BYTES = np.array(DTYPE_BYTES, dtype=np.int64)
_BELOW = (np.int64(1) << np.arange(LAST_BIT + 2)) - 1
"""Masks of all banks below a number."""


@dataclass(frozen=True, slots=True)
class PsumMasks:
    """Bank masks of n events (int64); ``unknown``: an output's bank is not said; ``highest``: the last bank touched."""

    reads: Array
    writes: Array
    unknown: Array
    highest: int


def psum_masks(operands: Mapping[str, Array], strided_spans: Mapping[int, int]) -> PsumMasks:
    """The masks of the n events whose operands these are, inputs before outputs in each.

    ``operands`` holds the ``op_*`` columns; ``strided_spans`` the elements from first to last of each strided operand
    in PSUM, by its position in the columns. Banks from 62 on have no bit; ``highest`` tells.
    """
    counts = operands["op_count"]
    n = len(counts)
    reads, writes, unknown = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, bool)
    chosen = np.flatnonzero(operands["op_space"] == Space.PSUM)
    if not len(chosen):
        return PsumMasks(reads, writes, unknown, -1)
    event = np.repeat(np.arange(n), counts)[chosen]
    output = (operands["op_flags"][chosen] & OperandFlag.OUTPUT) != 0
    first, last = _first_and_last(operands, strided_spans, chosen)
    bits = _BELOW[np.minimum(last, LAST_BIT) + 1] - _BELOW[np.clip(first, 0, LAST_BIT + 1)]
    is_unknown = last < 0
    bits[is_unknown] = 0
    unknown[event[output & is_unknown]] = True
    group = np.flatnonzero(np.diff(2 * event + output, prepend=-1))
    if len(group) < len(bits):
        bits, event, output = np.bitwise_or.reduceat(bits, group), event[group], output[group]
    writes[event[output]] = bits[output]
    reads[event[~output]] = bits[~output]
    return PsumMasks(reads, writes, unknown, int(last.max()))


def _first_and_last(
    operands: Mapping[str, Array], strided_spans: Mapping[int, int], chosen: Array
) -> tuple[Array, Array]:
    """The banks in which the ``chosen`` operands begin and end; -1 ends those whose place is not said."""
    bank = operands["op_bank"][chosen].astype(np.int64)
    addr = operands["op_addr"][chosen]
    elements = operands["op_elements"][chosen]
    strided = np.flatnonzero(operands["op_flags"][chosen] & OperandFlag.STRIDED)
    if len(strided):
        elements = elements.copy()
        elements[strided] = [min(strided_spans[k], MAX_SPAN_ELEMENTS) for k in chosen[strided].tolist()]
    last_byte = np.maximum(elements * _DTYPE_BYTES[operands["op_dtype"][chosen]], 1) - 1
    has_addr = addr >= 0
    if has_addr.any():
        last_byte += np.where(has_addr, addr % PSUM_BANK_BYTES, 0)
        bank = np.where(bank < 0, addr // PSUM_BANK_BYTES, bank)
    last = bank + last_byte // PSUM_BANK_BYTES
    last[bank < 0] = -1
    return bank, last
