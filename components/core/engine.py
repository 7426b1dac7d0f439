"""Engine: issues its instructions in program order, one at a time.

First action: starts one process that takes the first instruction of its queue and waits until nothing holds it back.
An instruction starts when its waits are over, frees the issue port at its next-dispatch, and ends on its own while
the engine already issues the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from simpy.events import Event

from components.core.work import ENGINE, Work, tell
from components.registry import register
from simcore.kernel import Environment, Part, Port, PortSpec, Story, Timeout, Waiting
from simcore.units import TICKS_PER_NS

Ns = Annotated[int, Field(ge=0, le=10**12)]


class EngineParameters(BaseModel):
    """``overlap_ns``: how long before an instruction's end the next may be issued, if it lasts ``overlaps_from_ns``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    overlap_ns: Ns
    overlaps_from_ns: Ns


@register("engine", "in_order", default=True)
class Engine(Part[EngineParameters]):
    """An in-order engine. ``completed`` counts ended instructions, ``busy_ticks`` the time its issue port was taken."""

    port_specs = (PortSpec("retired", "out", Work),)

    def __init__(
        self, env: Environment, name: str, parameters: EngineParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.queue: Sequence[Work] = ()
        self._block: Sequence[Work] = ()
        self.busy_ticks = 0
        self._retire = ports["retired"].put
        self._head: Work | None = None
        self._wake: Event | None = None
        self._free_since = 0
        self._last: Work | None = None

    def durations(self, cost_ns: int, *, overlaps: bool) -> tuple[int, int]:
        """(ticks from start to next-dispatch, ticks from start to end) of an instruction that costs ``cost_ns``."""
        end = cost_ns * TICKS_PER_NS
        p = self.parameters
        if overlaps and cost_ns >= p.overlaps_from_ns:
            return end - p.overlap_ns * TICKS_PER_NS, end
        return end, end

    def load(self, queue: Sequence[Work], block: Sequence[Work]) -> None:
        """Takes the instructions that this engine will run, in program order, and starts to issue them.

        ``block`` holds all instructions of the program, for a report of who holds whom.
        """
        if self.queue:
            raise self.error("an engine is loaded once")
        self.queue, self._block = queue, block
        self.accepted = len(queue)
        self.spawn(self._issue(), "issue")

    def go(self, work: Work) -> None:
        """``work``'s last wait is over; if it is at the head of the queue the engine wakes up."""
        if work is self._head:
            self._head = None
            self._wake.succeed()  # type: ignore[union-attr]

    def _issue(self) -> Story:
        env, record, me = self.env, self.record, self.env.me
        for work in self.queue:
            if work.waits:
                self._head = work
                self._wake = wake = env.event()
                me.note = (wake, self, work.name, False)
                yield wake
            now = env.now
            if self._free_since == now and (work.bound_at != now or work.bound_rank > ENGINE):
                work.bound_at, work.bound_rank, work.bound_on = now, ENGINE, self._last
            work.start_at = now
            if record is not None:
                record((now, self.name, "start", work.name))
            if work.on_start is not None:
                tell(work.on_start, now, work)
            ticks = work.dispatch_ticks
            if ticks:
                yield Timeout(env, ticks)
                now = env.now
                self.busy_ticks += ticks
            work.dispatch_at = now
            self._free_since, self._last = now, work
            if work.on_dispatch is not None:
                tell(work.on_dispatch, now, work)
            rest = work.end_ticks - ticks
            if rest:
                Timeout(env, rest, work).callbacks.append(self._end)
            else:
                self._ended(work, now)

    def _end(self, event: Event) -> None:
        self._ended(event._value, self.env.now)

    def _ended(self, work: Work, now: int) -> None:
        self.completed += 1
        if self.record is not None:
            self.record((now, self.name, "end", work.name))
        if work.on_end is not None:
            tell(work.on_end, now, work)
        self._retire(work)

    def waiting(self) -> Iterable[Waiting]:
        """The lanes whose instructions the head of the queue still waits for."""
        head, now = self._head, self.env.now
        if head is None:
            return []
        return [Waiting(w.lane, head.name, self._free_since) for w in self._block if w.holds_back(head, now)]
