"""Trip counts: of a Loop from its axis, of a loop whose end is a register or a condition a stand-in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simcore.program.bir.expressions import constant_value, is_expression
from simcore.program.bir.findings import Findings
from simcore.program.faults import kind_of
from simcore.program.opcodes import Opcode

DYNAMIC_LOOPS = (Opcode.DynamicForLoop.name, Opcode.DoWhile.name)
"""Loops without a static trip count; with blocks they are recorded as a Loop of one trip."""

AXIS_KEYS = {Opcode.Loop.name: "LoopAxis", Opcode.DynamicForLoop.name: "DynamicForLoopAxis"}


def read_trip_count(found: Findings, where: str, opcode: str, loop: Mapping[str, Any]) -> int | None:
    """``ceil((ub - lb) / stride)``, at least 0; 1 and a note when it is not known before the run."""
    if opcode in DYNAMIC_LOOPS:
        found.note(where, f"the trip count of a {opcode} is known only at run time; its body counts as one trip")
        return 1
    axis = found.mapping(where, "LoopAxis", loop.get("LoopAxis"))
    if axis is None:
        return None
    bounds = {"lb": axis.get("lb", 0), "ub": axis.get("ub"), "stride": axis.get("stride")}
    for key, bound in bounds.items():
        if type(bound) is not int and not is_expression(bound):
            what = "missing" if bound is None else f"expected an integer or an expression, got {kind_of(bound)}"
            found.problem(where, f"LoopAxis.{key}: {what}")
            return None
    lower, upper, stride = (constant_value(bound) for bound in bounds.values())
    if stride == 0:
        found.problem(where, "LoopAxis.stride: 0 never ends (allowed: any other integer)")
        return None
    if lower is None or upper is None or stride is None:
        found.note(where, "the bounds of this Loop vary; its body counts as one trip")
        return 1
    return max(0, -((lower - upper) // stride))
