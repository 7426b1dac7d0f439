"""The fabric: moves transfers over links, flit by flit where they meet and by timetable where they do not (ADR-0046).

First action of a transfer: its first part's overhead runs; then its flits are let go as its window allows. The fabric
keeps a calendar of its own (``calendar.py``). The environment gets one event when the calendar has to go on, after
everything else of that tick, and one for each transfer that ends; between them the fabric runs ahead to the next tick
at which anybody else could have something to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from simpy.events import Event, EventPriority

from components.fabric.conservation import Ledger
from components.fabric.exact_time import ExactTime
from components.fabric.flow import Flow
from components.fabric.hop import EndPoint, Hop
from components.fabric.leg import Leg
from components.fabric.link import LinkBase
from components.fabric.mover import Mover
from components.fabric.route import Route, check_path
from components.registry import register
from simcore.kernel import Environment, Part, Port, Record

LAST = EventPriority(2)
"""After everything else of a tick: SimPy's own priorities are 0 and 1."""


class FabricParameters(BaseModel):
    """``flit_bytes``: what a link serves at a time. ``coalesce``: False moves everything flit by flit, with the same
    result."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    flit_bytes: Annotated[int, Field(ge=1)]
    coalesce: bool = True


@dataclass(slots=True)
class _Transfer:
    """A flow under way; ``legs``: those that have begun."""

    flow: Flow
    key: tuple[int, int]
    route: Route | None
    legs: list[Leg] = field(default_factory=list)


class _Alarm(Event):
    """Wakes the fabric up, last of its tick."""

    def __init__(self, env: Environment, tick: int, wake: Callable[[Event], None]) -> None:
        self.env = env
        self.callbacks = [wake]
        self._ok = True
        self._value = None
        self.tick = tick
        env.schedule(self, LAST, tick - env.now)


@register("fabric", "flits", default=True)
class Fabric(Part[FabricParameters]):
    """The engine that moves flows over the links that were connected to it.

    ``accepted`` and ``completed`` count flows. Log rows: ``submit`` and ``end`` (flow, bytes), and with the latter one
    of every link and hop of the path.
    """

    def __init__(
        self, env: Environment, name: str, parameters: FabricParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self._mover = Mover(self._leg_ended, coalesce=parameters.coalesce)
        self._calendar = self._mover.calendar
        self._links: list[LinkBase[Any]] = []
        self._routes: dict[tuple[LinkBase[Any], ...], Route] = {}
        self._ledger = Ledger()
        self._exact_time: ExactTime | None = None
        self._alarm: _Alarm | None = None
        self._under_way: dict[Flow, _Transfer] = {}
        self._ended: list[tuple[int, int, tuple[int, int], _Transfer]] = []
        """A heap of those that have ended and have not been told: tick to tell them at, moment of the end, key."""

    def connect(self, link: LinkBase[Any], source: Hop, destination: Hop) -> None:
        """Makes ``link`` lead from ``source`` to ``destination``. All links are connected before the first flow."""
        if self._exact_time is not None:
            raise self.error(f"link {link.name} comes too late: flows are under way")
        link.join(self._calendar, len(self._links), source, destination)
        self._links.append(link)
        self._ledger.connect(link)

    def submit(self, flow: Flow) -> Event:
        """Starts ``flow`` now and returns its ``done``. Raises PartError, in the name of whoever refuses it."""
        now = self.env.now
        self._check(flow)
        transfer = _Transfer(flow, (flow.order, self.accepted), self.route(flow.path) if flow.path else None)
        self.accepted += 1
        flow.done = self.env.event()
        flow.submitted_ticks = now
        self._ledger.submit(flow)
        self._under_way[flow] = transfer
        if self.record is not None:
            self.record((now, self.name, "submit", flow.name, flow.nbytes))
        if transfer.route is None:
            self._end(transfer, self._time.moment(now))
        else:
            for hop in transfer.route.hops:
                hop.enter(flow)
            self._begin_leg(transfer, transfer.route, self._time.moment(now))
        self._set_alarm(now)
        return flow.done

    def route(self, path: Sequence[LinkBase[Any]]) -> Route:
        """What a path of at least one link costs. Raises PartError for one that is broken."""
        links = tuple(path)
        known = self._routes.get(links)
        if known is None:
            check_path(links, self._links, self)
            known = self._routes[links] = Route.along(links, self.parameters.flit_bytes, self._time)
        return known

    def before_outside_use(self, end_point: EndPoint) -> None:
        """To be called before ``end_point`` serves anything now that does not come through this fabric."""
        moment = self._time.moment(self.env.now)
        self._go_on(moment)
        self._mover.before_outside_use(end_point, moment)
        self._set_alarm()

    @property
    def _time(self) -> ExactTime:
        if self._exact_time is None:
            self._exact_time = ExactTime.for_rates(link.parameters.bw_gbs for link in self._links)
        return self._exact_time

    def _begin_leg(self, transfer: _Transfer, route: Route, now: int) -> None:
        """The next leg begins as soon as its first part's overhead is over."""
        flow, number = transfer.flow, len(transfer.legs)
        stretch = route.stretches[number]
        source = flow.source if number == 0 else None
        sink = flow.sink if number == len(route.stretches) - 1 else None
        leg = Leg(self._mover, flow, transfer.key, stretch.tracks, self.parameters.flit_bytes, source, sink, self._time)
        transfer.legs.append(leg)
        self._calendar.at(now + stretch.overhead, leg.begin)

    def _leg_ended(self, leg: Leg, now: int) -> None:
        transfer = self._under_way[leg.flow]
        assert transfer.route is not None
        if len(transfer.legs) < len(transfer.route.stretches):
            self._begin_leg(transfer, transfer.route, now)
        else:
            self._end(transfer, now)

    def _end(self, transfer: _Transfer, now: int) -> None:
        heappush(self._ended, (self._time.ticks(now), now, transfer.key, transfer))

    def _wake(self, alarm: Event) -> None:
        """The last of this tick: nobody else has anything to say before the fabric decides."""
        if alarm is not self._alarm:
            return
        self._alarm = None
        tick = self.env.now
        now = self._time.moment(tick)
        self._go_on(now)
        calendar = self._calendar
        while True:
            calendar.arrive(now)
            if self._tell(tick):
                self._set_alarm(tick)  # those who were told act first
                return
            calendar.decide(now)
            if not calendar.happens_at(now):
                break
        self._mover.consider(now)
        ahead = self.env.peek()
        self._go_on(inf if ahead == inf else self._time.moment(int(ahead)))
        self._set_alarm()

    def _go_on(self, until: float) -> None:
        """Lets everything happen before ``until`` and before the first tick at which an end has to be told."""
        calendar, mover, ended = self._calendar, self._mover, self._ended
        moments = calendar.moments
        if ended:
            until = min(until, self._time.moment(ended[0][0]))
        while moments and moments[0] < until:
            now = moments[0]
            calendar.arrive(now)
            if ended:
                until = min(until, self._time.moment(ended[0][0]))
                if until <= now:
                    return  # those who are to be told act before the links decide
            calendar.decide(now)
            if mover.plannable and not calendar.happens_at(now):
                mover.consider(now)

    def _tell(self, tick: int) -> bool:
        """Tells all whose flows have ended by ``tick``; whether there were any."""
        ended = self._ended
        told = False
        while ended and ended[0][0] <= tick:
            _, moment, _, transfer = heappop(ended)
            self._tell_of(transfer, moment)
            told = True
        return told

    def _tell_of(self, transfer: _Transfer, moment: int) -> None:
        flow = transfer.flow
        del self._under_way[flow]
        self.completed += 1
        self._ledger.end(flow)
        flow.ended_ticks = self._time.exact_ticks(moment)
        flow.legs = tuple(transfer.legs)
        if transfer.legs:
            flow.first_flit_ticks = self._time.exact_ticks(transfer.legs[0].began[0])
        if self.record is not None:
            self._write(transfer, self.record)
        for hop in transfer.route.hops if transfer.route is not None else ():
            hop.leave(flow)
        assert flow.done is not None
        flow.done.succeed(flow)

    def _write(self, transfer: _Transfer, record: Record) -> None:
        now, flow, ticks = self.env.now, transfer.flow, self._time.ticks
        record((now, self.name, "end", flow.name, flow.nbytes))
        for leg in transfer.legs:
            for track, began, last_end in zip(leg.tracks, leg.began, leg.last_ends, strict=True):
                ago = now - ticks(began), now - ticks(last_end)
                record((now, track.link.name, "carried", flow.name, flow.nbytes, *ago))

    def _set_alarm(self, tick: int | None = None) -> None:
        """Has the fabric woken up at ``tick``, or else when it next has something to do or to tell."""
        if tick is None:
            calendar = self._calendar
            due = [self._time.ticks(moment) for moment in calendar.moments[:1]]
            due += [self._ended[0][0]] if self._ended else []
            if not due:
                # The clock of the environment must not stay behind what has happened here.
                due = [behind] if (behind := self._time.ticks(calendar.decided)) > self.env.now else []
                if not self._under_way and not due:
                    self._ledger.compare()
            if not due:
                return
            tick = min(due)
        if self._alarm is None or self._alarm.tick != tick:
            self._alarm = _Alarm(self.env, tick, self._wake)

    def _check(self, flow: Flow) -> None:
        if flow.done is not None:
            raise self.error(f"flow {flow.name!r} was submitted before")
        if type(flow.nbytes) is not int or flow.nbytes < 0:
            raise self.error(f"flow {flow.name!r}: nbytes {flow.nbytes!r} (an int, 0 or more)")
        window = flow.window_flits
        if window is not None and (type(window) is not int or window < 1):
            raise self.error(f"flow {flow.name!r}: window_flits {window!r} (an int, 1 or more, or None)")
        if not flow.path and (flow.source is not None or flow.sink is not None):
            raise self.error(f"flow {flow.name!r}: an end point serves flits, and a path without links has none")
        for link in flow.path:
            link.refuse(min(flow.nbytes, self.parameters.flit_bytes), flow.name)
