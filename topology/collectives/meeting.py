"""The collectives of programs under way: ranks come to them one by one, and each learns what made its own part long.

First action of a meeting: none until its first rank comes, which begins the run; a rank goes on when it has nothing
more to send or to receive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from components.core.demand import Stretch, stretch_of_arrivals
from components.core.hauler import TransferEngine
from components.core.work import Work
from components.fabric.flow import Flow
from components.fabric.passage import passage_of
from simcore.explain.why import OVERHEAD, Piece, Why
from simcore.kernel import Story
from simcore.schedule import Cause
from topology.collectives.joining import Joint
from topology.collectives.running import CollectiveRun
from topology.collectives.send import Send
from topology.collectives.ways import Share, Ways
from topology.machine.machine import Machine

PEERS = Why(Cause.collective_peers.name)
"""Time for which a rank had to wait for others to come."""


@dataclass(slots=True, eq=False)
class Hall:
    """What all meetings of a run share. ``engines``: of each rank, as ``ways`` numbers them.

    ``waits``: ticks that sends stayed at links longer than if they had been alone. ``carried``: told of every flow.
    """

    machine: Machine
    ways: Ways
    engines: Sequence[Sequence[TransferEngine]]
    carried: Callable[[Flow], None] | None = None
    waits: Counter[Why] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Taken:
    """One send from its readiness on: pieces of time up to its first arrival, and up to its end, with those ticks.

    ``pivot``: the place in ``last`` of the stay that its stream is held against.
    """

    first: list[Piece]
    first_at: int
    last: list[Piece]
    ended_at: int
    pivot: int


class Meeting:
    """One collective, from its first rank's arrival on."""

    def __init__(self, hall: Hall, joint: Joint) -> None:
        self.hall = hall
        self.joint = joint
        self._run: CollectiveRun | None = None
        self._taken: dict[str, _Taken] = {}
        self._left = joint.plan.ranks

    def begins(self, send: Send, share: Share) -> None:
        """Tells the DMA engine."""
        self.hall.engines[send.src][share.engine].begin(self.hall.machine.env.now, share.nbytes)

    def ends(self, send: Send, share: Share, flow: Flow, start_ticks: int) -> None:
        """Keeps what the share's time was spent on, if it is the first to come or the last."""
        hall, now = self.hall, self.hall.machine.env.now
        engine = hall.engines[send.src][share.engine]
        engine.end(now)
        assert flow.submitted_ticks is not None
        passage = passage_of(flow, flow.submitted_ticks, now)
        for why, ticks in passage.waits:
            hall.waits[why] += ticks
        if hall.carried is not None:
            hall.carried(flow)
        flow.legs = ()
        start: list[Piece] = [(Why(OVERHEAD, engine.name), start_ticks)]
        first = [*start, *passage.first]
        first_at = flow.submitted_ticks + sum(ticks for _, ticks in passage.first)
        before = self._taken.get(send.name)
        if before is not None and before.first_at <= first_at:
            first, first_at = before.first, before.first_at
        self._taken[send.name] = _Taken(first, first_at, [*start, *passage.last], now, 1 + passage.pivot)

    def attend(self, rank: int, work: Work, fixed_ticks: int) -> Story:
        """``rank`` comes with ``work``, and ``fixed_ticks`` of its cost pay for the start of its first sends.

        Gives the pieces of time of its own part, and their pivot, as ``stretch_of_arrivals`` takes them.
        """
        env = self.hall.machine.env
        if self._run is None:
            hall = self.hall
            self._run = CollectiveRun(
                hall.machine, self.joint.plan, hall.ways.nodes, name=self.joint.name, ways=hall.ways, watch=self
            )
        run = self._run
        run.arrive(rank, fixed_ticks)
        others = f"the other ranks of collective {self.joint.name}"
        yield env.me.waiting_on(run.rank_done[rank], others, work.name, by_program=True)
        found = self._pieces(run, rank, work.start_at)
        self._left -= 1
        if not self._left:
            self._run, self._taken = None, {}
        return found

    def _pieces(self, run: CollectiveRun, rank: int, since: int) -> tuple[list[Piece], list[Piece], int]:
        """Up to the first arrival of what ``rank`` sends or receives, and up to the last one's end, with its pivot."""
        own = [send.name for send in run.sends_of(rank)]
        if not own:
            return [], [], 0
        first = min(own, key=lambda name: self._taken[name].first_at)
        last = max(own, key=lambda name: self._taken[name].ended_at)
        to_first, _ = self._back(run, first, (self._taken[first].first, 0), since)
        to_last, pivot = self._back(run, last, (self._taken[last].last, self._taken[last].pivot), since)
        return to_first, to_last, pivot

    def _back(self, run: CollectiveRun, name: str, own: tuple[list[Piece], int], since: int) -> tuple[list[Piece], int]:
        """The pieces from tick ``since`` to the end of ``own`` (pieces and pivot of send ``name``), and their pivot.

        They lead back from each send to what it waited for last. Of their pivots the longest stay is that of all.
        """
        parts = [own]
        while (before := run.times[name].bound_by) is not None and run.times[name].ready > since:
            name = before
            parts.append((self._taken[name].last, self._taken[name].pivot))
        ready = run.times[name].ready
        # The last that everything waited for is an arrival: nobody but a later rank keeps this one from its first send.
        found: list[Piece] = [(PEERS, max(ready - since, 0))]
        earlier = max(since - ready, 0)
        pivot, longest = 0, -1
        for pieces, at in reversed(parts):
            begin = len(found)
            for why, ticks in pieces:
                cut = min(ticks, earlier)
                earlier -= cut
                found.append((why, ticks - cut))
            if len(found) > begin + at and found[begin + at][1] > longest:
                pivot, longest = begin + at, found[begin + at][1]
        return found, pivot


@dataclass(slots=True)
class Attendance:
    """The demand of a CollectiveCompute: that rank ``rank`` takes part in ``meeting``."""

    meeting: Meeting
    rank: int
    fixed_ticks: int
    stretch: Stretch | None = None

    def meet(self, work: Work) -> Story:
        """Comes to the meeting; goes on when its own part of it is over."""
        first, last, pivot = yield from self.meeting.attend(self.rank, work, self.fixed_ticks)
        now = self.meeting.hall.machine.env.now
        assert work.start_at + sum(ticks for _, ticks in last) == now
        self.stretch = stretch_of_arrivals(work, self.fixed_ticks, first, last, pivot, now)
