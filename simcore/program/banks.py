"""Which PSUM banks an access touches.

An access starts in bank ``bank`` (or ``addr // 2048``), ``addr mod 2048`` bytes in, and spans from its first to its
last byte within a partition; it touches every bank in between.
"""

from __future__ import annotations

from collections.abc import Sequence

from simcore.program.generations import PSUM_BANK_BYTES


def span_bytes(elements: int, element_bytes: int, free: Sequence[tuple[int, int]] | None) -> int:
    """Bytes from the first to past the last element of one partition's access; ``free`` is [[step, num], ...]."""
    if free is None:
        return elements * element_bytes
    return (sum(step * (num - 1) for step, num in free) + 1) * element_bytes


def first_bank_and_offset(addr: int | None, bank: int | None) -> tuple[int, int] | None:
    """(bank, byte offset in it) where an access begins; None when neither address nor bank is known."""
    if bank is None:
        return None if addr is None else divmod(addr, PSUM_BANK_BYTES)
    return abs(bank), 0 if addr is None else addr % PSUM_BANK_BYTES


def banks_touched(addr: int | None, bank: int | None, span: int) -> range | None:
    """The banks that ``span`` bytes touch, or None when the place is unknown."""
    begin = first_bank_and_offset(addr, bank)
    if begin is None:
        return None
    first, offset = begin
    return range(first, first + (offset + max(span, 1) - 1) // PSUM_BANK_BYTES + 1)


def bank_mask(banks: Sequence[int] | range) -> int:
    """A bit for each bank."""
    mask = 0
    for bank in banks:
        mask |= 1 << bank
    return mask
