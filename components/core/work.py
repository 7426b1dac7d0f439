"""An instruction on its way through the core: what it still waits for, who waits for it, and what bound its start."""

from __future__ import annotations

from typing import Protocol

from simpy.events import Event

from simcore.kernel import Environment, Named, Timeout

# Order in which waits of one instant are named as the bound; it is the source's order of evaluation. Edges rank by
# their place among the instruction's edges, below all others.
ENGINE = 1 << 40
BARRIER = ENGINE
BANK = 2 << 40
COUPLING = 3 << 40
TRIGGERED = 4 << 40
RING = 5 << 40


class Waiter(Protocol):
    """Whoever can be told that something it waited for has happened."""

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """A wait of this ``rank`` is over at tick ``now``, because of ``on``."""

    def leads_to(self, work: Work) -> bool:
        """Whether telling this one is what ``work`` waits for (asked for a report only)."""


class Lane(Named, Protocol):
    """Where a work runs; told when its last wait is over."""

    def go(self, work: Work) -> None:
        """``work`` waits for nothing any more."""


Link = tuple[Waiter, int]
"""Somebody who waits, and the rank of that wait."""


class Work:
    """One instruction (or transfer) in flight. Times are ticks; a time that is not known yet is -1.

    ``waits`` counts what must still happen before it may start, ``edges`` those among them that are edges to
    producers. ``dispatch_ticks`` after its start its lane can issue again, ``end_ticks`` after it it is done. The
    lists hold who waits for its start, next-dispatch and end, and (collectives) for its producers being done.
    ``bound_*`` is the latest wait that ended, the first in rank of one instant; ``ready_*`` the latest edge.

    Whoever wires a wait counts it in ``waits`` and has the producer tell it.
    """

    index: int
    bound_on: Work | None
    ready_on: Work | None
    on_start: list[Link] | None
    on_dispatch: list[Link] | None
    on_end: list[Link] | None
    on_ready: list[Link] | None

    __slots__ = (
        "bound_at",
        "bound_on",
        "bound_rank",
        "dispatch_at",
        "dispatch_ticks",
        "edges",
        "end_ticks",
        "index",
        "lane",
        "name",
        "on_dispatch",
        "on_end",
        "on_ready",
        "on_start",
        "ready_at",
        "ready_on",
        "start_at",
        "waits",
    )

    def __init__(self, index: int, name: str, lane: Lane, dispatch_ticks: int, end_ticks: int, edges: int) -> None:
        self.index = index
        self.name = name
        self.lane = lane
        self.dispatch_ticks = dispatch_ticks
        self.end_ticks = end_ticks
        self.waits = self.edges = edges
        self.bound_at = self.ready_at = 0
        self.bound_rank = self.start_at = self.dispatch_at = -1
        self.bound_on = self.ready_on = self.on_start = self.on_dispatch = self.on_end = self.on_ready = None

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """One of the waits is over, because of ``on``."""
        if now != self.bound_at:
            self.bound_at, self.bound_rank, self.bound_on = now, rank, on
        elif rank < self.bound_rank or self.bound_rank < 0:
            self.bound_rank, self.bound_on = rank, on
        if rank < ENGINE:
            self.edges -= 1
            if not self.edges:
                self.ready_at = now
                self.ready_on = self.bound_on if self.bound_rank < ENGINE else on
                if self.on_ready is not None:
                    tell(self.on_ready, now, self)
        self.waits -= 1
        if not self.waits:
            self.lane.go(self)

    def tell_start(self, waiter: Waiter, rank: int) -> None:
        """``waiter`` is told when this work starts."""
        self.on_start = _with(self.on_start, (waiter, rank))

    def tell_dispatch(self, waiter: Waiter, rank: int) -> None:
        """``waiter`` is told when this work reaches its next-dispatch."""
        self.on_dispatch = _with(self.on_dispatch, (waiter, rank))

    def tell_end(self, waiter: Waiter, rank: int) -> None:
        """``waiter`` is told when this work ends."""
        self.on_end = _with(self.on_end, (waiter, rank))

    def tell_ready(self, waiter: Waiter, rank: int) -> None:
        """``waiter`` is told when this work's producers are done."""
        self.on_ready = _with(self.on_ready, (waiter, rank))

    def leads_to(self, work: Work) -> bool:
        """Whether this is ``work``."""
        return self is work

    def holds_back(self, work: Work, now: int) -> bool:
        """Whether ``work`` still waits for a moment of this one (for a report: it looks through all links)."""
        ended = self.start_at >= 0 and self.start_at + self.end_ticks <= now
        links = (self.on_start, self.on_dispatch, self.on_end, self.on_ready)
        return not ended and any(waiter.leads_to(work) for some in links if some for waiter, _ in some)


def _with(links: list[Link] | None, link: Link) -> list[Link]:
    if links is None:
        return [link]
    links.append(link)
    return links


class Echo:
    """Passes news on at the same instant, but in a turn of its own: a chain of such news must not nest calls."""

    __slots__ = ("_env", "_on", "_rank", "_waiter")

    def __init__(self, env: Environment, waiter: Waiter) -> None:
        self._env = env
        self._waiter = waiter
        self._rank = 0
        self._on: Work | None = None

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """Schedules the news."""
        self._rank, self._on = rank, on
        Timeout(self._env, 0).callbacks.append(self._pass_on)

    def leads_to(self, work: Work) -> bool:
        """Whether the news is for ``work``."""
        return self._waiter.leads_to(work)

    def _pass_on(self, _event: Event) -> None:
        assert self._on is not None
        self._waiter.wait_over(self._env.now, self._rank, self._on)


def tell(links: list[Link], now: int, on: Work) -> None:
    """Everybody in ``links`` has one wait less, because of ``on``."""
    for waiter, rank in links:
        waiter.wait_over(now, rank, on)
