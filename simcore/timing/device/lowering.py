"""A block -> what the device does: operations per engine, with their documented cycles, waits and transfers.

Only the program is looked at: opcodes, operands and edges. Nothing here knows a measured time.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from simcore.errors import InputError, Problem
from simcore.oracle.documented import documented_cycles
from simcore.program.dtypes import DType
from simcore.program.instruction import Instruction
from simcore.timing.device.packets import DeviceTransfer, transfer_of
from simcore.timing.device.platform import ENGINES

if TYPE_CHECKING:
    from simcore.program.program import Block

MOST_PACKETS = 10**6
"""The most packets of one transfer: at a second of computing for each 300,000, more are a mistake."""

_SHOWN = 20


class Kind(StrEnum):
    """What an engine does with an instruction: ``wait`` costs only its own fixed time."""

    compute = "compute"
    matmul = "matmul"
    table_load = "table_load"
    trigger = "trigger"
    wait = "wait"


_KINDS = {
    "DMATrigger": Kind.trigger,
    "EventSemaphore": Kind.wait,
    "LoadActFuncSet": Kind.table_load,
    "Matmult": Kind.matmul,
    "NoOp": Kind.wait,
}

_SILENT = frozenset({Kind.wait, Kind.trigger})
"""Kinds that raise no semaphore: on their own engine, what depends on them merely comes after them."""


@dataclass(frozen=True, slots=True)
class DeviceOp:
    """One instruction. ``cycles`` are the documented ones of its engine; ``given_ns`` replaces every cost if it is set.

    ``operation`` is (engine, opcode, space, dtype, pointer), as in the platform's classes. ``waits`` are (index of the
    producer, whether its transfer is meant).
    """

    index: int
    name: str
    opcode: str
    engine: str
    kind: Kind
    cycles: int
    given_ns: int | None
    operation: tuple[str, str, str, str, bool]
    transpose: bool
    waits: tuple[tuple[int, bool], ...]
    transfer: DeviceTransfer | None


def device_ops(block: Block, arch: str, *, file: str = "<program>") -> tuple[DeviceOp, ...]:
    """The block's operations in program order, an op for each instruction; a transfer belongs to its trigger's.

    Raises InputError for what the device model does not know: loops, collectives, barriers of all engines, transfers
    whose operands do not say what they move or that are of more packets than can be followed.
    """
    instructions = block.instructions
    _check(instructions, file)
    names = block.columns.name_list()
    cycles = dict(zip(names, documented_cycles(block.columns, arch, file=file).tolist(), strict=True))
    place: dict[str, tuple[int, bool]] = {}
    for index, instruction in enumerate(instructions):
        place[instruction.name] = (index, instruction.engine == "DMA")
        if instruction.transfer is not None:
            place[instruction.transfer.name] = (index, True)
    ops: list[DeviceOp] = []
    for index, instruction in enumerate(instructions):
        kind = _kind(instruction)
        moves = instruction.transfer if instruction.transfer is not None else instruction
        waits = []
        for dependency in instruction.dependencies:
            name, edge = dependency if isinstance(dependency, tuple) else (dependency, "Flow")
            producer, is_transfer = place[name]
            same = instructions[producer].engine == instruction.engine and not is_transfer
            # the PE adds up in order, and mere order on one engine takes no semaphore
            if same and (kind is Kind.matmul or edge == "Ordered" or ops[producer].kind in _SILENT):
                continue
            waits.append((producer, is_transfer))
        ops.append(
            DeviceOp(
                index=index,
                name=instruction.name,
                opcode=instruction.opcode,
                engine=instruction.engine,
                kind=kind,
                cycles=cycles[instruction.name],
                given_ns=instruction.cost,
                operation=_operation(instruction),
                transpose=instruction.is_transpose,
                waits=tuple(dict.fromkeys(waits)),
                transfer=transfer_of(moves, instruction.engine) if kind is Kind.trigger else None,
            )
        )
    return tuple(ops)


def unused_costs(block: Block) -> int:
    """Transfers and mere waits of ``block`` whose program gives a cost: the device takes its own times for these."""
    count = 0
    for instruction in block.instructions:
        if instruction.transfer is not None:
            count += instruction.transfer.cost is not None
        if _kind(instruction) in _SILENT:
            count += bool(instruction.cost)
    return count


def _kind(instruction: Instruction) -> Kind:
    if instruction.transfer is not None:
        return Kind.trigger
    kind = _KINDS.get(instruction.opcode, Kind.trigger if instruction.engine == "DMA" else Kind.compute)
    return Kind.wait if kind is Kind.trigger and instruction.engine != "DMA" else kind


def _operation(instruction: Instruction) -> tuple[str, str, str, str, bool]:
    """Space: PSUM if any input lies there. The type is that of the widest input; a scalar input is a pointer."""
    ins = instruction.ins or instruction.outs
    space = "PSUM" if any(operand.space == "PSUM" for operand in ins) else "SB"
    widest = max(ins, key=lambda operand: operand.elements, default=None)
    pointer = len(instruction.ins) > 1 and any(operand.elements == 1 for operand in instruction.ins[1:])
    dtype = widest.dtype if widest is not None else DType.float32.name
    return instruction.engine, instruction.opcode, space, dtype, pointer


def _check(instructions: list[Instruction], file: str) -> None:
    problems = []
    for instruction in instructions:
        message = None
        if instruction.body is not None or instruction.opcode == "Loop":
            message = "a loop: the device model runs straight-line blocks (allowed: write its iterations out)"
        elif instruction.engine not in ENGINES:
            message = f"engine {instruction.engine}: not in the device model (allowed: {', '.join(ENGINES)})"
        elif instruction.stream_id is not None or instruction.opcode.startswith("Collective"):
            message = f"{instruction.opcode}: the device model has no collectives"
        if message is not None:
            problems.append(Problem(message, file, where=f"instruction {instruction.name}"))
        else:
            problems += _transfer_problems(instruction, file)
    if problems:
        more = len(problems) - _SHOWN
        raise InputError(problems[:_SHOWN] + ([Problem(f"and {more} more like these", file)] if more > 0 else []))


def _transfer_problems(instruction: Instruction, file: str) -> list[Problem]:
    """Packets are counted from operands: a transfer without any, or of a flood of them, cannot be carried."""
    if _kind(instruction) is not Kind.trigger:
        return []
    moves = instruction.transfer if instruction.transfer is not None else instruction
    where = f"instruction {moves.name}"
    if not (moves.ins or moves.outs):
        text = (
            "no operand says how much it moves (the device model carries packets; a given cost does not replace them)"
        )
        return [Problem(text, file, where=where)]
    packets = transfer_of(moves, instruction.engine).packets
    if packets > MOST_PACKETS:
        return [Problem(f"a transfer of {packets} packets (allowed: at most {MOST_PACKETS})", file, where=where)]
    return []
