"""PE clock throttle: at which of its two speeds the PE runs (ADR-0071).

First action: none; the PE asks. Time is cut into windows. A window runs at full speed if the PE did at least
``needed_ps`` of full-speed work in the window before it, else at half; before the first window it did nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from components.device.work import Ps
from components.registry import register
from simcore.kernel import Environment, Part, Port

HALF, FULL = 0, 1
"""The speeds."""

_SLOWDOWN = (2, 1)

P = TypeVar("P", bound=BaseModel)


class Throttle(Part[P]):
    """What the PE asks: its speed at a time, and when a piece of work will be done. ``accepted`` counts pieces."""

    def speed(self, at: int) -> int:
        """HALF or FULL."""
        return self._speed_until(at)[0]

    def work(self, start: int, full_ps: int) -> int:
        """Does ``full_ps`` of full-speed work from ``start`` on; returns when it is done."""
        if start < self.env.now or full_ps < 0:
            raise self.error(f"work of {full_ps} ps from {start} ps on (allowed: 0 or more, from now on)")
        self.accepted += 1
        if self.record is not None:
            self.record((self.env.now, self.name, "work", "", full_ps))
        left, now = full_ps, start
        while True:
            speed, until = self._speed_until(now)
            slowdown = _SLOWDOWN[speed]
            possible = (until - now) // slowdown
            done = min(left, possible)
            self._did(now, done)
            left -= done
            if not left:
                self.completed += 1
                return now + done * slowdown
            now = until

    @abstractmethod
    def _speed_until(self, at: int) -> tuple[int, int]:
        """(speed at a time, the end of the window that it lies in)."""

    @abstractmethod
    def _did(self, at: int, full_ps: int) -> None:
        """Counts work in the window of ``at``."""


class WorkShareParameters(BaseModel):
    """``window_ps``: length of a window; ``needed_ps``: full-speed work in one that makes the next run at full speed;
    ``phase_ps``: how far into a window the run begins. ``half_speed`` and ``full_speed`` say which speeds it has."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    window_ps: int = Field(ge=1)
    needed_ps: Ps
    phase_ps: Ps
    half_speed: bool
    full_speed: bool


@register("device_throttle", "work_share", default=True)
class WorkShareThrottle(Throttle[WorkShareParameters]):
    """The throttle by its rule."""

    def __init__(
        self, env: Environment, name: str, parameters: WorkShareParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self._work: dict[int, int] = defaultdict(int)
        self.full_windows: dict[int, bool] = {}
        """Windows whose speed somebody asked for, by number; number 0 is the one in which the run began."""

    def _speed_until(self, at: int) -> tuple[int, int]:
        p = self.parameters
        number = (at + p.phase_ps) // p.window_ps
        full = self.full_windows.get(number)
        if full is None:
            enough = self._work[number - 1] >= p.needed_ps
            full = self.full_windows[number] = p.full_speed and (enough or not p.half_speed)
        return (FULL if full else HALF), (number + 1) * p.window_ps - p.phase_ps

    def _did(self, at: int, full_ps: int) -> None:
        p = self.parameters
        self._work[(at + p.phase_ps) // p.window_ps] += full_ps

    def windows(self, end: int) -> list[tuple[int, bool]]:
        """(start, whether at full speed) of the windows that begin before ``end``, from the run's start on."""
        p = self.parameters
        count = (end + p.phase_ps) // p.window_ps + 1
        return [
            (max(0, n * p.window_ps - p.phase_ps), self._speed_until(n * p.window_ps - p.phase_ps)[0] == FULL)
            for n in range(count)
        ]


class RecordedParameters(BaseModel):
    """``full_ps``: (start, end) of the times at full speed, ascending."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    full_ps: tuple[tuple[Ps, Ps], ...]


_FOREVER = 2**62


@register("device_throttle", "recorded")
class RecordedThrottle(Throttle[RecordedParameters]):
    """The throttle as a profile recorded it: for diagnosis, since it knows how the run went."""

    def _speed_until(self, at: int) -> tuple[int, int]:
        for start, end in self.parameters.full_ps:
            if at < start:
                return HALF, start
            if at < end:
                return FULL, end
        return HALF, _FOREVER

    def _did(self, at: int, full_ps: int) -> None:
        pass

    def windows(self, end: int) -> list[tuple[int, bool]]:
        """(start, whether at full speed) of its changes before ``end``, from the run's start on."""
        changes = {0: False}
        for start, stop in self.parameters.full_ps:
            changes[start] = True
            changes[stop] = False
        return [(start, full) for start, full in sorted(changes.items()) if start < end]
