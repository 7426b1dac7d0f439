"""Transfers over a shared memory bus, loosely timed: one time per transfer, not one per word. Cycles are exact."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

Direction = Literal["read", "write"]
DIRECTIONS: tuple[Direction, ...] = ("read", "write")


@dataclass(frozen=True, slots=True)
class PortLatency:
    """The fixed cycles around the words of a full transfer."""

    initial: int = 0
    """Before the first word."""
    read_return: int = 0
    """From the slave's answer back to the master."""


def word_span(words: int, latency: PortLatency) -> int:
    """Cycles of a transfer of one word a cycle: the form without a bus law."""
    return latency.initial + words


def full_read(words: int, latency: PortLatency, access: Fraction | int, stretch: Fraction | int = 1) -> Fraction:
    """Cycles of a read: there, the slave's access, back, and the words, which alone are slowed by ``stretch``."""
    return Fraction(latency.initial + access + latency.read_return) + words * stretch


def full_write(words: int, latency: PortLatency, stretch: Fraction | int = 1) -> Fraction:
    """Cycles of a write: there, and the words, which alone are slowed by ``stretch``."""
    return Fraction(latency.initial) + words * stretch


@dataclass(slots=True)
class AnchoredChannels:
    """The read and the write channel of a memory, for transfers that began in the past of the simulation.

    A part that learns of a burst when it is over can still let its transfer run from the burst's first word on. A
    transfer waits for the one before it on its channel; a half-duplex memory has one channel for both directions.
    """

    half_duplex: bool = False
    _busy_until: dict[str, int] = field(default_factory=dict)

    def transfer(self, direction: Direction, anchor: int, now: int, span: int, min_span: int = 0) -> tuple[int, int]:
        """Begin and end, in ticks, of a transfer of ``span`` whose first word is there at ``anchor``.

        It takes at least ``min_span`` and never ends before ``now``.
        """
        channel = "both" if self.half_duplex else direction
        begin = max(anchor, self._busy_until.get(channel, 0))
        free = begin + max(span, min_span)
        self._busy_until[channel] = free
        return begin, max(free, now)
