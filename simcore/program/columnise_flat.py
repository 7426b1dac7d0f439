"""Nested instructions -> events in walk order: transfers after their triggers, loop bodies inline."""

from __future__ import annotations

from collections.abc import Sequence

from simcore.program.codes import OPCODE_CODES
from simcore.program.columnise_fields import Irregular
from simcore.program.columns import LoopSpan
from simcore.program.instruction import Instruction
from simcore.program.limits import MAX_DIM
from simcore.program.opcodes import TRANSFER_OPCODES


class Flat:
    """Events in walk order, which of them are transfers, and the loops around them."""

    def __init__(self) -> None:
        self.events: list[Instruction] = []
        self.transfers: list[int] = []
        self.loops: list[LoopSpan] = []


def flatten(instructions: Sequence[Instruction]) -> Flat:
    flat = Flat()
    loop, trigger = "Loop", "DMATrigger"
    if not any(i.opcode in (loop, trigger) or i.transfer is not None or i.body is not None for i in instructions):
        flat.events = list(instructions)
        if any(i.trip_count is not None for i in flat.events):
            raise Irregular("trip count outside a loop")
        return flat
    _flatten_into(flat, instructions, -1)
    return flat


def _flatten_into(flat: Flat, instructions: Sequence[Instruction], parent: int) -> None:
    for instruction in instructions:
        is_loop, is_trigger = instruction.opcode == "Loop", instruction.opcode == "DMATrigger"
        if is_loop == (instruction.body is None) or is_trigger == (instruction.transfer is None):
            raise Irregular("a loop needs a body, a trigger a transfer, and nothing else has them")
        if instruction.body is not None:
            if instruction.trip_count is not None and not 1 <= instruction.trip_count <= MAX_DIM:
                raise Irregular("trip count")
            header = Instruction(**{f: getattr(instruction, f) for f in _HEADER_FIELDS}, body=None)
            index, begin = len(flat.loops), len(flat.events)
            flat.loops.append(LoopSpan(header, begin, begin, parent))
            _flatten_into(flat, instruction.body, index)
            flat.loops[index] = LoopSpan(header, begin, len(flat.events), parent)
            continue
        if instruction.trip_count is not None:
            raise Irregular("trip count outside a loop")
        flat.events.append(instruction)
        if instruction.transfer is not None:
            transfer = instruction.transfer
            is_plain = transfer.transfer is None and transfer.body is None and transfer.trip_count is None
            if OPCODE_CODES[transfer.opcode] not in TRANSFER_OPCODES or not is_plain:
                raise Irregular("transfer")
            flat.transfers.append(len(flat.events))
            flat.events.append(transfer)


_HEADER_FIELDS = tuple(f for f in Instruction.__struct_fields__ if f != "body")
