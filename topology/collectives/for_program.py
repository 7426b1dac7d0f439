"""CollectiveCompute: which collective an instruction is, over the devices that run the program (ADR-0064)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from simcore.errors import InputError, Problem
from simcore.program.columns import Columns, Flag, OperandFlag
from simcore.program.dtypes import DTYPE_BYTES
from simcore.program.opcodes import Opcode
from simcore.program.vocabulary import CollectiveKind
from topology.collectives.layout import Layout
from topology.collectives.plan import ALL_TO_ALL, PAIRWISE, Collective, plan_of
from topology.collectives.send import Plan

KIND_OF = {
    CollectiveKind.AllReduce: "all_reduce",
    CollectiveKind.ReduceScatter: "reduce_scatter",
    CollectiveKind.AllGather: "all_gather",
    CollectiveKind.AllToAll: ALL_TO_ALL,
}
"""Kinds of instructions that are planned. Of others a program file does not say who sends to whom."""
PLANNED = ", ".join(kind.name for kind in KIND_OF)


@dataclass(frozen=True, slots=True)
class Described:
    """Event number ``event`` of a block, a CollectiveCompute that is not local: what has to be the same at all ranks.

    ``kind``: the word of its kind, ``none`` if it does not say one. ``nbytes``: of its inputs, whose first has elements
    of ``element_bytes`` (0: it has no inputs).
    """

    event: int
    stream: int
    kind: str
    nbytes: int
    element_bytes: int

    @property
    def words(self) -> str:
        """``AllReduce of 4096 bytes in elements of 2``."""
        return f"{self.kind} of {self.nbytes} bytes in elements of {self.element_bytes}"

    @property
    def left_out(self) -> str:
        """Why it is not planned, as words for however many; empty if it is."""
        if self.kind not in [kind.name for kind in KIND_OF]:
            return f"collectives of kind {self.kind} move nothing over the fabric (planned: {PLANNED})"
        return "" if self.nbytes else "collectives without input bytes move nothing over the fabric"

    @property
    def needs_algorithm(self) -> bool:
        """Whether it can be done in several ways."""
        return self.kind != CollectiveKind.AllToAll.name


def described(columns: Columns) -> list[Described]:
    """Every CollectiveCompute of a block that is not local, in program order."""
    wanted = (columns.opcode == Opcode.CollectiveCompute) & ((columns.flags & Flag.IS_LOCAL) == 0)
    ends = np.cumsum(columns.op_count, dtype=np.int64)
    found = []
    for event in wanted.nonzero()[0].tolist():
        inputs = _inputs(columns, event, int(ends[event]))
        found.append(
            Described(
                event,
                _stream(columns, event),
                _word(columns, event),
                sum(_operand_bytes(columns, k) for k in inputs),
                DTYPE_BYTES[columns.op_dtype[inputs[0]]] if inputs else 0,
            )
        )
    return found


def plan_for_instruction(columns: Columns, event: int, layout: Layout, algorithm: str, file: str = "<program>") -> Plan:
    """The plan of the CollectiveCompute that event number ``event`` of a block is, all of it on the event's stream.

    Its input operands are what each device brings: the buffer of an all-reduce, a reduce-scatter or an all-to-all, the
    n-th part of that of an all-gather. An all-to-all goes pairwise, whatever ``algorithm`` says. Parts are whole
    elements of the first operand. Raises InputError, at the instruction, for a kind that is not planned, for an
    instruction without input bytes, and for what ``plan_of`` refuses.
    """
    where = columns.name_list()[event]
    kind, reason = _kind(columns, event)
    inputs = _inputs(columns, event, int(columns.op_count[: event + 1].sum()))
    nbytes = sum(_operand_bytes(columns, k) for k in inputs)
    problems = [Problem(reason, file, where=where)] if reason else []
    if not nbytes:
        problems.append(Problem("no input operand with bytes (a collective moves its inputs)", file, where=where))
    if problems:
        raise InputError(problems)
    ranks = len(layout.nodes)
    asked = Collective(
        kind,
        PAIRWISE if kind == ALL_TO_ALL else algorithm,
        nbytes * ranks if kind == "all_gather" else nbytes,
        ranks,
        layout.grid,
        {_stream(columns, event): Fraction(1)},
        grain_bytes=DTYPE_BYTES[columns.op_dtype[inputs[0]]],
    )
    return plan_of(asked)


def _kind(columns: Columns, event: int) -> tuple[str, str]:
    """The kind; or nothing, and why."""
    code = int(columns.collective_kind[event])
    if columns.opcode[event] != Opcode.CollectiveCompute:
        return "", f"{Opcode(int(columns.opcode[event])).name} is no CollectiveCompute"
    if columns.flags[event] & Flag.IS_LOCAL:
        return "", "a local collective stays in its core (only others go over a topology)"
    if code not in KIND_OF:
        return "", f'collectives of kind "{_word(columns, event)}" are not planned (allowed: {PLANNED})'
    return KIND_OF[CollectiveKind(code)], ""


def _word(columns: Columns, event: int) -> str:
    code = int(columns.collective_kind[event])
    return CollectiveKind(code).name if code >= 0 else "none"


def _stream(columns: Columns, event: int) -> int:
    return max(0, int(columns.stream_id[event]))


def _inputs(columns: Columns, event: int, end: int) -> list[int]:
    """The input operands of an event whose operands end before number ``end``."""
    operands = range(end - int(columns.op_count[event]), end)
    return [k for k in operands if not columns.op_flags[k] & OperandFlag.OUTPUT]


def _operand_bytes(columns: Columns, k: int) -> int:
    return int(columns.op_partitions[k]) * int(columns.op_elements[k]) * DTYPE_BYTES[columns.op_dtype[k]]
