"""Device engine: an in-order engine whose control runs one instruction ahead of its datapath (ADR-0070).

First action: waits until the engine begins with the kernel. An instruction starts when the control has come to it, its
semaphores have their values and the engine has noticed, and the datapath is free. The control looks at the next one
shortly after that start, so a wait can be over before the datapath is free again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.device.dma_queue import DmaQueue
from components.device.semaphore import DeviceSemaphore
from components.device.work import Cause, DeviceWork, Ps
from components.registry import register
from simcore.kernel import Environment, Part, Port, Story, Timeout, Waiting
from simcore.timing.device.costs import OperationCost
from simcore.timing.device.lowering import Kind


class DeviceEngineParameters(BaseModel):
    """``start_ps``: when the engine begins. ``control_ps``: from a start until the control looks at the next
    instruction. ``wake_ps``: from a semaphore's value to the start of who waits. ``event_ps`` and ``event_gap_ps``: how
    long an instruction that only waits lasts, and until the next may start. ``table_load_ps``: loading an activation
    table. ``trigger_ps`` and ``trigger_gap_ps``: a trigger, and what follows it until the next instruction may start.
    ``preparation_ps``: preparing a transfer before its trigger starts; ``trigger_interval_ps``: between triggers that
    have been prepared one after the other."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    start_ps: Ps
    control_ps: Ps
    wake_ps: Ps
    event_ps: Ps
    event_gap_ps: Ps
    table_load_ps: Ps
    trigger_ps: Ps
    trigger_gap_ps: Ps
    preparation_ps: Ps
    trigger_interval_ps: Ps


@register("device_engine", "one_ahead", default=True)
class DeviceEngine(Part[DeviceEngineParameters]):
    """An engine. ``semaphore`` and ``queue`` are given when the program is loaded."""

    def __init__(
        self, env: Environment, name: str, parameters: DeviceEngineParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.free_at = 0
        """When the datapath is free."""
        self.last: DeviceWork | None = None
        self._waits_for: DeviceWork | None = None
        self._since = 0
        self._prepared_at: int | None = None
        self.retired: Callable[[], object] | None = None
        """Told of every instruction that has ended."""

    def load(self, works: Sequence[DeviceWork], semaphore: DeviceSemaphore, queue: DmaQueue | None = None) -> None:
        """Starts to issue ``works`` in order; transfers go to ``queue``."""
        if self.in_flight:
            raise self.error("a program is loaded while another runs")
        for work in works:
            if work.op.kind is Kind.trigger and (queue is None or work.transfer is None):
                raise self.error(f"{work.op.name} moves data, but there is no queue for it")
        self.accepted += len(works)
        self.free_at = self.env.now
        self.last = self._prepared_at = None
        self.semaphore = semaphore
        self.queue = queue
        self.spawn(self._issue(works), "issue")

    def waiting(self) -> Iterable[Waiting]:
        """What the next instruction still waits for."""
        work = self._waits_for
        return (Waiting("a semaphore", work.op.name, self._since, by_program=True),) if work is not None else ()

    def _issue(self, works: Sequence[DeviceWork]) -> Story:
        env = self.env
        if self.parameters.start_ps:
            yield env.timeout(self.parameters.start_ps)
        for work in works:
            if work.waits:
                yield self._released(work)
            yield from self.perform(work)
            self.last = work

    def _released(self, work: DeviceWork) -> Event:
        """Happens when nothing holds ``work`` back any more."""
        event = self.env.event()
        self._waits_for, self._since = work, self.env.now
        self.env.me.note = (event, self, work.op.name, True)

        def go() -> None:
            self._waits_for = None
            event.succeed()

        work.go = go
        return event

    def perform(self, work: DeviceWork) -> Story:
        """Starts ``work`` as soon as it may, and is done when the control comes to the next instruction."""
        p, env, kind = self.parameters, self.env, work.op.kind
        at, cause, on = self.noticed(work)
        if kind is Kind.compute or kind is Kind.table_load:
            if self.free_at > at:
                loading = self.last is not None and self.last.op.kind is Kind.table_load
                at, cause, on = self.free_at, Cause.table_load if loading else Cause.engine, self.last
        elif kind is Kind.trigger and p.preparation_ps:
            at, cause, on = self._prepared(work, at, cause, on)
        if at > env.now:
            yield env.timeout(at - env.now)
        self.started(work, cause, on)
        if kind is Kind.trigger:
            if work.transfer is None or self.queue is None:
                raise self.error(f"{work.op.name} moves data, but there is no queue for it")
            self.queue.begin(work.transfer)
            self.end_in(work, p.trigger_ps)
            after = p.control_ps if p.preparation_ps else p.trigger_ps + p.trigger_gap_ps
        elif kind is Kind.wait:
            self.end_in(work, p.event_ps)
            after = p.event_gap_ps
        else:
            interval, latency = self._datapath_ps(work)
            self.free_at = env.now + interval
            self.end_in(work, latency)
            after = p.control_ps
        if after:
            yield env.timeout(after)

    def noticed(self, work: DeviceWork) -> tuple[int, Cause, DeviceWork | None]:
        """When ``work`` may start by the control and its semaphores, and which of them was last."""
        now = self.env.now
        if work.heard_at is not None and work.heard_at + self.parameters.wake_ps >= now:
            cause = Cause.transfer if work.heard_of_transfer else Cause.dependency
            return work.heard_at + self.parameters.wake_ps, cause, work.heard_of
        return now, Cause.control if self.last is not None else Cause.none, self.last

    def _prepared(
        self, work: DeviceWork, at: int, cause: Cause, on: DeviceWork | None
    ) -> tuple[int, Cause, DeviceWork | None]:
        """When a trigger starts whose transfer is prepared first."""
        p, now = self.parameters, self.env.now
        begins = (now if self._prepared_at is None else None, work.heard_at)
        times = [begin + p.preparation_ps for begin in begins if begin is not None]
        if self._prepared_at is not None:
            times.append(max(now, self._prepared_at + p.trigger_interval_ps))
        start = max(times)
        self._prepared_at = start
        if work.heard_at is not None and start == work.heard_at + p.preparation_ps:
            return start, cause if cause is not Cause.control else Cause.preparation, work.heard_of
        return start, Cause.preparation, on

    def _datapath_ps(self, work: DeviceWork) -> tuple[int, int]:
        """(until the datapath is free, until completion) from the start on."""
        if work.op.kind is Kind.table_load:
            return self.parameters.table_load_ps, self.parameters.table_load_ps
        if not isinstance(work.cost, OperationCost):
            raise self.error(f"{work.op.name} has no cost")
        return work.cost.interval_ps, work.cost.latency_ps

    def started(self, work: DeviceWork, cause: Cause, on: DeviceWork | None) -> None:
        """Notes that ``work`` starts now, and why not earlier."""
        work.start_at, work.cause, work.on = self.env.now, cause, on
        if self.record is not None:
            self.record((self.env.now, self.name, "start", work.op.name))

    def end_in(self, work: DeviceWork, delay: int) -> None:
        """Lets ``work`` end in ``delay`` ticks, and then raises its semaphore."""

        def end(_news: Event) -> None:
            work.end_at = self.env.now
            self.completed += 1
            if self.record is not None:
                self.record((self.env.now, self.name, "end", work.op.name))
            self.semaphore.raise_for(work, at_once=work.op.kind is Kind.wait)
            if self.retired is not None:
                self.retired()

        Timeout(self.env, delay).callbacks.append(end)
