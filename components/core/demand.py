"""What an instruction demands of memory, and how much longer it lasts for it (ADR-0062).

An instruction costs ``fixed + rest``: what the oracle says it takes before and beside its stream, and the stream. Its
operands come first at ``first`` and last at ``last``, counted from its start. It then lasts
``fixed + max(last, first + rest)``, which is :func:`simcore.timing.streaming.last_output`: with operands that are there
at once it lasts what it costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from components.core.work import Work
from components.memory.sbuf import Sbuf
from simcore.explain.why import Piece, Why, deducted, total_of
from simcore.kernel import Story
from simcore.schedule import Cause
from simcore.timing.streaming import last_output

READ, WRITE = Why(Cause.tcm_read.name), Why(Cause.tcm_write.name)
"""Time at the channels of the core's own SBUF or TCM."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Why an instruction ended, and reached its next-dispatch, later after its start than by its cost alone; ticks."""

    end: Mapping[Why, int]
    next_dispatch: Mapping[Why, int]


class Demand(Protocol):
    """One instruction's demand; made for it, met once. ``stretch``: what it came to, None if that was nothing."""

    @property
    def stretch(self) -> Stretch | None: ...

    def meet(self, work: Work) -> Story:
        """``work`` has started: goes on when it is known how long it lasts, with that in ``work``."""


@dataclass(slots=True)
class Streams:
    """An engine's operands in SBUF: inputs by its read channel, outputs by its write channel, sizes in bytes.

    ``fixed_ticks``: as above. All inputs are one stream; outputs follow from the first result on, at
    ``fixed + first``, and the instruction ends no sooner than the last one is written.
    """

    sbuf: Sbuf
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    fixed_ticks: int
    stretch: Stretch | None = None

    def meet(self, work: Work) -> Story:
        """Books the channels; that says all."""
        start, cost = work.start_at, work.end_ticks
        rest = cost - self.fixed_ticks
        first, last = self.sbuf.stream("read", self.inputs, start, work.name)
        by_reads = last_output(first, last, self.fixed_ticks, rest) - start
        _, written = self.sbuf.stream("write", self.outputs, first + self.fixed_ticks, work.name)
        ticks = max(by_reads, written - start)
        if ticks > cost:
            pieces = [(READ, by_reads - cost), (WRITE, ticks - by_reads)]
            self.stretch = Stretch(total := total_of(pieces), total)
            work.dispatch_ticks += ticks - cost
            work.end_ticks = ticks
        yield from ()


def stretch_of_arrivals(
    work: Work, fixed: int, first: list[Piece], last: list[Piece], pivot: int, now: int
) -> Stretch | None:
    """Has ``work`` last as long as the pieces of time up to its ``first`` and ``last`` arrivals make it.

    All has arrived ``now``. Its next-dispatch is as long before its end as by its cost, but not before that was known.
    What the cost pays already is taken off the pieces, off number ``pivot`` first.
    """
    cost, dispatch = work.end_ticks, work.dispatch_ticks
    rest = cost - fixed
    first_at, last_at = (sum(ticks for _, ticks in pieces) for pieces in (first, last))
    ticks = last_output(first_at, last_at, fixed, rest)
    work.end_ticks = ticks
    work.dispatch_ticks = max(ticks - (cost - dispatch), now - work.start_at)
    if ticks == cost and work.dispatch_ticks == dispatch:
        return None
    by_first = ticks == fixed + first_at + rest
    end = total_of(first) if by_first else total_of(deducted(last, rest, pivot))
    if work.dispatch_ticks == ticks - (cost - dispatch):
        return Stretch(end, end)
    return Stretch(end, total_of(deducted(last, dispatch, pivot)))
