"""Short ways to write an instruction and to cost it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simcore.oracle import Costs, OracleOptions, Provenance, cost_block
from simcore.program.build import program_from_record
from simcore.program.columns import Columns
from simcore.program.instruction import BlockRecord, FunctionRecord, Instruction, Operand, ProgramRecord

DEFAULT_OPTIONS = OracleOptions()


def at(space: str, partitions: int, elements: int, dtype: str, **more: Any) -> Operand:
    """An access."""
    return Operand(space=space, partitions=partitions, elements=elements, dtype=dtype, **more)


def sb(elements: int, dtype: str = "float32", partitions: int = 128, **more: Any) -> Operand:
    return at("SB", partitions, elements, dtype, **more)


def psum(elements: int, dtype: str = "float32", partitions: int = 128) -> Operand:
    return at("PSUM", partitions, elements, dtype, bank=0)


def dram(elements: int, dtype: str = "float32", partitions: int = 128, **more: Any) -> Operand:
    return at("DRAM", partitions, elements, dtype, **more)


def columns_of(instructions: list[Instruction]) -> Columns:
    """One block of a gen3 program (it allows what others refuse); unnamed instructions become i0, i1, .."""
    for k, instruction in enumerate(instructions):
        instruction.name = instruction.name or f"i{k}"
    block = BlockRecord(name="bb0", instructions=instructions)
    record = ProgramRecord(name="p", arch="gen3", functions=[FunctionRecord(name="main", blocks=[block])])
    return program_from_record(record).blocks[0][1].columns


def inst(opcode: str, engine: str, ins: list[Operand] | None = None, outs: list[Operand] | None = None, **more: Any):
    """An instruction, still without a name."""
    return Instruction(name=more.pop("name", ""), opcode=opcode, engine=engine, ins=ins or [], outs=outs or [], **more)


def costs_of(
    instructions: list[Instruction], arch: str, timing: str = "hwm", options: OracleOptions = DEFAULT_OPTIONS
) -> Costs:
    return cost_block(columns_of(instructions), arch=arch, timing=timing, options=options)


def cost_of(
    instruction: Instruction, arch: str, timing: str = "hwm", options: OracleOptions = DEFAULT_OPTIONS
) -> tuple[int, int, str]:
    """(readInit, exec, provenance) of a block of one instruction; writeDrain is checked to be 0."""
    costs = costs_of([instruction], arch, timing, options)
    assert costs.write_drain_ns.tolist() == [0]
    assert costs.total_ns.tolist() == [int(costs.read_init_ns[0]) + int(costs.exec_ns[0])]
    return int(costs.read_init_ns[0]), int(costs.exec_ns[0]), Provenance(int(costs.provenance[0])).name


def whole(value: Fraction) -> int:
    """Rounded down."""
    return value.numerator // value.denominator
