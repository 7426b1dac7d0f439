"""Changing costs for a question: by engine, opcode or instruction; a factor or a number of nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from simcore.program.columns import Array, Columns
from simcore.program.engines import Lane
from simcore.program.lanes import lanes_of
from simcore.program.opcodes import Opcode


@dataclass(frozen=True, slots=True)
class CostChange:
    """``cost = floor(cost * factor)`` or ``cost = fixed_ns`` for every event that matches.

    ``by`` says what ``target`` names: a lane (where the event runs), an opcode, or one instruction.
    """

    by: Literal["engine", "opcode", "name"]
    target: str
    factor: Fraction | None = None
    fixed_ns: int | None = None

    def selects(self, columns: Columns) -> Array:
        """bool[n]: the events that change."""
        if self.by == "engine":
            chosen: Array = lanes_of(columns) == Lane[self.target]
        elif self.by == "opcode":
            chosen = columns.opcode == Opcode[self.target]
        else:
            chosen = np.array([n == self.target for n in columns.name_list()], dtype=bool)
        return chosen


def changed_costs(columns: Columns, cost_ns: Array, changes: Sequence[CostChange]) -> Array:
    """int64[n]: ``cost_ns`` after all ``changes``, in order."""
    for change in changes:
        chosen = change.selects(columns)
        if change.fixed_ns is not None:
            cost_ns = np.where(chosen, change.fixed_ns, cost_ns)
        elif change.factor is not None:
            scaled = cost_ns * change.factor.numerator // change.factor.denominator
            cost_ns = np.where(chosen, scaled, cost_ns)
    return cost_ns
