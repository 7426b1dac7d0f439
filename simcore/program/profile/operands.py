"""Operands of program instructions, from accesses in operand text and from the two sides of a transfer."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from simcore.program.banks import span_bytes
from simcore.program.dtypes import DType
from simcore.program.generations import PSUM_BANK_BYTES
from simcore.program.instruction import Operand
from simcore.program.profile.direct2d import Side
from simcore.program.profile.memory_map import ON_CHIP_MASK, PARTITION_PITCH, FreePattern, Place, free_pattern, place_of


def on_chip_operand(place: Place, pattern: FreePattern, partitions: int, dtype: str) -> Operand:
    """The operand at ``place``: lowest byte, elements per partition, and the PSUM bank it starts in."""
    addr = None if place.addr is None else place.addr + pattern.shift * DType[dtype].nbytes
    return Operand(
        space=place.space,
        partitions=partitions,
        elements=pattern.elements,
        dtype=dtype,
        addr=addr,
        bank=addr // PSUM_BANK_BYTES if place.space == "PSUM" and addr is not None else None,
        free=pattern.free,
    )


def byte_range(place: Place, pattern: FreePattern, dtype: str) -> tuple[int, int] | None:
    """(first, past the last) byte of an access, None where its place is unknown or it leaves its partition."""
    if place.addr is None:
        return None
    size = DType[dtype].nbytes
    begin = place.addr + pattern.shift * size
    end = begin + span_bytes(pattern.elements, size, pattern.free)
    return (begin, end) if begin >= 0 and end <= PARTITION_PITCH else None


def side_place(side: Side, space: str, psum_banks: int) -> Place:
    """The on-chip place of a transfer's side."""
    if side.address is None:
        return Place(space, None)
    return place_of(side.address & ON_CHIP_MASK, psum_banks)


def side_range(side: Side, place: Place) -> tuple[int, int] | None:
    """(first, past the last) byte that an on-chip side touches; None as for :func:`byte_range`."""
    if place.addr is None:
        return None
    free = [k for k in range(len(side.counts)) if k not in side.partition_dims]
    end = place.addr + side.run_bytes + sum(side.steps[k] * (side.counts[k] - 1) for k in free)
    return (place.addr, end) if end <= PARTITION_PITCH else None


def side_partitions(side: Side) -> int:
    """Partitions that an on-chip side touches."""
    return prod(side.counts[k] for k in side.partition_dims)


def side_pattern(side: Side, dtype: str, partition_dims: frozenset[int]) -> FreePattern | None:
    """The side's free dimensions in elements of ``dtype``; None when runs or steps are not whole elements."""
    size = DType[dtype].nbytes
    free = [k for k in range(len(side.counts)) if k not in partition_dims]
    if side.run_bytes % size or any(side.steps[k] % size for k in free if side.counts[k] > 1):
        return None
    steps = (1, *(side.steps[k] // size for k in free))
    counts = (side.run_bytes // size, *(side.counts[k] for k in free))
    return free_pattern(steps, counts)


def dram_operand(side: Side, other: Side | None, partitions: int, dtype: str) -> Operand:
    """The operand of a side in device memory, cut into as many rows as its ``other`` side has partitions.

    Device memory has no partitions; which of its dimensions goes with them is told by the other side, when both count
    alike.
    """
    pattern = None
    if other is not None and other.counts == side.counts:
        pattern = side_pattern(side, dtype, other.partition_dims)
    elements = side.nbytes // DType[dtype].nbytes // partitions
    tensor = None
    if side.table is not None:
        tensor = f"io_table[{side.table[0]}]" + (f"+{side.table[1]:#x}" if side.table[1] else "")
    elif side.address is not None:
        tensor = f"dram@{side.address:#x}"
    return Operand(
        space="DRAM",
        partitions=partitions,
        elements=elements,
        dtype=dtype,
        free=pattern.free if pattern is not None else None,
        tensor=tensor,
    )


def rows_of(counts: Sequence[int]) -> int:
    """Rows to cut a transfer into that touches no partitions: the most of its runs, up to 128, that divide evenly."""
    runs = prod(counts)
    return max(n for n in range(1, 129) if runs % n == 0)
