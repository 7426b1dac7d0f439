"""Which PSUM banks an access touches.

An access starts in bank ``bank`` (or ``addr // 2048``), ``addr mod 2048`` bytes in, and spans from its first to its
last byte within a partition; it touches every bank in between. Unset numbers are -1. :mod:`simcore.program.psum_masks`
says the same in terms of whole arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simcore.program.columns import Flag, OperandFlag
from simcore.program.generations import PSUM_BANK_BYTES
from simcore.program.vocabulary import Space

_PSUM = int(Space.PSUM)
_OUTPUT = int(OperandFlag.OUTPUT)
_STRIDED = int(OperandFlag.STRIDED)
_READS_GIVEN = int(Flag.PSUM_READS_GIVEN)
_WRITES_GIVEN = int(Flag.PSUM_WRITES_GIVEN)
_UNKNOWN_BANK = int(Flag.WRITES_UNKNOWN_BANK)

LAST_BIT = 61
"""Banks from the next on have no bit in a mask."""


def span_bytes(elements: int, element_bytes: int, free: Sequence[tuple[int, int]] | None) -> int:
    """Bytes from the first to past the last element of one partition's access; ``free`` is [[step, num], ...]."""
    if free is None:
        return elements * element_bytes
    return (sum(step * (num - 1) for step, num in free) + 1) * element_bytes


def bank_range(addr: int, bank: int, span: int) -> tuple[int, int]:
    """The first and the last bank that ``span`` bytes touch; (-1, -1) when neither address nor bank is known."""
    if addr < 0:
        return (bank, bank + (max(span, 1) - 1) // PSUM_BANK_BYTES) if bank >= 0 else (-1, -1)
    first = bank if bank >= 0 else addr // PSUM_BANK_BYTES
    return first, first + (addr % PSUM_BANK_BYTES + max(span, 1) - 1) // PSUM_BANK_BYTES


def bank_mask(banks: Sequence[int] | range) -> int:
    """A bit for each bank."""
    mask = 0
    for bank in banks:
        mask |= 1 << bank
    return mask


def mask_faults(
    op_count: Any,
    op_space: Any,
    op_dtype: Any,
    op_flags: Any,
    op_elements: Any,
    op_addr: Any,
    op_bank: Any,
    flags: Any,
    psum_reads: Any,
    psum_writes: Any,
    spans: Any,
    dtype_bytes: Any,
) -> tuple[int, int, int, int]:
    """Compares the bank masks of a block's columns with what its operands say.

    Takes arrays when compiled and lists when not. ``spans`` are the elements from first to last of each strided
    operand in turn. Returns the highest bank, the first operand that is an input after an output (or -1), and of the
    events whose masks are neither given nor right the number and the first.
    """
    operand, strided = 0, 0
    highest, misplaced, wrong, first_wrong = -1, -1, 0, -1
    for event in range(len(op_count)):
        reads, writes = 0, 0
        unknown, after_output = False, False
        for _ in range(op_count[event]):
            is_output = op_flags[operand] & _OUTPUT != 0
            if after_output and not is_output and misplaced < 0:
                misplaced = operand
            after_output = is_output
            elements = int(op_elements[operand])
            if op_flags[operand] & _STRIDED != 0:
                elements = int(spans[strided])
                strided += 1
            if op_space[operand] == _PSUM:
                span = elements * int(dtype_bytes[op_dtype[operand]])
                first, last = bank_range(int(op_addr[operand]), int(op_bank[operand]), span)
                highest = max(highest, last)
                if last < 0:
                    unknown = unknown or is_output
                elif last <= LAST_BIT:
                    mask = (1 << (last + 1)) - (1 << first)
                    if is_output:
                        writes |= mask
                    else:
                        reads |= mask
            operand += 1
        reads_given, writes_given = flags[event] & _READS_GIVEN != 0, flags[event] & _WRITES_GIVEN != 0
        says_unknown = flags[event] & _UNKNOWN_BANK != 0
        reads_differ = not reads_given and psum_reads[event] != reads
        writes_differ = not writes_given and psum_writes[event] != writes
        if reads_differ or writes_differ or says_unknown != (unknown and not writes_given):
            wrong += 1
            if first_wrong < 0:
                first_wrong = event
    return highest, misplaced, wrong, first_wrong
