"""Which stall a read meets: one of those that profiles showed.

Which of them a run meets cannot be known, as little as the throttle's phase; a draw picks, the same for the same
number, so that a prediction can be repeated and averaged over draws. Without a draw every read meets their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from simcore.oracle.helpers import DMA_ENGINES
from simcore.timing.device.platform import StallPattern
from simcore.units import TICKS_PER_NS

_TURN = 7
"""Engines take the places of a pattern in turn, shifted by this much from transfer to transfer: no engine is always
the slowest."""


@dataclass(frozen=True, slots=True)
class Stalls:
    """What one read loses on each DMA engine (ps): when it begins anew, when it follows another, when it meets a write
    (the second stall)."""

    first_ps: tuple[int, ...]
    next_ps: tuple[int, ...]
    met_ps: tuple[int, ...]


NO_STALLS = Stalls(*((0,) * DMA_ENGINES,) * 3)


def draw_pattern(patterns: Sequence[StallPattern], transfer: int, draw: int | None) -> tuple[int, ...]:
    """Picoseconds by DMA engine for the ``transfer``-th transfer in the ``draw``-th run."""
    if not patterns:
        return (0,) * DMA_ENGINES
    if draw is None:
        lost_ns = [fmean(p.lost_ns[place] for p in patterns) for place in range(DMA_ENGINES)]
        shift = _TURN * transfer
    else:
        mixed = _mixed(transfer, draw)
        lost_ns = list(patterns[mixed % len(patterns)].lost_ns)
        shift = _TURN * transfer + (mixed >> 8)
    return tuple(round(lost_ns[(engine + shift) % DMA_ENGINES] * TICKS_PER_NS) for engine in range(DMA_ENGINES))


def _mixed(transfer: int, draw: int) -> int:
    """A 32-bit number that looks random in both (multiply, then xor with its own high bits, three times)."""
    x = (transfer * 0x9E3779B1 + draw * 0x85EBCA77 + 0x27D4EB2F) & 0xFFFFFFFF
    for factor in (0x2C1B3C6D, 0x297A2D39, 1):
        x ^= x >> 15
        x = x * factor & 0xFFFFFFFF
    return x
