"""MATH: a vector unit that works on the elements of a tile, one operation at a time (ADR-0055).

First action of a tile: it takes the accelerator slot, which MATH shares with GEMM, unless it still holds it from there.
"""

from __future__ import annotations

from components.pe.accelerator import Accelerator, AcceleratorParameters
from components.pe.stages import Math, Stage
from components.quantities import Count
from components.registry import register


class PeMathParameters(AcceleratorParameters):
    """``vector_width``: elements in one cycle, whatever the operation."""

    vector_width: Count


def math_cycles(stage: Math, unit: PeMathParameters) -> int:
    """Cycles of ``stage``: one for each vector that its elements fill, the last one perhaps in part."""
    return -(-stage.elements // unit.vector_width)


@register("pe_math", "vector", default=True)
class PeMath(Accelerator[PeMathParameters]):
    """The vector engine of a PE."""

    name_of_station = "math"

    def cycles_of(self, stage: Stage) -> int:
        """Those of the operation."""
        assert isinstance(stage, Math)
        return math_cycles(stage, self.parameters)
