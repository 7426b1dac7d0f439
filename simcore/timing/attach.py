"""A timing model attached to a part: the delay it charges, and the firings it has charged it to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from simcore.timing.clock import Clock
from simcore.timing.confidence import Confidence, weakest
from simcore.timing.model import Row, TimingModel


@dataclass(frozen=True, slots=True)
class Firing:
    """One activation of a component, in ticks: what it processed, when, and the part of it that a model charged."""

    row: Row
    start: int
    end: int
    delay: int


class TimedDelay:
    """What a part asks for its compute delay.

    ``model`` charges only what nothing else charges: transfers and stalls take their own time. Without a model the
    delay is 0 and no firing is recorded (``firings`` is None), since there is nothing to calibrate.
    """

    def __init__(self, component: str, clock: Clock, model: TimingModel | None = None) -> None:
        self.component = component
        self.clock = clock
        self.model = model
        self.firings: list[Firing] | None = None if model is None else []
        self._known: dict[tuple[tuple[str, float], ...], int] = {}
        self._judged: dict[str, Confidence] = {}

    def ticks(self, row: Row) -> int:
        """The delay of the firing ``row``, in ticks; asked for once per kind of firing, however many there are."""
        if self.model is None:
            return 0
        key = tuple(row.items())
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.clock.ticks(self.model.cycles(row))
            point = ", ".join(f"{name}={value:g}" for name, value in row.items())
            self._judged[point] = self.model.confidence(row)
        return known

    def record(self, row: Row, start: int, end: int) -> None:
        """Notes a firing that took from ``start`` to ``end`` (ticks), the delay of ``row`` included."""
        if self.firings is not None:
            self.firings.append(Firing(row, start, end, self.ticks(row)))

    @property
    def confidence(self) -> Confidence:
        """Of everything charged so far: the weakest firing's level, naming those firings."""
        return weakest(self._judged)


@runtime_checkable
class Timed(Protocol):
    """A part with a timing model attached."""

    timing: TimedDelay


def attached(parts: Iterable[object]) -> Iterator[TimedDelay]:
    """The delays of those ``parts`` that have a model, in their order."""
    for part in parts:
        if isinstance(part, Timed) and part.timing.model is not None:
            yield part.timing
