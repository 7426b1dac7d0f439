"""Nested instructions -> events in walk order: transfers after their triggers, loop bodies inline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simcore.program.columnise_fields import Fields, Irregular
from simcore.program.columns import Array, Flag, LoopSpan
from simcore.program.instruction import Instruction
from simcore.program.limits import MAX_DIM, MAX_NESTING
from simcore.program.opcodes import TRANSFER_OPCODES, Opcode

_HEADER_FIELDS = tuple(f for f in Instruction.__struct_fields__ if f not in ("body", "transfer"))
_TRANSFER_CODES = np.array(sorted(TRANSFER_OPCODES), dtype=np.uint8)


class Flattener:
    """Takes a block's instructions chunk by chunk; ``loops`` are all loops so far, ``count`` all events so far."""

    def __init__(self) -> None:
        self.loops: list[LoopSpan] = []
        self.count = 0

    def events(self, chunk: Sequence[Instruction] | Fields) -> tuple[Fields, list[int]]:
        """The fields of the chunk's events, and which of them (counted in the chunk) are transfers."""
        transfers: list[int] = []
        if isinstance(chunk, Fields):
            fields = chunk
        elif any(map(_is_nested, chunk)):
            events: list[Instruction] = []
            self._append(chunk, events, transfers, -1, 0)
            fields = Fields(events)
        else:
            fields = Fields(chunk)
        self.count += fields.count
        return fields, transfers

    def _append(
        self,
        instructions: Sequence[Instruction],
        events: list[Instruction],
        transfers: list[int],
        parent: int,
        depth: int,
    ) -> None:
        for instruction in instructions:
            if not _is_nested(instruction):
                events.append(instruction)
            elif instruction.body is not None:
                if depth == MAX_NESTING or not is_loop(instruction):
                    raise Irregular("loop")
                index, begin = len(self.loops), self.count + len(events)
                header = _header(instruction)
                self.loops.append(LoopSpan(header, begin, begin, parent))
                self._append(instruction.body, events, transfers, index, depth + 1)
                self.loops[index] = LoopSpan(header, begin, self.count + len(events), parent)
            elif instruction.transfer is not None and instruction.trip_count is None:
                if _is_nested(instruction.transfer):
                    raise Irregular("transfer")
                transfers.append(len(events) + 1)
                events += (instruction, instruction.transfer)
            else:
                raise Irregular("trip count outside a loop")


def _is_nested(instruction: Instruction) -> bool:
    return instruction.transfer is not None or instruction.body is not None or instruction.trip_count is not None


def is_loop(instruction: Instruction) -> bool:
    """Whether the opcode is that of a loop and the trip count, if given, is one."""
    count_fits = instruction.trip_count is None or 1 <= instruction.trip_count <= MAX_DIM
    return instruction.opcode == Opcode.Loop.name and instruction.transfer is None and count_fits


def _header(loop: Instruction) -> Instruction:
    fields = {f: getattr(loop, f) for f in _HEADER_FIELDS}
    return Instruction(**{**fields, "dependencies": list(loop.dependencies)})


def misplaced_transfers(opcode: Array, flags: Array) -> Array:
    """Events that break a rule of triggers, by index.

    A transfer follows each DMATrigger and stands nowhere else, only some opcodes can be one, and loops are no events.
    """
    is_trigger = opcode == Opcode.DMATrigger
    is_transfer = (flags & Flag.TRANSFER) != 0
    expected = np.zeros(len(opcode), dtype=bool)
    expected[1:] = is_trigger[:-1]
    wrong = (is_transfer != expected) | (opcode == Opcode.Loop)
    if is_transfer.any():
        wrong |= is_transfer & ~np.isin(opcode, _TRANSFER_CODES)
    wrong[-1:] |= is_trigger[-1:]
    return np.flatnonzero(wrong)
