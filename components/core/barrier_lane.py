"""The barrier lane: runs instructions of engine ALL as soon as nothing holds them back, several at once if need be.

First action: starts every barrier of the program that waits for nothing, in program order. Barriers do not wait for
each other (their waits say for whom they do), so there is no issue port here.
"""

from __future__ import annotations

from collections.abc import Iterable

from simpy.events import NORMAL, Event

from components.core.blocked import waits_of
from components.core.lane import LanePart
from components.core.work import Work
from components.registry import register
from simcore.kernel import Timeout, Waiting


@register("barrier_lane", "free_running", default=True)
class BarrierLane(LanePart):
    """Instructions that synchronise all engines."""

    def begin(self) -> None:
        """Starts the barriers that wait for nothing."""
        for work in self.queue:
            if not work.waits:
                self.go(work)

    def go(self, work: Work) -> None:
        """Starts ``work`` at this instant, in its own turn: a chain of barriers must not nest calls."""
        Timeout(self.env, 0, work).callbacks.append(self._start)

    def _start(self, event: Event) -> None:
        work: Work = event._value
        now = self.env.now
        if self.record is not None:
            self.record((now, self.name, "start", work.name))
        work.started(now)
        Timeout(self.env, work.dispatch_ticks, work).callbacks.append(self._dispatch)

    def _dispatch(self, event: Event) -> None:
        work: Work = event._value
        now = self.env.now
        if self.record is not None:
            self.record((now, self.name, "next-dispatch", work.name))
        work.dispatched(now)
        work.callbacks = [self.end]
        self.env.schedule(work, NORMAL, work.end_ticks - work.dispatch_ticks)

    def waiting(self) -> Iterable[Waiting]:
        """What the barriers that are not free still wait for."""
        return waits_of({barrier: barrier.bound_at for barrier in self.queue if barrier.waits}, self.program)
