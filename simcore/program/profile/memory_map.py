"""Where an address of a profile lies: the engines' view of on-chip memory, and access patterns inside a partition.

The state buffer comes first, 256 KiB of address space per partition; PSUM follows at 0x2000000. Both starts agree with
every profile read (a DMA writes partitions 0x40000 apart at the addresses that engines then read).
"""

from __future__ import annotations

from dataclasses import dataclass

from simcore.program.generations import PSUM_BANK_BYTES, SBUF_PARTITIONS

PARTITION_PITCH = 0x40000
"""Address distance of neighbouring state-buffer partitions, bytes."""

PSUM_START = SBUF_PARTITIONS * PARTITION_PITCH
"""Address of PSUM bank 0 in partition 0."""

ON_CHIP_MASK = 2 * PSUM_START - 1
"""The part of a DMA's 64-bit address that is the engines' address of the same byte."""


@dataclass(frozen=True, slots=True)
class Place:
    """An on-chip address. ``addr`` is the byte offset in a partition, None if PSUM is entered past partition 0."""

    space: str
    addr: int | None


def place_of(address: int, psum_banks: int) -> Place:
    """The place of an engine address. How far apart PSUM partitions lie is not known, so ``addr`` can be None there."""
    if address < PSUM_START:
        return Place("SB", address % PARTITION_PITCH)
    offset = address - PSUM_START
    return Place("PSUM", offset if offset < psum_banks * PSUM_BANK_BYTES else None)


@dataclass(frozen=True, slots=True)
class FreePattern:
    """The free dimensions of an access, in elements.

    ``shift`` is the lowest element's distance from the first (0 or negative), ``free`` the pattern outermost first,
    None when contiguous.
    """

    shift: int
    elements: int
    free: list[tuple[int, int]] | None


def free_pattern(steps: tuple[int, ...], counts: tuple[int, ...]) -> FreePattern:
    """Dimensions innermost first -> a pattern that walks the same elements upward, in as few dimensions as it takes.

    Weights are loaded last element first (step -1); which bytes are touched does not depend on the direction.
    """
    shift, elements = 0, 1
    merged: list[tuple[int, int]] = []
    for step, count in zip(steps, counts, strict=True):
        if count == 1:
            continue
        elements *= count
        if step < 0:
            shift += step * (count - 1)
            step = -step
        if merged and step == merged[-1][0] * merged[-1][1]:
            merged[-1] = (merged[-1][0], merged[-1][1] * count)
        else:
            merged.append((step, count))
    contiguous = not merged or (len(merged) == 1 and merged[0][0] == 1)
    return FreePattern(shift, elements, None if contiguous else merged[::-1])
