"""CollectiveCompute: which collective an instruction is, over the devices that run the program (ADR-0064)."""

from __future__ import annotations

from fractions import Fraction

from simcore.errors import InputError, Problem
from simcore.program.columns import Columns, Flag, OperandFlag
from simcore.program.dtypes import DTYPE_BYTES
from simcore.program.opcodes import Opcode
from simcore.program.vocabulary import CollectiveKind
from topology.collectives.layout import Layout
from topology.collectives.plan import Collective, plan_of
from topology.collectives.send import Plan

KIND_OF = {
    CollectiveKind.AllReduce: "all_reduce",
    CollectiveKind.ReduceScatter: "reduce_scatter",
    CollectiveKind.AllGather: "all_gather",
}
"""Kinds of instructions that are planned."""


def plan_for_instruction(
    columns: Columns, event: int, layout: Layout, algorithm: str, root: str | None = None, file: str = "<program>"
) -> Plan:
    """The plan of the CollectiveCompute that event number ``event`` of a block is, all of it on the event's stream.

    Its input operands are what each device brings: the buffer of an all-reduce or a reduce-scatter, the n-th part of
    that of an all-gather. Parts are whole elements of the first operand. Raises InputError, at the instruction, for a
    kind that is not planned, for an instruction without input bytes, and for what ``plan_of`` refuses.
    """
    where = columns.name_list()[event]
    kind, reason = _kind(columns, event)
    first = int(columns.op_count[:event].sum())
    operands = range(first, first + int(columns.op_count[event]))
    inputs = [k for k in operands if not columns.op_flags[k] & OperandFlag.OUTPUT]
    nbytes = sum(_operand_bytes(columns, k) for k in inputs)
    problems = [Problem(reason, file, where=where)] if reason else []
    if not nbytes:
        problems.append(Problem("no input operand with bytes (a collective moves its inputs)", file, where=where))
    if problems:
        raise InputError(problems)
    ranks = len(layout.nodes)
    asked = Collective(
        kind,
        algorithm,
        nbytes * ranks if kind == "all_gather" else nbytes,
        ranks,
        layout.grid,
        {max(0, int(columns.stream_id[event])): Fraction(1)},
        root,
        DTYPE_BYTES[columns.op_dtype[inputs[0]]],
    )
    return plan_of(asked)


def _kind(columns: Columns, event: int) -> tuple[str, str]:
    """The kind; or nothing, and why."""
    code = int(columns.collective_kind[event])
    word = CollectiveKind(code).name if code >= 0 else "none"
    planned = ", ".join(kind.name for kind in KIND_OF)
    if columns.opcode[event] != Opcode.CollectiveCompute:
        return "", f"{Opcode(int(columns.opcode[event])).name} is no CollectiveCompute"
    if columns.flags[event] & Flag.IS_LOCAL:
        return "", "a local collective stays in its core (only others go over a topology)"
    if code not in KIND_OF:
        return "", f'collectives of kind "{word}" are not planned (allowed: {planned})'
    return KIND_OF[CollectiveKind(code)], ""


def _operand_bytes(columns: Columns, k: int) -> int:
    return int(columns.op_partitions[k]) * int(columns.op_elements[k]) * DTYPE_BYTES[columns.op_dtype[k]]
