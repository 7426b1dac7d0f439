"""GEMM: an array of multipliers that multiplies a tile of A by a tile of B onto the accumulator (ADR-0055).

First action of a tile: it takes the accelerator slot, which GEMM shares with MATH.
"""

from __future__ import annotations

from components.pe.accelerator import Accelerator, AcceleratorParameters
from components.pe.stages import Gemm, Stage
from components.quantities import Count
from components.registry import register


class PeGemmParameters(AcceleratorParameters):
    """``mac_m`` x ``mac_k`` x ``mac_n``: what the array multiplies and adds up in one cycle."""

    mac_m: Count
    mac_k: Count
    mac_n: Count


def gemm_cycles(tile: Gemm, array: PeGemmParameters) -> int:
    """Cycles of ``tile``: one for each block of the array's size that it takes to cover it."""
    blocks = ((tile.m, array.mac_m), (tile.k, array.mac_k), (tile.n, array.mac_n))
    cycles = 1
    for size, block in blocks:
        cycles *= -(-size // block)
    return cycles


@register("pe_gemm", "mac_array", default=True)
class PeGemm(Accelerator[PeGemmParameters]):
    """The matrix engine of a PE."""

    name_of_station = "gemm"

    def cycles_of(self, stage: Stage) -> int:
        """Those of the product."""
        assert isinstance(stage, Gemm)
        return gemm_cycles(stage, self.parameters)
