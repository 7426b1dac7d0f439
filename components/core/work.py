"""An instruction on its way through the core: what it still waits for, who waits for it, and what bound its start."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from simpy.events import Event

from simcore.kernel import Environment, Named, Part, Timeout

# Waits of one instant are named as the bound in this order, which is the source's order of evaluation. An edge ranks
# by its place among the instruction's edges, below all others; the families have room for as many members.
FAMILY_SHIFT = 40
"""``rank >> FAMILY_SHIFT`` is the family: 0 for edges, then in this order."""
ENGINE, BARRIER, BANK, COUPLING, TRIGGERED, RING, UNBOUND = (family << FAMILY_SHIFT for family in range(1, 8))


class Waiter(Protocol):
    """Whoever can be told that something it waited for has happened.

    ``via``: the part that passes the news on to others, None for a work, which keeps it to itself.
    """

    @property
    def via(self) -> Part[Any] | None: ...

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """A wait of this ``rank`` is over at tick ``now``, because of ``on``."""

    def followers(self, on: Work) -> Iterable[Work]:
        """The works that wait until this one has been told of ``on`` (asked for a report only)."""


class LaneOfWork(Named, Protocol):
    """Where a work runs; told when its last wait is over."""

    env: Environment

    def go(self, work: Work) -> None:
        """``work`` waits for nothing any more."""


Link = tuple[Waiter, int]
"""Somebody who waits, and the rank of that wait."""


class Work(Event):
    """One instruction (or transfer) in flight; its lane schedules it as the event of its own end.

    Times are ticks, -1 while they are not known. ``waits`` counts what must still happen before it may start. From its
    start on, ``dispatch_ticks`` pass until its lane can issue again and ``end_ticks`` until it is done. The lists hold
    who waits for its start, its next-dispatch and its end; whoever has been told is not in them any more. ``bound_*``
    is the latest wait that ended, the first in rank of one instant. ``held_by``: the parts through which news of other
    works comes to it.

    Whoever makes a work wait counts that in ``waits`` and sees to it that :meth:`wait_over` is called once.
    """

    __slots__ = (
        "bound_at",
        "bound_on",
        "bound_rank",
        "callbacks",
        "dispatch_at",
        "dispatch_ticks",
        "end_ticks",
        "held_by",
        "index",
        "lane",
        "name",
        "on_dispatch",
        "on_end",
        "on_start",
        "start_at",
        "waits",
    )

    _ok = True
    via = None

    bound_on: Work | None
    held_by: tuple[Part[Any], ...]
    on_start: list[Link] | None
    on_dispatch: list[Link] | None
    on_end: list[Link] | None

    def __init__(
        self, index: int, name: str, lane: LaneOfWork, dispatch_ticks: int, end_ticks: int, waits: int = 0
    ) -> None:
        # What Event.__init__ sets is set when the lane schedules the end: most works of a program wait for long.
        self.index = index
        self.name = name
        self.lane = lane
        self.dispatch_ticks = dispatch_ticks
        self.end_ticks = end_ticks
        self.waits = waits
        self.bound_at = 0
        self.bound_rank = UNBOUND
        self.start_at = self.dispatch_at = -1
        self.bound_on = self.on_start = self.on_dispatch = self.on_end = None
        self.held_by = ()

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """One of the waits is over, because of ``on``."""
        if now != self.bound_at or rank < self.bound_rank:
            self.bound_at, self.bound_rank, self.bound_on = now, rank, on
        self.waits -= 1
        if not self.waits:
            self.lane.go(self)

    def followers(self, on: Work) -> Iterable[Work]:
        """Itself."""
        return (self,)

    def tell_start(self, link: Link) -> None:
        """Whom ``link`` names is told when this work starts."""
        if self.on_start is None:
            self.on_start = [link]
        else:
            self.on_start.append(link)

    def tell_dispatch(self, link: Link) -> None:
        """Whom ``link`` names is told when this work reaches its next-dispatch."""
        if self.on_dispatch is None:
            self.on_dispatch = [link]
        else:
            self.on_dispatch.append(link)

    def tell_end(self, link: Link) -> None:
        """Whom ``link`` names is told when this work ends."""
        if self.on_end is None:
            self.on_end = [link]
        else:
            self.on_end.append(link)

    def started(self, now: int) -> None:
        """Its lane starts it at tick ``now``."""
        self.start_at = now
        links = self.on_start
        if links is not None:
            self.on_start = None
            for waiter, rank in links:
                waiter.wait_over(now, rank, self)

    def dispatched(self, now: int) -> None:
        """It reaches its next-dispatch at tick ``now``."""
        self.dispatch_at = now
        links = self.on_dispatch
        if links is not None:
            self.on_dispatch = None
            for waiter, rank in links:
                waiter.wait_over(now, rank, self)

    def ended(self, now: int) -> None:
        """It ends at tick ``now``."""
        links = self.on_end
        if links is not None:
            self.on_end = None
            for waiter, rank in links:
                waiter.wait_over(now, rank, self)


class Collective(Work):
    """A collective also tells when its own producers are done, long before it starts if its stream is busy.

    ``edges`` counts the waits that are edges; the last of them to end makes it ready, at ``ready_at`` (ticks) because
    of ``ready_on``.
    """

    __slots__ = ("edges", "on_ready", "ready_at", "ready_on")

    ready_on: Work | None
    on_ready: list[Link] | None

    def __init__(
        self, index: int, name: str, lane: LaneOfWork, dispatch_ticks: int, end_ticks: int, waits: int = 0
    ) -> None:
        super().__init__(index, name, lane, dispatch_ticks, end_ticks, waits)
        self.edges = waits
        self.ready_at = 0
        self.ready_on = self.on_ready = None

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """One of the waits is over; if it is the last edge, those who wait for that are told."""
        super().wait_over(now, rank, on)
        if rank < ENGINE:
            self.edges -= 1
            if not self.edges:
                self.ready_at, self.ready_on = now, self.bound_on
                if self.on_ready is not None:
                    # At this instant, but in a turn of its own: a chain of such news must not nest calls.
                    Timeout(self.lane.env, 0).callbacks.append(self._ready)

    def tell_ready(self, link: Link) -> None:
        """Whom ``link`` names is told when this work's producers are done."""
        if self.on_ready is None:
            self.on_ready = [link]
        else:
            self.on_ready.append(link)

    def _ready(self, _event: Event) -> None:
        links, self.on_ready = self.on_ready, None
        for waiter, rank in links or ():
            waiter.wait_over(self.ready_at, rank, self)
