"""Which PSUM banks each event reads and writes according to its operands (:mod:`simcore.program.banks`, on arrays)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simcore.program.columns import Array, OperandFlag
from simcore.program.dtypes import DTYPE_BYTES
from simcore.program.generations import PSUM_BANK_BYTES
from simcore.program.vocabulary import Space

MAX_SPAN_ELEMENTS = 2**48
"""A strided span counts as at most this, far beyond any bank, so that its bytes fit 64 bits."""

_DTYPE_BYTES = np.array(DTYPE_BYTES, dtype=np.int64)


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
    addr = operands["op_addr"][chosen].astype(np.int64)
    bank = operands["op_bank"][chosen].astype(np.int64)
    flags = operands["op_flags"][chosen]
    elements = operands["op_elements"][chosen]
    strided = np.flatnonzero(flags & OperandFlag.STRIDED)
    if len(strided):
        elements = elements.copy()
        elements[strided] = [min(strided_spans[k], MAX_SPAN_ELEMENTS) for k in chosen[strided].tolist()]
    span = np.maximum(elements * _DTYPE_BYTES[operands["op_dtype"][chosen]], 1)
    known = (addr >= 0) | (bank >= 0)
    first = np.where(bank >= 0, bank, addr // PSUM_BANK_BYTES)
    last = first + (np.where(addr >= 0, addr % PSUM_BANK_BYTES, 0) + span - 1) // PSUM_BANK_BYTES
    bits = (np.int64(1) << (np.minimum(last, 61) + 1)) - (np.int64(1) << np.clip(first, 0, 62))
    bits[~known] = 0
    output = (flags & OperandFlag.OUTPUT) != 0
    group = np.flatnonzero(np.diff(2 * event + output, prepend=-1))
    merged = np.bitwise_or.reduceat(bits, group)
    writes_in = output[group]
    reads[event[group][~writes_in]] = merged[~writes_in]
    writes[event[group][writes_in]] = merged[writes_in]
    unknown[event[output & ~known]] = True
    return PsumMasks(reads, writes, unknown, int(last[known].max(initial=-1)))
