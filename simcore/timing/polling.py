"""Polling: what a loop that reads a register again and again takes from its bus, and when it sees the change.

The bus is slowed by the share that the polls take, and a change is seen half an interval later on average: two numbers
per transaction instead of an event per poll. The rules are those of the public waveflow project.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from simcore.errors import InputError, Problem, hint
from simcore.timing.clock import Cycles

SATURATED = Fraction(99, 100)
"""The largest share of a bus that polls are taken to use; from here on the bus is polling-bound."""


@dataclass(frozen=True, slots=True)
class PollCondition:
    """What a poll waits for: the register equal to (``Eq``) or different from (``Ne``) a whole number."""

    op: str
    rhs: int

    def __post_init__(self) -> None:
        if self.op not in ("Eq", "Ne"):
            raise InputError([Problem(f'cannot wait for "{self.op}" {hint(self.op, ("Eq", "Ne"))}', "<poll>")])
        if type(self.rhs) is not int:
            raise InputError([Problem(f"compares whole numbers, not {self.rhs!r}", "<poll>")])

    def holds(self, value: int) -> bool:
        """Whether a register of ``value`` ends the poll."""
        return (value == self.rhs) == (self.op == "Eq")


def discovery_cycles(interval: Cycles, discovery: str = "mean") -> Fraction:
    """Cycles from the change to the poll that sees it: the mean over all phases of the poll, ``(interval - 1) / 2``."""
    if discovery != "mean":
        raise InputError([Problem(f'unknown discovery "{discovery}" {hint(discovery, ("mean",))}', "<poll>")])
    return max(Fraction(0), (Fraction(interval) - 1) / 2)


class BusPollers:
    """The polls under way on one slave.

    ``warn`` is told once each time the polls begin to saturate the bus.
    """

    def __init__(self, name: str, warn: Callable[[str], None]) -> None:
        self.name = name
        self._warn = warn
        self._shares: dict[int, Fraction] = {}
        self._next = 0
        self._saturated = False

    def start(self, interval: Cycles, beat_cost: Cycles = 1) -> int:
        """A poll of ``beat_cost`` bus cycles every ``interval`` cycles begins; the ticket ends it.

        An interval that is not above 0 takes nothing: such a poll never asks.
        """
        ticket, self._next = self._next, self._next + 1
        self._shares[ticket] = Fraction(beat_cost) / Fraction(interval) if interval > 0 else Fraction(0)
        self._watch()
        return ticket

    def stop(self, ticket: int) -> None:
        """The poll of ``ticket`` is over."""
        del self._shares[ticket]
        self._watch()

    @property
    def overhead(self) -> Fraction:
        """The share of the bus that polls take: the sum of beat cost over interval, at most 0.99."""
        return min(sum(self._shares.values(), Fraction(0)), SATURATED)

    @property
    def stretch(self) -> Fraction:
        """How much longer each word of another transfer takes: ``1 / (1 - overhead)``."""
        return 1 / (1 - self.overhead)

    def _watch(self) -> None:
        saturated = self.overhead == SATURATED
        if saturated and not self._saturated:
            times = self.stretch
            self._warn(f"{self.name} is polling-bound: polls take all of it, other words are slowed {times} times")
        self._saturated = saturated
