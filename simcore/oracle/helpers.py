"""The formulas of the latency oracles, each once, for numbers and for arrays alike.

All results are whole nanoseconds, rounded down once per formula, in exact integer arithmetic: a rational multiplier is
multiplied out before the division. ``nep`` is the elements per partition; ``freq`` is an engine's clock in units of
10 MHz, so that ``cycles * 100 / freq`` is nanoseconds. Counts up to ``simcore.program.limits`` cannot overflow 64 bits.

Source: the PerfSim cost-model page (compiler 2.24.5133), except where a docstring names another.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", int, npt.NDArray[np.int64])
"""One value, or one per event."""

DMA_ENGINES = 16
"""DMA engines of a core; a transfer's partitions are dealt to them in rows of 16."""

DMA_PEAK_GBS = 27.2
"""What one DMA engine of trn1 and trn2 moves at most (AWS NKI architecture guide); also bytes per ns."""

FALLBACK_BYTES_PER_NS = 300
"""Rate that the compiler's scheduler takes for a DMA whose addresses are not known yet."""

COLLECTIVE_BYTES_PER_NS = 400
"""Rate of the scheduler's collective estimate, before the square root of the number of accesses."""


def latency(nep: Number, mult: Fraction | int, base: int, freq: Number | int) -> Number:
    """``floor((nep * mult + base) * 100 / freq)`` ns."""
    top, bottom = Fraction(mult).as_integer_ratio()
    return (nep * top + base * bottom) * 100 // (freq * bottom)


def exec_latency(nep: Number, mult: Fraction | int, freq: Number | int) -> Number:
    """``floor(nep * mult * 100 / freq)`` ns: :func:`latency` without a base."""
    return latency(nep, mult, 0, freq)


def overhead(base: int, freq: Number) -> Number:
    """``floor(base * 100 / freq)`` ns: a constant number of cycles."""
    return base * 100 // freq


MATMULT_BASE = 200
MEMSET_BASE = 50


def matmult_k(k: Number, freq: int) -> Number:
    """``20 * (5 * (k >> 1) + 1000) / freq``: the K-only matmult; ``k`` moving free elements, PE's clock."""
    return latency(k >> 1, 1, MATMULT_BASE, freq)


def memset_n(n: Number, freq: int) -> Number:
    """``(100 * n + 5000) / freq``: the N-only memset; ``n`` elements per partition, DVE's clock."""
    return latency(n, 1, MEMSET_BASE, freq)


def dma_tiled(partitions: Number, nep: Number, element_bytes: Number, engine_gbs: int) -> Number:
    """``ceil(partitions / 16) * (element_bytes * nep) / engine_gbs``: 16 engines take a partition each, row by row."""
    return (partitions + DMA_ENGINES - 1) // DMA_ENGINES * (element_bytes * nep) // engine_gbs


def dma_flat(partitions: Number, nep: Number, element_bytes: Number, engine_gbs: int) -> Number:
    """``nep * element_bytes * partitions / (16 * engine_gbs)``: all engines share the bytes evenly."""
    return nep * element_bytes * partitions // (DMA_ENGINES * engine_gbs)


def dma_fallback(partitions: Number, nep: Number, element_bytes: Number) -> Number:
    """``bytes / 300``: the scheduler's estimate for a DMACopy without physical addresses."""
    return nep * element_bytes * partitions // FALLBACK_BYTES_PER_NS


def collective(nbytes: int, accesses: int) -> int:
    """``floor(nbytes * sqrt(accesses) / 400)``: the scheduler's estimate, without its fixed 10000."""
    return math.isqrt(nbytes * nbytes * accesses // COLLECTIVE_BYTES_PER_NS**2)


def collectives(nbytes: npt.NDArray[Any], accesses: npt.NDArray[Any], most: int) -> npt.NDArray[np.int64]:
    """:func:`collective` of each pair, cut at ``most``; ``nbytes`` may hold Python integers beyond 64 bits."""
    pairs = list(zip(nbytes.tolist(), accesses.tolist(), strict=True))
    known = {pair: min(collective(*pair), most) for pair in set(pairs)}
    return np.array([known[pair] for pair in pairs], dtype=np.int64)


PE_ROW_CYCLES = 64
"""Fewest cycles between two full matmuls (AWS NKI ISA reference)."""


def matmult_rows(stationary: npt.NDArray[np.int64], moving: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Cycles of a matmul: ``max(min(64, stationary), moving)`` free elements (AWS NKI ISA reference, nc_matmul)."""
    return np.maximum(np.minimum(PE_ROW_CYCLES, stationary), moving)
