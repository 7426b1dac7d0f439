"""Executions -> the program's instructions: opcode, engine, operands, attributes, dependencies."""

from __future__ import annotations

import re

from simcore.program.edges import EdgeKind
from simcore.program.instruction import Dependency, Instruction
from simcore.program.profile.executions import Execution
from simcore.program.profile.opcode_map import MATMULS
from simcore.program.profile.transfers import transfer_of
from simcore.program.profile.typed_operands import Surroundings

ACCUMULATION_START = 1
"""Bit of ``acc_flags`` with which a matmul overwrites its bank; without it, it adds to what is there."""

IDLE_ACCUMULATOR = "IDLE"
"""``accumulator_cmd`` of an activation that leaves the accumulator alone."""

_FLAGS = re.compile(r"[0-9]{1,3}")


def instructions_of(executions: list[Execution], dge_types: dict[str, str], around: Surroundings) -> list[Instruction]:
    """The instructions in program order, transfers inside their triggers; ``dge_types`` is by the trigger's engine."""
    around.remember(executions)
    found = []
    for position, execution in enumerate(executions):
        around.faults.subject = f"instruction {execution.name} (id {execution.lead.id})"
        found.append(_instruction(position, execution, executions, dge_types, around))
    around.faults.subject = None
    return found


def _instruction(
    position: int,
    execution: Execution,
    executions: list[Execution],
    dge_types: dict[str, str],
    around: Surroundings,
) -> Instruction:
    lead, last = execution.lead, execution.rows[-1]
    ins, outs = around.operands(position, execution)
    transfer = None
    if lead.transfer is not None:
        transfer = transfer_of(position, execution, lead.transfer, dge_types[lead.engine], around)
    attributes = last.operands.attributes
    opcode = execution.opcode
    if opcode == "TensorScalar" and last.operands.pointers:
        opcode = "TensorScalarPtr"
    is_matmul = last.opcode in MATMULS
    op = last.activation or attributes.get("op")
    if op is None and opcode == "Activation" and last.operands.words:
        op = last.operands.words[0]
    pair = [word.lower() for word in attributes.get("ops", "").split(",") if word]
    return Instruction(
        name=execution.name,
        opcode=opcode,
        engine=lead.engine,
        ins=ins,
        outs=outs,
        dependencies=_dependencies(execution, executions),
        transfer=transfer,
        source=lead.source,
        is_transpose=is_matmul and last.transposes,
        accumulate=is_matmul and _accumulates(execution),
        op=op.lower() if op else None,
        op0=pair[0] if pair else None,
        op1=pair[1] if len(pair) > 1 else None,
        acc=attributes.get("accumulator_cmd", IDLE_ACCUMULATOR) != IDLE_ACCUMULATOR,
        is_tensor_tensor_scan=last.opcode == "TENSOR_TENSOR_SCAN",
        is_scalar_tensor_tensor=last.opcode == "SCALAR_TENSOR_TENSOR",
    )


def _dependencies(execution: Execution, executions: list[Execution]) -> list[Dependency | str]:
    """Data is moved by a trigger's transfer, so an edge about data points there; mere order stays with the trigger."""
    found: list[Dependency | str] = []
    for producer, kind in sorted(execution.producers.items()):
        other = executions[producer]
        if other.transfer_name is not None and kind is not EdgeKind.Ordered:
            found.append((other.transfer_name, kind.name))
        else:
            found.append((other.name, kind.name))
    return found


def _accumulates(execution: Execution) -> bool:
    """Whether the first pass adds to its bank; a matmul without ``acc_flags`` is taken to overwrite it."""
    flags = next((r.operands.attributes.get("acc_flags", "") for r in execution.rows if r.opcode in MATMULS), "")
    return _FLAGS.fullmatch(flags) is not None and not int(flags) & ACCUMULATION_START
