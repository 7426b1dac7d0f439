"""Who holds instructions back, for the report of a machine that stands still: read off the works, kept nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from components.core.work import ENGINE, Collective, Link, Work
from simcore.kernel import Waiting

_NOBODY = "something that nobody in the program owes it"


def waits_of(blocked: Mapping[Work, int], program: Sequence[Work]) -> Iterator[Waiting]:
    """What the ``blocked`` works wait for, each since its tick: moments of other works of ``program``, or parts.

    If all moments have come for which a work waits and it is still not free, a part on the way keeps it: of those that
    may, the ones with something in flight are named, or else all of them. An edge to a work that is no earlier in
    program order is the program's own fault: a program in order cannot wait in a circle.
    """
    missing = {work: work.waits for work in blocked}
    for other in program:
        for moment, links in _untold_of(other):
            for waiter, rank in links:
                for work in waiter.followers(other):
                    if work in missing:
                        missing[work] -= 1
                        through = f", through {waiter.via.name}" if waiter.via is not None else ""
                        yield Waiting(
                            f"the {moment} of {other.name} on {other.lane.name}{through}",
                            work.name,
                            blocked[work],
                            by_program=rank < ENGINE and other.index >= work.index,
                            owing=(other.lane,),
                        )
    for work, left in missing.items():
        if left > 0:
            for keeper in [part for part in work.held_by if part.in_flight] or work.held_by or [_NOBODY]:
                yield Waiting(keeper, work.name, blocked[work])


def _untold_of(work: Work) -> Iterator[tuple[str, Sequence[Link]]]:
    """Each moment of ``work`` with those who have still to be told of it."""
    yield "start", work.on_start or ()
    yield "next-dispatch", work.on_dispatch or ()
    yield "end", work.on_end or ()
    if isinstance(work, Collective):
        yield "readiness", work.on_ready or ()
