"""Engine: issues its instructions in program order, one at a time.

First action: starts one process that takes the first instruction of its queue and waits until nothing holds it back.
An instruction starts when its waits are over, frees the issue port at its next-dispatch, and ends on its own while
the engine already issues the next. A collective stream is such an engine, without an overlap. What an instruction
demands of memory can make it last longer (ADR-0062).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from simpy.events import NORMAL, Event

from components.core.blocked import waits_of
from components.core.demand import Demand
from components.core.lane import LaneParameters, LanePart
from components.core.work import ENGINE, Work
from components.registry import register
from simcore.kernel import Environment, Port, Story, Waiting


@register("engine", "in_order", default=True)
class Engine(LanePart):
    """An in-order engine. ``busy_ticks`` is the time for which its issue port has been taken."""

    def __init__(self, env: Environment, name: str, parameters: LaneParameters, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self.busy_ticks = 0
        self.demands: Mapping[Work, Demand] = {}
        """What instructions of the program demand of memory; empty where memory is ideal."""
        self._head: Work | None = None
        self._head_since = 0
        self._wake = _Recurring(env)

    def begin(self) -> None:
        """Starts to issue."""
        self.spawn(self._issue(), "issue")

    def go(self, work: Work) -> None:
        """``work``'s last wait is over; if it is at the head of the queue the engine wakes up."""
        if work is self._head:
            self._head = None
            self.env.schedule(self._wake)

    def _issue(self) -> Story:
        env, record, end, schedule = self.env, self.record, self.end, self.env.schedule
        wake, port_is_free, demands = self._wake, _Recurring(env), self.demands
        env.me.note = note = (wake, self, "", False)
        free_since = env.now
        last: Work | None = None
        for work in self.queue:
            if work.waits:
                self._head, self._head_since = work, free_since
                wake.callbacks = []
                yield wake
            now = env.now
            if free_since == now and (work.bound_at != now or work.bound_rank > ENGINE):
                work.bound_rank, work.bound_on = ENGINE, last
            if record is not None:
                record((now, self.name, "start", work.name))
            work.started(now)
            ticks = work.dispatch_ticks
            if demands and (demand := demands.get(work)) is not None:
                yield from demand.meet(work)
                now = env.now
                met = now - work.start_at
                self.busy_ticks += met
                ticks = work.dispatch_ticks - met
                env.me.note = note
            if ticks:
                port_is_free.callbacks = []
                schedule(port_is_free, NORMAL, ticks)
                yield port_is_free
                now = env.now
                self.busy_ticks += ticks
            free_since, last = now, work
            if record is not None:
                record((now, self.name, "next-dispatch", work.name))
            work.dispatched(now)
            rest = work.end_ticks - work.dispatch_ticks
            if rest:
                work.callbacks = [end]
                schedule(work, NORMAL, rest)
            else:
                end(work)

    def waiting(self) -> Iterable[Waiting]:
        """What the head of the queue still waits for."""
        return waits_of({self._head: self._head_since}, self.program) if self._head is not None else ()


class _Recurring(Event):
    """An event that its one process waits for again and again: an engine needs no new one for every instruction."""

    __slots__ = ("callbacks",)

    _ok = True
    _value = None
