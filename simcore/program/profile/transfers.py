"""The transfer that a DMA trigger starts, as an instruction of its own."""

from __future__ import annotations

from simcore.program.dtypes import DType
from simcore.program.generations import SBUF_PARTITIONS
from simcore.program.instruction import Instruction, Operand
from simcore.program.profile.direct2d import Direct2D, Side
from simcore.program.profile.element_types import ELEMENT_TYPES
from simcore.program.profile.executions import Execution
from simcore.program.profile.operands import (
    dram_operand,
    on_chip_operand,
    rows_of,
    side_partitions,
    side_pattern,
    side_place,
    side_range,
)
from simcore.program.profile.typed_operands import Surroundings

_MOVES = {("DRAM", "SB"): "Load", ("SB", "DRAM"): "Save"}


def transfer_of(
    position: int, execution: Execution, transfer: Direct2D, dge_type: str, around: Surroundings
) -> Instruction:
    """Load, Save or DMACopy with one input and one output; what is wrong with it goes to ``around.faults``."""
    lead = execution.lead
    (src_space,), (dst_space,) = lead.reads, lead.writes
    src_type, dst_type = _types(position, execution, transfer, src_space, dst_space, around)
    src_elements, src_rest = divmod(transfer.src.nbytes, DType[src_type].nbytes)
    dst_elements, dst_rest = divmod(transfer.dst.nbytes, DType[dst_type].nbytes)
    if src_rest or dst_rest or src_elements != dst_elements:
        around.faults.add(
            ("instruction",),
            f"the transfer reads {transfer.src.nbytes} bytes of {src_type} and writes {transfer.dst.nbytes} bytes of "
            f"{dst_type}: not the same number of elements",
        )
    sides = ((transfer.src, src_space, src_type), (transfer.dst, dst_space, dst_type))
    # the rows of a transfer are the partitions of its on-chip side, the destination's if both are
    on_chip = transfer.dst if dst_space != "DRAM" else transfer.src if src_space != "DRAM" else None
    rows = side_partitions(on_chip) if on_chip is not None else rows_of(transfer.dst.counts)
    partitions = max(side_partitions(side) if space != "DRAM" else rows for side, space, _ in sides)
    operands: list[Operand] = []
    if partitions > SBUF_PARTITIONS:
        around.faults.add(
            ("instruction",), f"the transfer touches {partitions} partitions (allowed: 1 to {SBUF_PARTITIONS})"
        )
    else:
        for side, space, dtype in sides:
            if space == "DRAM":
                operands.append(dram_operand(side, on_chip, rows, dtype))
            else:
                operands.extend(_on_chip(execution, side, space, dtype, around))
    return Instruction(
        name=str(execution.transfer_name),
        opcode=_MOVES.get((src_space, dst_space), "DMACopy"),
        engine="DMA",
        ins=operands[:1],
        outs=operands[1:],
        dge_type=dge_type,
        source=lead.source,
    )


def _on_chip(execution: Execution, side: Side, space: str, dtype: str, around: Surroundings) -> list[Operand]:
    pattern = side_pattern(side, dtype, side.partition_dims)
    if pattern is None:
        around.faults.add(("instruction",), f"the transfer's runs or steps are not whole elements of {dtype}")
        return []
    place = side_place(side, space, around.generation.psum_banks)
    if place.addr is None:
        around.unplaced.append(execution.name)
    elif side_range(side, place) is None:
        around.faults.add(("instruction",), f"the transfer leaves its partitions of {space}")
    if place.space != space:
        around.faults.add(
            ("instruction",),
            f"the transfer's address {side.address:#x} is in {place.space}, its bytes were counted in {space}",
        )
    return [on_chip_operand(place, pattern, side_partitions(side), dtype)]


def _types(
    position: int, execution: Execution, transfer: Direct2D, src_space: str, dst_space: str, around: Surroundings
) -> tuple[str, str]:
    """Types of source and destination: as said when the transfer converts, else that of the bytes on chip.

    Bytes that no typed instruction touches are bytes.
    """
    if transfer.in_dtype is not None and transfer.out_dtype is not None:
        return ELEMENT_TYPES[transfer.in_dtype], ELEMENT_TYPES[transfer.out_dtype]
    found = _type_on_chip(position, transfer.dst, dst_space, around, is_output=True)
    if found is None:
        found = _type_on_chip(position, transfer.src, src_space, around, is_output=False)
    if found is None:
        around.untyped.append(execution.name)
        found = DType.uint8.name
    return found, found


def _type_on_chip(position: int, side: Side, space: str, around: Surroundings, *, is_output: bool) -> str | None:
    if space == "DRAM":
        return None
    place = side_place(side, space, around.generation.psum_banks)
    span = side_range(side, place)
    if span is None:
        return None
    look = around.memory.type_written if is_output else around.memory.type_read
    return look(position, place.space, *span)
