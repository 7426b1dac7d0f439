"""Stages: what happens to a tile, one after the other, and which part of the PE does it (ADR-0054).

A stage says which station it belongs to, and which resource it holds there. A tile that goes from one stage to the next
on the same resource keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar


class Resource(Enum):
    """What one tile at a time holds."""

    DMA_READ = "read channel of the DMA"
    DMA_WRITE = "write channel of the DMA"
    FETCH = "fetch side of fetch/store"
    STORE = "store side of fetch/store"
    ACCELERATOR = "accelerator slot"
    """GEMM and MATH together."""


@dataclass(frozen=True, slots=True)
class DmaIn:
    """``nbytes`` of ``operand`` from the virtual ``address`` to the TCM."""

    station: ClassVar[str] = "dma"
    resource: ClassVar[Resource] = Resource.DMA_READ
    operand: str
    address: int
    nbytes: int

    @property
    def label(self) -> str:
        """As the log names it."""
        return f"read {self.operand}"


@dataclass(frozen=True, slots=True)
class DmaOut:
    """``nbytes`` of ``operand`` from the TCM to the virtual ``address``."""

    station: ClassVar[str] = "dma"
    resource: ClassVar[Resource] = Resource.DMA_WRITE
    operand: str
    address: int
    nbytes: int

    @property
    def label(self) -> str:
        """As the log names it."""
        return f"write {self.operand}"


@dataclass(frozen=True, slots=True)
class Fetch:
    """``nbytes`` from the TCM to registers."""

    station: ClassVar[str] = "fetch_store"
    resource: ClassVar[Resource] = Resource.FETCH
    nbytes: int
    label: ClassVar[str] = "fetch"


@dataclass(frozen=True, slots=True)
class Store:
    """``nbytes`` from registers to the TCM."""

    station: ClassVar[str] = "fetch_store"
    resource: ClassVar[Resource] = Resource.STORE
    nbytes: int
    label: ClassVar[str] = "store"


@dataclass(frozen=True, slots=True)
class Gemm:
    """An m x k by k x n product, added to the accumulator."""

    station: ClassVar[str] = "gemm"
    resource: ClassVar[Resource] = Resource.ACCELERATOR
    m: int
    k: int
    n: int
    label: ClassVar[str] = "gemm"


@dataclass(frozen=True, slots=True)
class Math:
    """``operation`` on every one of ``elements``."""

    station: ClassVar[str] = "math"
    resource: ClassVar[Resource] = Resource.ACCELERATOR
    operation: str
    elements: int

    @property
    def label(self) -> str:
        """As the log names it."""
        return self.operation


Stage = DmaIn | DmaOut | Fetch | Store | Gemm | Math

STATIONS = ("dma", "fetch_store", "gemm", "math")


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile of a plan: its place, such as ``m0.n1.k2``, and what happens to it."""

    name: str
    stages: tuple[Stage, ...]
