"""The cycles that the vendor documents for a block's instructions, before any clock turns them into time."""

from __future__ import annotations

from simcore.oracle.cost import costs_by_oracle
from simcore.oracle.parameters import Hardware
from simcore.oracle.registry import Oracle, oracle_of
from simcore.program.columns import Array, Columns

_IN_CYCLES = 100
"""The clock (in 10 MHz) at which the oracles' formulas give cycles instead of nanoseconds."""


def documented_cycles(columns: Columns, arch: str, *, file: str = "<program>") -> Array:
    """int64[n]: cycles of each event's engine by the public table; those of a DMA mean nothing, and a cost that the
    program gives stays as it is (ns).

    Raises InputError for an unknown ``arch`` and for what no generation does, naming ``file``.
    """
    public = oracle_of(arch, "public")
    here = public.hardware
    clocks = tuple(_IN_CYCLES if clock else 0 for clock in here.clocks)
    in_cycles = Hardware(clocks, here.dma_engine_gbs, here.swdge_cycles, here.hwdge_cycles, _IN_CYCLES)
    return costs_by_oracle(columns, Oracle(public.name, public.timing, in_cycles, public.rules), arch, file).total_ns
