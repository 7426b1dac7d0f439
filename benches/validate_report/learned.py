"""The learned oracle's predictions: PerfSim at the costs of laws, a bundle's or those fitted to profiles here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benches.validate_report.analytic import timeline_of
from benches.validate_report.timeline import Timeline
from simcore.oracle.cost import with_laws
from simcore.oracle.learned.bundle import bundle_for
from simcore.oracle.learned.law import Law
from simcore.oracle.learned.predict import GIVEN
from simcore.oracle.learned.samples import samples_of
from simcore.oracle.learned.train import train
from simcore.oracle.timing_names import learned_folder, table_of
from simcore.perfsim.estimate import Prepared, prepare, run
from simcore.program.opcodes import Opcode
from simcore.program.program import Program
from simcore.timing.confidence import Confidence, Facts, Level


class LearnedPredictor:
    """Costs by laws; ``laws`` None stands for those of the bundle that ``timing`` names."""

    def __init__(self, timing: str, laws: Sequence[Law] | None = None) -> None:
        self.timing = timing
        self._laws = laws

    def predict(self, program: Program) -> Sequence[Timeline]:
        """The one run of the program's one block."""
        (block,) = run(self._prepared(program)).blocks
        return (timeline_of(block),)

    def confidence(self, program: Program) -> Confidence:
        """The weakest level among the block's costs, and the opcodes that bring it there."""
        (block,) = self._prepared(program).blocks
        assert block.costs.learned is not None
        levels = block.costs.learned.level
        known = levels[levels != GIVEN]
        if not len(known):
            return Confidence(Level.UNCALIBRATED)
        weakest = int(known.min())
        opcodes = np.unique(block.columns.opcode[levels == weakest]).tolist()
        return Confidence(Level(weakest), Facts(weakest=tuple(Opcode(opcode).name for opcode in opcodes)))

    def _prepared(self, program: Program) -> Prepared:
        prepared = prepare(program, timing=table_of(self.timing))
        laws = self._laws
        if laws is None:
            folder = learned_folder(self.timing)
            assert folder is not None
            laws = bundle_for(folder, program.arch).laws
        (block,) = prepared.blocks
        costs = with_laws(block.costs, block.columns, laws, file=program.file)
        return replace(prepared, blocks=(replace(block, costs=costs),))


class LearnedFitter:
    """Laws trained on profiles. A law has no effects that could be switched off."""

    effects: Sequence[str] = ()

    def __init__(self, timing: str) -> None:
        self.timing = timing

    def fitted(self, profiles: Sequence[Program], *, without: str | None = None) -> LearnedPredictor:
        """Laws from ``profiles`` alone, in place of the bundle's."""
        if without is not None:
            raise ValueError(f"{self.timing} has no effect {without}")
        return LearnedPredictor(self.timing, train([samples_of(profile) for profile in profiles]))
