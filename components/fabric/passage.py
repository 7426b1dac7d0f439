"""Where a transfer spent its time: what the fabric recorded of it, as pieces that sum to it exactly (ADR-0063).

A transfer is a chain of stages: the end point that it leaves, its links, the end point that it comes to. Two chains
lead through it: the first flit's way, and the way to the last byte, which follows the first flit to the *pivot*, the
stage that spreads the flits out most, stays there until the last flit is through, and follows that one to the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components.fabric.hop import Access, RowAccess
from simcore.errors import ModelBug
from simcore.explain.why import OVERHEAD, Piece, Why
from simcore.schedule import Cause

if TYPE_CHECKING:
    from components.fabric.flow import Flow
    from components.fabric.hop import EndPoint, Ticks
    from components.fabric.leg import Leg
    from components.fabric.link import LinkBase


class WatchedAccess:
    """An access that keeps when its first flit was done, and its last one.

    ``why`` names the time that is spent there, ``service_ticks`` is how much of it the transfer takes alone.
    """

    __slots__ = ("access", "first_done", "last_done", "service_ticks", "why")

    def __init__(self, access: Access, why: Why, service_ticks: int) -> None:
        self.access = access
        self.why = why
        self.service_ticks = service_ticks
        # A transfer that is served ahead of time may be taken back and served again: what comes last counts.
        self.first_done = self.last_done = 0

    @property
    def end_point(self) -> EndPoint:
        """That of the access."""
        return self.access.end_point

    def serve(self, flit: int, nbytes: int, at_ticks: int) -> int:
        """What the access says."""
        done = self.access.serve(flit, nbytes, at_ticks)
        if not flit:
            self.first_done = done
        self.last_done = done
        return done


class WatchedRowAccess(WatchedAccess):
    """The same of an access that serves rows."""

    __slots__ = ()

    access: RowAccess

    def serve_row(self, first_flit: int, nbytes: int, at_ticks: Ticks) -> Ticks:
        """What the access says."""
        done = self.access.serve_row(first_flit, nbytes, at_ticks)
        if len(done):
            if not first_flit:
                self.first_done = int(done[0])
            self.last_done = int(np.max(done))
        return done


def watched(access: Access, why: Why, service_ticks: int) -> WatchedAccess:
    """``access``, watched."""
    kind = WatchedRowAccess if isinstance(access, RowAccess) else WatchedAccess
    return kind(access, why, service_ticks)


@dataclass(frozen=True, slots=True)
class Passage:
    """The two chains of one transfer, in ticks: ``first`` sums to the time up to the arrival of the first flit, and
    ``last`` to that up to the end. ``pivot``: the place in ``last`` of the stay at the pivot. ``waits``: by how much
    the stays on the way to the end were longer than the transfer takes alone."""

    first: list[Piece]
    last: list[Piece]
    pivot: int
    waits: list[Piece]


def passage_of(flow: Flow, since: int, until: int) -> Passage:
    """``flow``, which was submitted at tick ``since`` and ended at tick ``until``."""
    first: list[Piece] = []
    last: list[Piece] = []
    waits: list[Piece] = []
    pivot, longest, begin = 0, -1, since
    for number, leg in enumerate(flow.legs):
        ends = number == len(flow.legs) - 1
        stages = _stages(leg, begin, flow.source if not number else None, flow.sink if ends else None, until)
        at = _pivot(stages, leg.flits)
        chain: list[Piece] = []
        for k, stage in enumerate(stages):
            came = stage.first_in if k <= at else stages[k - 1].last_out + stages[k - 1].after_ticks
            left = stage.first_out if k < at else stage.last_out
            place = len(last) + len(chain)
            if k == at and left - came > longest:
                longest, pivot = left - came, place
            chain += (*stage.stay(came, left), *stage.after)
            if left - came > stage.service_ticks:
                waits.append((stage.why, left - came - stage.service_ticks))
        first = [*last, *(piece for stage in stages for piece in (*stage.first_stay(), *stage.after))]
        last += chain
        begin = stages[-1].last_out + stages[-1].after_ticks
    if sum(ticks for _, ticks in last) != until - since:
        raise ModelBug(f"flow {flow.name} took {until - since} ps, but its pieces sum to {sum(t for _, t in last)} ps")
    return Passage(first, last, pivot, waits)


@dataclass(slots=True)
class _Stage:
    """One stage: when the first and the last flit came to it and left it, in ticks; ``after``: what both pay behind it.

    ``service_ticks``: what all flits together are served for; ``held_ticks``: for how long they found no room behind.
    ``least_spread_ticks``: how far apart it puts the flits even if its channels hand the last ones on at one moment.
    """

    why: Why
    first_in: int
    first_out: int
    last_out: int
    service_ticks: int = 0
    held_ticks: int = 0
    after: tuple[Piece, ...] = ()
    least_spread_ticks: int = 0

    @property
    def spread_ticks(self) -> int:
        """How far apart the first and the last flit are behind it."""
        return max(self.last_out - self.first_out, self.least_spread_ticks)

    @property
    def after_ticks(self) -> int:
        return sum(ticks for _, ticks in self.after)

    def first_stay(self) -> list[Piece]:
        """The first flit's."""
        return self.stay(self.first_in, self.first_out)

    def stay(self, since: int, until: int) -> list[Piece]:
        """The time here from ``since`` to ``until``; of what is no service, for want of room as far as that was so."""
        length = until - since
        held = min(self.held_ticks, max(length - self.service_ticks, 0))
        if not held:
            return [(self.why, length)]
        return [(self.why, length - held), (Why(Cause.router_buffer.name, self.why.part), held)]


def _pivot(stages: list[_Stage], flits: int) -> int:
    """The first stage behind which the flits are spread out as much as anywhere, give or take one of them.

    What follows a bottleneck has the bottleneck's spread; what comes before it has less, since it is ahead by what
    waits at the bottleneck. Of a single flit it is the stage where it stayed longest.
    """
    if flits == 1:
        return max(range(len(stages)), key=lambda k: stages[k].last_out - stages[k].first_in)
    spreads = [stage.spread_ticks for stage in stages]
    most = max(spreads)
    return next(k for k, spread in enumerate(spreads) if spread * flits >= most * (flits - 1))


def _stages(leg: Leg, begin: int, source: Access | None, sink: Access | None, until: int) -> list[_Stage]:
    """The stages of ``leg``, which began at tick ``begin``; if it has a sink, that was done at tick ``until``."""
    ticks = leg.time.ticks
    start = leg.tracks[0].link.source
    assert start is not None
    first_in = begin + start.overhead_ticks
    stages = [_Stage(Why(OVERHEAD, start.name), begin, first_in, first_in, start.overhead_ticks)]
    if isinstance(source, WatchedAccess):
        # Flits are fetched in order: the last one no later than its link begins with it.
        begun = ticks(leg.last_ends[0] - leg.last_service(leg.tracks[0]))
        last_out = max(source.first_done, min(source.last_done, begun))
        stages.append(_end_stage(source, leg.flits, first_in, last_out))
        first_in = source.first_done
    for place, track in enumerate(leg.tracks):
        link = track.link
        hop = link.destination
        assert hop is not None
        why = Why(Cause.link.name, link_label(link))
        first_out = ticks(leg.began[place] + leg.service_of(track, 0))
        last_out = ticks(leg.last_ends[place])
        service = ticks(track.per_byte * leg.flow.nbytes)
        held = ticks(leg.held.get(link, 0))
        overhead = ticks(track.latency) - link.latency_ticks
        after = tuple(p for p in ((why, link.latency_ticks), (Why(OVERHEAD, hop.name), overhead)) if p[1])
        stages.append(_Stage(why, first_in, first_out, last_out, service, held, after))
        first_in = first_out + stages[-1].after_ticks
    if isinstance(sink, WatchedAccess):
        stages.append(_end_stage(sink, leg.flits, first_in, until))
    return stages


def _end_stage(access: WatchedAccess, flits: int, first_in: int, last_out: int) -> _Stage:
    """The stage of an end point. One of several channels is done with as many flits at once, so what lies between its
    first and its last one says less than what all of them take it."""
    service = access.service_ticks
    least = service * (flits - 1) // flits
    return _Stage(access.why, first_in, access.first_done, last_out, service, least_spread_ticks=least)


def link_label(link: LinkBase[Any]) -> str:
    """``a>b``."""
    assert link.source is not None and link.destination is not None
    return f"{link.source.name}>{link.destination.name}"
