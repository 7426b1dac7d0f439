"""Descriptors of a lowered DMA, merged into the operands of one transfer with the same bytes.

A lowered DMA is cut into descriptors, each with a slice of every operand. Slices at the same position in ``ins`` or
``outs``, in the same space and PSUM bank, become one operand again:

1. Slices of one column (the same bytes of a row of the same location) that lie in different partitions are stacked:
   their partitions add up, if that gives at most 128. Off chip, where partitions mean nothing, slices with equal
   elements are stacked, up to the same number.
2. If all of what is left has the same partitions, the elements per partition add up.
3. Otherwise the total is spread over the largest number of partitions, up to 128, that divides it and that a slice has.

Slices of different dtypes are counted in bytes (``uint8``). Every step keeps partitions x elements x element size.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import structs

from simcore.program.bir.access import Access
from simcore.program.bir.memory import ON_CHIP
from simcore.program.dtypes import DType
from simcore.program.generations import SBUF_PARTITIONS
from simcore.program.instruction import Operand

Shape = tuple[int, int]
"""(partitions, elements per partition)."""


def merged_operands(descriptors: Sequence[Sequence[Access]]) -> list[Operand]:
    """One operand per position, space and bank of the descriptors' accesses, in order of first appearance."""
    slices: dict[tuple[int, str, int | None, bool], list[Access]] = {}
    for accesses in descriptors:
        for position, access in enumerate(accesses):
            operand = access.operand
            slices.setdefault((position, operand.space, operand.bank, operand.symbolic), []).append(access)
    return [_merged(group) for group in slices.values()]


def _merged(slices: Sequence[Access]) -> Operand:
    if len(slices) == 1:
        return slices[0].operand
    if len({s.operand.dtype for s in slices}) > 1:
        slices = [_in_bytes(s) for s in slices]
    operands = [s.operand for s in slices]
    first = operands[0]
    stacked = _stacked_on_chip if first.space in ON_CHIP and not first.symbolic else _stacked_off_chip
    partitions, elements = _one_shape(stacked(slices))
    tensors = {o.tensor for o in operands}
    addresses = [o.addr for o in operands if o.addr is not None]
    return Operand(
        space=first.space,
        partitions=partitions,
        elements=elements,
        dtype=first.dtype,
        addr=min(addresses) if len(addresses) == len(operands) and len(tensors) == 1 else None,
        bank=first.bank,
        symbolic=first.symbolic,
        tensor=first.tensor if len(tensors) == 1 else None,
    )


def _in_bytes(access: Access) -> Access:
    operand = access.operand
    nbytes = operand.elements * DType[operand.dtype].nbytes
    counted = structs.replace(operand, dtype=DType.uint8.name, elements=nbytes, free=None)
    return Access(counted, access.first_partition)


def _stacked_on_chip(slices: Sequence[Access]) -> list[Shape]:
    columns: dict[tuple[object, ...], list[Access]] = {}
    for s in slices:
        o = s.operand
        columns.setdefault((o.tensor, o.addr, o.elements, tuple(o.free or ())), []).append(s)
    shapes: list[Shape] = []
    for column in columns.values():
        total = sum(s.operand.partitions for s in column)
        if total <= SBUF_PARTITIONS and _disjoint(column):
            shapes.append((total, column[0].operand.elements))
        else:
            shapes.extend((s.operand.partitions, s.operand.elements) for s in column)
    return shapes


def _disjoint(column: Sequence[Access]) -> bool:
    rows = sorted((s.first_partition, s.operand.partitions) for s in column if s.first_partition is not None)
    apart = all(begin + count <= following for (begin, count), (following, _) in pairwise(rows))
    return apart and len(rows) == len(column)


def _stacked_off_chip(slices: Sequence[Access]) -> list[Shape]:
    rows: dict[int, list[int]] = {}
    for s in slices:
        rows.setdefault(s.operand.elements, []).append(s.operand.partitions)
    shapes: list[Shape] = []
    for elements, partitions in rows.items():
        fits = sum(partitions) <= SBUF_PARTITIONS
        shapes.extend((p, elements) for p in ([sum(partitions)] if fits else partitions))
    return shapes


def _one_shape(shapes: Sequence[Shape]) -> Shape:
    partitions = {p for p, _ in shapes}
    if len(partitions) == 1:
        return shapes[0][0], sum(elements for _, elements in shapes)
    total = sum(p * elements for p, elements in shapes)
    most = min(max(partitions), SBUF_PARTITIONS)
    divisor = next(p for p in range(most, 0, -1) if total % p == 0)
    return divisor, total // divisor
