"""What the documented costs demand at least, from totals of a kernel's run on a trn1 core.

The measurements are those of the public NKIBench kernels (``zhang677/AccelOpt``), which compute in float32. Totals
allow lower bounds only, and only where a column carries the work:

* PE: ``hardware_flops`` counts each pass through the 128 x 128 array as 2 x 128 x 128 operations per row, whatever part
  of the array a kernel uses; float32 products take two passes. Documented: a float32 matmul costs 4 cycles per row, so
  2 per pass, a transpose 1 per row. The file has no column for the PE's activity, so the bound is held against the
  whole latency.
* DMA: all bytes to and from HBM, at the 27.2 bytes/ns of each of 16 engines that no transfer exceeds and at the 17 of
  AWS's bandwidth guide, which large transfers reach. No column for its activity either: latency again.
* Vector, Scalar and GpSimd together: ``sbuf_write_bytes`` counts what DMA brings in (``hbm_read_bytes``) and what the
  engines write, the latter per partition. Every documented cost is at least one cycle per float32 element written. The
  columns do not say which engine wrote what, so the cycles of the three are added up.

Nothing can be said about single instructions, fixed costs, waits or the order of things: the file has none of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from simcore.oracle.helpers import DMA_ENGINES, DMA_PEAK_GBS
from simcore.oracle.registry import HARDWARE
from simcore.program.engines import Engine

ARRAY_OPERATIONS_PER_ROW = 2 * 128 * 128
"""Multiplications and additions of one row that passes through the whole array."""

MATMUL_CYCLES_PER_PASS_ROW = 2
"""Float32: 4 cycles per row in two passes (public cycle table of nki.isa, release 2.26.1)."""

TRANSPOSE_CYCLES_PER_ROW = 1
"""Same table: max(P, min(64, F)) cycles for a tile of P rows."""

FLOAT32_BYTES = 4

TENS_OF_MHZ_PER_GHZ = 100

_TRN1 = HARDWARE["public", "Trainium"]


@dataclass(frozen=True, slots=True)
class MeasuredKernel:
    """One row: totals of a kernel's run on a trn1 core. Shares are fractions of the latency."""

    problem: str
    shape: str
    latency_ns: float
    hbm_read_bytes: int
    hbm_write_bytes: int
    sbuf_write_bytes: int
    hardware_flops: int
    transpose_flops: int
    scalar_active: float
    vector_active: float
    gpsimd_active: float


@dataclass(frozen=True, slots=True)
class KernelBound:
    """Lower bounds beside measurements, ns or cycles; each ratio is bound / measured and must not exceed 1.

    ``dma_practical_ns`` is no bound, but what the guide's rate gives.
    """

    problem: str
    shape: str
    latency_ns: float
    pe_ns: float
    dma_peak_ns: float
    dma_practical_ns: float
    element_cycles: float
    active_cycles: float

    @property
    def pe_share(self) -> float:
        """The PE's documented time as a share of the latency."""
        return self.pe_ns / self.latency_ns

    @property
    def dma_share(self) -> float:
        """The DMA engines' time at peak rate as a share of the latency."""
        return self.dma_peak_ns / self.latency_ns

    @property
    def element_share(self) -> float:
        """Documented cycles of the elementwise engines as a share of their measured active cycles."""
        return self.element_cycles / self.active_cycles

    @property
    def holds(self) -> bool:
        """Whether no engine needs longer by the documented costs than was measured."""
        return max(self.pe_share, self.dma_share, self.element_share) <= 1


def bound_of(kernel: MeasuredKernel) -> KernelBound:
    """The bounds of one kernel, which computes in float32."""
    engines = (Engine.PE, Engine.Activation, Engine.DVE, Engine.Pool)
    clock_ghz = {engine: _TRN1.clocks[engine] / TENS_OF_MHZ_PER_GHZ for engine in engines}
    product_rows = (kernel.hardware_flops - kernel.transpose_flops) / ARRAY_OPERATIONS_PER_ROW
    transposed_rows = kernel.transpose_flops / ARRAY_OPERATIONS_PER_ROW
    pe_cycles = MATMUL_CYCLES_PER_PASS_ROW * product_rows + TRANSPOSE_CYCLES_PER_ROW * transposed_rows
    moved = kernel.hbm_read_bytes + kernel.hbm_write_bytes
    active_ghz = (
        kernel.scalar_active * clock_ghz[Engine.Activation]
        + kernel.vector_active * clock_ghz[Engine.DVE]
        + kernel.gpsimd_active * clock_ghz[Engine.Pool]
    )
    return KernelBound(
        problem=kernel.problem,
        shape=kernel.shape,
        latency_ns=kernel.latency_ns,
        pe_ns=pe_cycles / clock_ghz[Engine.PE],
        dma_peak_ns=moved / (DMA_ENGINES * DMA_PEAK_GBS),
        dma_practical_ns=moved / (DMA_ENGINES * _TRN1.dma_engine_gbs),
        element_cycles=(kernel.sbuf_write_bytes - kernel.hbm_read_bytes) / FLOAT32_BYTES,
        active_cycles=kernel.latency_ns * active_ghz,
    )
