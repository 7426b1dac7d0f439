"""Livelock: events without end at one instant, reported with the set that repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simpy.events import Event

from simcore.errors import KernbenchError
from simcore.kernel.clock import show_ticks
from simcore.kernel.describe import describe
from simcore.kernel.errors import Fault

WATCHED = 1000
"""The last events before the limit, among which the repeating set is looked for."""

_SHOWN = 20


class Livelock(KernbenchError):
    """More than ``limit`` events happened at ``now_ticks`` ps: the machine moves and its clock does not.

    ``repeating`` is what happened more than once among the last events, in order of appearance: ``(what, how often)``.
    """

    exit_code = 3
    fault: Fault = "model"

    def __init__(self, now_ticks: int, limit: int, repeating: tuple[tuple[str, int], ...]) -> None:
        super().__init__(now_ticks, limit, repeating)
        self.now_ticks = now_ticks
        self.limit = limit
        self.repeating = repeating

    def __str__(self) -> str:
        head = f"livelock at {show_ticks(self.now_ticks)}: more than {self.limit} events at one instant"
        if not self.repeating:
            return f"{head}; none of the last ones repeats, so the limit may be too low for this program"
        lines = [f"    {what}, {times} times" for what, times in self.repeating[:_SHOWN]]
        if len(self.repeating) > _SHOWN:
            lines.append(f"    and {len(self.repeating) - _SHOWN} more")
        return "\n".join([f"{head}; these repeat:", *lines])


def caught(now_ticks: int, limit: int, last: Sequence[str]) -> Livelock:
    """The error for ``limit`` events at one instant, of which ``last`` names the last ones (:func:`happening`)."""
    return Livelock(now_ticks, limit, tuple((what, times) for what, times in Counter(last).items() if times > 1))


def happening(event: Event) -> str:
    """Who goes on because of ``event``, which is about to happen, in words."""
    woken = [owner(callback) for callback in event.callbacks]
    return f"{' and '.join(woken) or 'nobody'} woken by {describe(event)}"


def owner(callback: object) -> str:
    """The name of the process or part behind a callback, or of the function itself."""
    bound_to = getattr(callback, "__self__", None)
    name = getattr(bound_to, "name", None) or getattr(callback, "__qualname__", None)
    return name if isinstance(name, str) else type(callback).__name__
