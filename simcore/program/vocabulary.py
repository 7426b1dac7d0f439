"""The smaller closed word lists of program files: memory spaces, DGE types, collective kinds, matmul modes."""

from __future__ import annotations

from enum import IntEnum


class Space(IntEnum):
    """Where an operand lies (``bir::MemoryType``, renumbered densely so that it fits a byte column)."""

    Unallocated = 0
    Input = 1
    Output = 2
    DRAM = 3
    SB = 4
    PSUM = 5
    RNGSTATE = 6
    REG = 7


IN_DRAM = (Space.DRAM, Space.Input, Space.Output)
"""Spaces in device memory, behind the DMA engines."""


class DgeType(IntEnum):
    """Who writes a DMA's descriptors: nobody (static), software (GpSimd) or a hardware generator."""

    none = 0
    swdge = 1
    hwdge = 2
    unassigned = 3


class CollectiveKind(IntEnum):
    """What a collective does."""

    SendRecv = 0
    SendRecvCCE = 1
    AllReduce = 2
    ReduceScatter = 3
    AllGather = 4
    AllToAll = 5
    AllToAllV = 6
    Permute = 7
    PermuteReduce = 8
    PermuteImplicit = 9
    PermuteReduceImplicit = 10


class PerfMode(IntEnum):
    """Matmult throughput modes. ``NoMode`` is written ``None`` in program files."""

    NoMode = 0
    DoubleRow = 1
    DoubleColumn = 2
    DoublePixel = 3
    DoubleRowSwInterleave = 4


PERF_MODE_NAMES = ("None", "DoubleRow", "DoubleColumn", "DoublePixel", "DoubleRowSwInterleave")
"""Names of :class:`PerfMode` as program files spell them, by value."""

QUEUE_COUNT = 13
"""Number of DMA queues; ``queue`` is 0..12."""
