"""Operands of compute instructions: places, partitions and types, the types found in memory where the text has none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from simcore.program.faults import Faults
from simcore.program.generations import SBUF_PARTITIONS, Generation
from simcore.program.instruction import Operand
from simcore.program.profile.element_types import ELEMENT_TYPES, TypedMemory
from simcore.program.profile.executions import Execution
from simcore.program.profile.hardware import HardwareInstruction
from simcore.program.profile.memory_map import FreePattern, Place, free_pattern, place_of
from simcore.program.profile.opcode_map import MATMULS, WEIGHT_LOADS
from simcore.program.profile.operand_text import Access, Pointer
from simcore.program.profile.operands import byte_range, on_chip_operand

_SCALAR = FreePattern(0, 1, None)
_CHANNELS = re.compile(r"[0-9]{1,3}")


@dataclass(slots=True)
class Surroundings:
    """What the operands of one core's instructions are understood by.

    ``untyped`` and ``unplaced`` collect the names of instructions with an operand whose type, or place in PSUM,
    nothing in the kernel tells.
    """

    generation: Generation
    faults: Faults
    memory: TypedMemory = field(default_factory=TypedMemory)
    untyped: list[str] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)

    def remember(self, executions: list[Execution]) -> None:
        """Notes every typed access, so that untyped ones can be looked up."""
        for position, execution in enumerate(executions):
            for row in execution.rows:
                for access in row.operands.accesses:
                    if access.dtype is not None:
                        dtype = ELEMENT_TYPES[access.dtype]
                        place = place_of(access.address, self.generation.psum_banks)
                        span = byte_range(place, free_pattern(access.steps, access.counts), dtype)
                        if span is not None:
                            self.memory.add(position, place.space, *span, dtype)

    def operands(self, position: int, execution: Execution) -> tuple[list[Operand], list[Operand]]:
        """(inputs, outputs) of a compute instruction; a matmul's moving operand comes before the stationary one."""
        ins: list[Operand] = []
        outs: list[Operand] = []
        rows = execution.rows
        if rows[-1].opcode in MATMULS:
            rows = [r for r in rows if r.opcode in MATMULS] + [r for r in rows if r.opcode in WEIGHT_LOADS]
        for row in rows:
            for access in row.operands.accesses:
                into = outs if _is_output(access) else ins
                operand = self._access(position, execution, row, access)
                if operand is not None and operand not in into:  # the passes of a float32 matmul repeat their operands
                    into.append(operand)
            for pointer in row.operands.pointers:
                operand = self._pointer(position, execution, row, pointer)
                if operand is not None:
                    ins.append(operand)
        return ins, outs

    def _access(self, position: int, execution: Execution, row: HardwareInstruction, access: Access) -> Operand | None:
        place = place_of(access.address, self.generation.psum_banks)
        pattern = free_pattern(access.steps, access.counts)
        is_output = _is_output(access)
        fallback = None
        if row.opcode in MATMULS and is_output:
            # PSUM adds up in float32; a transpose passes its input through
            moving = next((a.dtype for a in row.operands.accesses if not _is_output(a) and a.dtype), None)
            fallback = ELEMENT_TYPES[moving] if row.transposes and moving else "float32"
        dtype = self._type(position, execution, access.dtype, place, pattern, is_output, fallback)
        columns = is_output and row.opcode in MATMULS
        return self._placed(execution, row, place, pattern, dtype, self._partitions(row, columns=columns))

    def _pointer(
        self, position: int, execution: Execution, row: HardwareInstruction, pointer: Pointer
    ) -> Operand | None:
        place = place_of(pointer.address, self.generation.psum_banks)
        dtype = self._type(position, execution, pointer.dtype, place, _SCALAR, False, None)
        return self._placed(execution, row, place, _SCALAR, dtype, self._partitions(row, columns=False))

    def _placed(
        self,
        execution: Execution,
        row: HardwareInstruction,
        place: Place,
        pattern: FreePattern,
        dtype: str,
        partitions: int | None,
    ) -> Operand | None:
        if partitions is None:
            return None
        if place.addr is None:
            self.unplaced.append(execution.name)
        elif byte_range(place, pattern, dtype) is None:
            self.faults.add(("instruction",), f'operands "{row.text.strip()}" leave their partition of {place.space}')
            return None
        return on_chip_operand(place, pattern, partitions, dtype)

    def _type(
        self,
        position: int,
        execution: Execution,
        said: str | None,
        place: Place,
        pattern: FreePattern,
        is_output: bool,
        fallback: str | None,
    ) -> str:
        if said is not None:
            return ELEMENT_TYPES[said]
        span = byte_range(place, pattern, fallback or "float32")
        found = None
        if span is not None:
            look = self.memory.type_written if is_output else self.memory.type_read
            found = look(position, place.space, *span)
        if found is None and fallback is None:
            self.untyped.append(execution.name)
        return found or fallback or "float32"

    def _partitions(self, row: HardwareInstruction, *, columns: bool) -> int | None:
        """Rows or columns of the PE array, or the channels of the other engines."""
        if row.operands.tile is not None:
            partitions = row.operands.tile[columns]
        else:
            channels = row.operands.attributes.get("channels", "")
            partitions = int(channels) if _CHANNELS.fullmatch(channels) else 0
        if 1 <= partitions <= SBUF_PARTITIONS:
            return partitions
        self.faults.add(
            ("instruction",),
            f'operands "{row.text.strip()}" give no partition count in 1..{SBUF_PARTITIONS} '
            "(allowed: channels=n, or a PE tile rows*columns)",
        )
        return None


def _is_output(access: Access) -> bool:
    return access.role.startswith("dst")
