"""What would help: halve each engine's and each opcode's cost, remove each constraint, and re-run exactly each time."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from simcore.perfsim.costs import CostChange
from simcore.perfsim.estimate import Estimate, run
from simcore.perfsim.options import CONSTRAINTS
from simcore.program.engines import Lane
from simcore.program.opcodes import Opcode
from simcore.program.program import Program

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Effect:
    """One question and its answer: the whole program's time before and after the change, in ns."""

    change: str
    before_ns: int
    after_ns: int

    @property
    def gain_ns(self) -> int:
        """How much shorter the program gets (negative: longer)."""
        return self.before_ns - self.after_ns


def sensitivity(base: Estimate) -> list[Effect]:
    """The effect of every engine and opcode at half cost and of every constraint removed, largest gain first."""
    before = base.whole_program_ns
    effects = []
    for change in _halvings(base.prepared.program, base):
        key = change.target if change.by == "engine" else f"opcode:{change.target}"
        after = run(
            base.prepared, base.options, include_anti_deps=base.include_anti_deps, changes=(*base.changes, change)
        )
        effects.append(Effect(f"cost:{key}=0.5x", before, after.whole_program_ns))
    for name, update in CONSTRAINTS.items():
        options = base.options.model_copy(update=update)
        after = run(base.prepared, options, include_anti_deps=base.include_anti_deps, changes=base.changes)
        effects.append(Effect(name, before, after.whole_program_ns))
    if base.include_anti_deps:
        after = run(base.prepared, base.options, include_anti_deps=False, changes=base.changes)
        effects.append(Effect("anti_deps=off", before, after.whole_program_ns))
    return sorted(effects, key=lambda e: (-e.gain_ns, e.change))


def _halvings(program: Program, base: Estimate) -> list[CostChange]:
    lanes = sorted({int(lane) for block in base.blocks for lane in np.unique(block.schedule.lane)})
    opcodes = sorted({int(o) for _, block in program.blocks for o in np.unique(block.columns.opcode)})
    return [CostChange("engine", Lane(lane).name, factor=_HALF) for lane in lanes] + [
        CostChange("opcode", Opcode(o).name, factor=_HALF) for o in opcodes
    ]
