"""Who holds an instruction back, for the report of a machine that stands still: read off the works, kept nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from components.core.work import ENGINE, Collective, Link, Work
from simcore.kernel import Waiting


def waits_of(work: Work, program: Sequence[Work], since_ticks: int) -> Iterator[Waiting]:
    """What ``work`` waits for: the moments of other works of ``program`` that have not come, then parts that keep it.

    If all those moments have come and it is still not free, a part on the way keeps it: of those that may, the ones
    with something in flight are named, or else all of them. An edge to a work that is no earlier in program order is
    the program's own fault: a program in order cannot wait in a circle.
    """
    missing = work.waits
    for other in program:
        for moment, links in _told_of(other):
            for waiter, rank in links:
                if waiter.leads_to(work, other):
                    missing -= 1
                    through = f", through {waiter.via.name}" if waiter.via is not None else ""
                    yield Waiting(
                        f"the {moment} of {other.name} on {other.lane.name}{through}",
                        work.name,
                        since_ticks,
                        by_program=rank < ENGINE and other.index >= work.index,
                        owing=(other.lane,),
                    )
    if missing > 0:
        for keeper in [part for part in work.held_by if part.in_flight] or work.held_by or [_NOBODY]:
            yield Waiting(keeper, work.name, since_ticks)


_NOBODY = "something that nobody in the program owes it"


def _told_of(work: Work) -> Iterator[tuple[str, Sequence[Link]]]:
    """Each moment of ``work`` with those who have still to be told of it."""
    yield "start", work.on_start or ()
    yield "next-dispatch", work.on_dispatch or ()
    yield "end", work.on_end or ()
    if isinstance(work, Collective):
        yield "readiness", work.on_ready or ()
