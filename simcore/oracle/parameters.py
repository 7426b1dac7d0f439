"""What a formula is given besides the instruction: constants of its row and of the generation, the user's options."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from simcore.program.engines import Engine


@dataclass(frozen=True, slots=True)
class Parameters:
    """Constants of a table row, in cycles (``base`` of a transfer or a collective: ns).

    ``minimum`` is the fewest cycles of the exec phase. ``clock`` names the engine whose clock counts; None: the one
    that runs the instruction.
    """

    base: int
    mult: Fraction
    minimum: int
    clock: Engine | None


@dataclass(frozen=True, slots=True)
class Hardware:
    """Constants of one generation under one timing.

    ``clocks`` by engine number, in 10 MHz, 0 for an engine that has none. ``dma_engine_gbs``: bytes per ns of one of
    the 16 DMA engines. ``swdge_cycles`` and ``hwdge_cycles`` (None: there is no hardware for it): descriptor generation
    at the clock ``dge_clock`` (None: not stated, see :attr:`OracleOptions.dge_clock`).
    """

    clocks: tuple[int, ...]
    dma_engine_gbs: int
    swdge_cycles: int
    hwdge_cycles: int | None
    dge_clock: int | None


@dataclass(frozen=True, slots=True)
class OracleOptions:
    """Readings of what the source leaves open; the defaults are its words.

    ``dram_path``: a transfer takes the flat formula when the access that decides its size lies in DRAM, instead of when
    its elements have one byte. ``dge_clock``: clock of descriptor generation, in 10 MHz, where none is stated.
    """

    dram_path: bool = False
    dge_clock: int = 120

    def __post_init__(self) -> None:
        if self.dge_clock < 1:
            raise ValueError(f"dge_clock must be at least 1 (in 10 MHz), not {self.dge_clock}")
