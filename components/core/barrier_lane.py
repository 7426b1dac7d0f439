"""The barrier lane: runs instructions of engine ALL as soon as nothing holds them back, several at once if need be.

First action: none until it is loaded; a barrier starts when the last of its waits ends. Barriers do not wait for
each other (their waits say for whom they do), so there is no issue port here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.core.engine import Ns
from components.core.work import Work, tell
from components.registry import register
from simcore.kernel import Environment, Part, Port, PortSpec, Timeout, Waiting
from simcore.units import TICKS_PER_NS


class BarrierLaneParameters(BaseModel):
    """``overlap_ns`` and ``overlaps_from_ns`` as for an engine: when a barrier's followers may be issued."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    overlap_ns: Ns
    overlaps_from_ns: Ns


@register("barrier_lane", "free_running", default=True)
class BarrierLane(Part[BarrierLaneParameters]):
    """Instructions that synchronise all engines."""

    port_specs = (PortSpec("retired", "out", Work),)

    def __init__(
        self, env: Environment, name: str, parameters: BarrierLaneParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self._retire = ports["retired"].put
        self._loaded: Sequence[Work] = ()
        self._block: Sequence[Work] = ()

    def durations(self, cost_ns: int, *, overlaps: bool) -> tuple[int, int]:
        """(ticks from start to next-dispatch, ticks from start to end) of a barrier that costs ``cost_ns``."""
        end = cost_ns * TICKS_PER_NS
        long = overlaps and cost_ns >= self.parameters.overlaps_from_ns
        return end - self.parameters.overlap_ns * TICKS_PER_NS if long else end, end

    def load(self, queue: Sequence[Work], block: Sequence[Work]) -> None:
        """Takes the barriers of a program; those that wait for nothing start now."""
        self._loaded, self._block = queue, block
        self.accepted += len(queue)
        for work in queue:
            if not work.waits:
                self.go(work)

    def go(self, work: Work) -> None:
        """Starts ``work`` at this instant, in its own turn: a chain of barriers must not nest calls."""
        Timeout(self.env, 0, work).callbacks.append(self._start)

    def _start(self, event: Event) -> None:
        work: Work = event._value
        work.start_at = now = self.env.now
        if self.record is not None:
            self.record((now, self.name, "start", work.name))
        if work.on_start is not None:
            tell(work.on_start, now, work)
        Timeout(self.env, work.dispatch_ticks, work).callbacks.append(self._dispatch)

    def _dispatch(self, event: Event) -> None:
        work: Work = event._value
        work.dispatch_at = now = self.env.now
        if work.on_dispatch is not None:
            tell(work.on_dispatch, now, work)
        rest = work.end_ticks - work.dispatch_ticks
        Timeout(self.env, rest, work).callbacks.append(self._end)

    def _end(self, event: Event) -> None:
        work: Work = event._value
        self.completed += 1
        if self.record is not None:
            self.record((self.env.now, self.name, "end", work.name))
        if work.on_end is not None:
            tell(work.on_end, self.env.now, work)
        self._retire(work)

    def waiting(self) -> Iterable[Waiting]:
        """The lanes whose instructions the barriers that have not started still wait for."""
        now = self.env.now
        return [
            Waiting(work.lane, barrier.name, barrier.bound_at)
            for barrier in self._loaded
            if barrier.start_at < 0
            for work in self._block
            if work.holds_back(barrier, now)
        ]
