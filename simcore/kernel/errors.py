"""What the ground refuses. Every error names the part, process, port or channel and the simulated time."""

from __future__ import annotations

from typing import Literal

from simcore.errors import KernbenchError

Fault = Literal["program", "model"]
"""Whose fault a run that cannot go on is: the program's (exit code 2) or the model's (exit code 3)."""


class KernelError(KernbenchError):
    """The ground was used wrongly, or a part contradicts itself: exit code 3.

    ``where`` is the dotted name of the part, process, port or channel; ``now_ticks`` the simulated time in picoseconds.
    """

    def __init__(self, where: str, now_ticks: int, message: str) -> None:
        super().__init__(where, now_ticks, message)
        self.where = where
        self.now_ticks = now_ticks
        self.message = message

    def __str__(self) -> str:
        return f"{self.where} at {self.now_ticks} ps: {self.message}"


class DelayRefused(KernelError):
    """A delay that is not a non-negative ``int`` of picoseconds."""


class InvalidYield(KernelError):
    """A process yielded something that is not an event."""


class ChannelMisuse(KernelError):
    """A slot released twice, before it was granted, or on another channel."""


class PortMisuse(KernelError):
    """A port connected twice or not at all, handed a message of another type, or read in two ways."""


class CountdownMisuse(KernelError):
    """A countdown of a negative length, or more arrivals than it counts."""


class PartError(KernelError):
    """A part was built wrongly or met a request that it must refuse."""
