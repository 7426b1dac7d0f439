"""Commands: what a kernel asks of its PE. A kernel is a tuple of them, run in order by the PE's CPU (ADR-0053).

Addresses are virtual: the MMU translates them, and where there is none they are physical. Names are unique in a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

SCOPES = ("k_tile", "output_tile")


@dataclass(frozen=True, slots=True)
class DmaRead:
    """Brings ``nbytes`` from ``address`` to the TCM, without a plan."""

    name: str
    address: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class DmaWrite:
    """Takes ``nbytes`` from the TCM to ``address``, without a plan."""

    name: str
    address: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Epilogue:
    """``operation`` on the m x n elements of a tile's accumulator: after every K tile, or after the last one."""

    operation: str
    scope: Literal["k_tile", "output_tile"]


@dataclass(frozen=True, slots=True)
class GemmCommand:
    """C[m, n] = A[m, k] B[k, n], tile by tile. Sizes in elements of ``element_bytes``.

    ``a``, ``b`` and ``c`` are addresses. None: the operand is pinned, which is to say it lies in the TCM already and is
    not read in; and the result stays there.
    """

    name: str
    m: int
    k: int
    n: int
    tile_m: int
    tile_k: int
    tile_n: int
    element_bytes: int
    a: int | None
    b: int | None
    c: int | None
    epilogues: tuple[Epilogue, ...] = ()


@dataclass(frozen=True, slots=True)
class MathCommand:
    """``operation`` on every element of an m x n matrix, tile by tile.

    ``source`` and ``destination`` are addresses, None: it lies in the TCM, and stays there.
    """

    name: str
    m: int
    n: int
    tile_m: int
    tile_n: int
    element_bytes: int
    operation: str
    source: int | None
    destination: int | None


@dataclass(frozen=True, slots=True)
class Busy:
    """The CPU itself is busy for ``duration_ns``."""

    duration_ns: Fraction


@dataclass(frozen=True, slots=True)
class Wait:
    """The CPU waits until the commands of these ``names`` are over."""

    names: tuple[str, ...]


Planned = GemmCommand | MathCommand
Submitted = Planned | DmaRead | DmaWrite
Command = Submitted | Busy | Wait
