"""One side of a comparison: a result with its events, whichever model or file it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.errors import InputError, Problem
from simcore.perfsim.estimate import Estimate
from simcore.schedule import Cause, Schedule
from simcore.units import TICKS_PER_NS

LATEST_NS = 2**62 // TICKS_PER_NS
"""The latest end that can be compared, 53 days: differences of two such times still fit into 64 bits."""


@dataclass(frozen=True, slots=True)
class SideBlock:
    """A block of n events. ``schedule`` counts picoseconds, whatever the model did, so that both sides compare.

    ``cause`` and ``on_name`` say per event what its start was bound by, in the result's own words: a machine's ``on``
    may be a part, and then ``schedule.on`` is -1.
    """

    function: str
    block: str
    names: list[str]
    schedule: Schedule
    cause: list[str]
    on_name: list[str | None]


@dataclass(frozen=True, slots=True)
class Side:
    """A result. ``what`` is its schema, or ``estimate`` for a program that was estimated here.

    ``memory`` and ``place`` say what a machine's transfers met and which device of which system it was, if known.
    """

    file: str
    what: str
    program: str
    arch: str
    timing: str
    blocks: tuple[SideBlock, ...]
    memory: str | None = None
    place: str | None = None

    @property
    def makespan(self) -> int:
        """Picoseconds; the blocks run one after another."""
        return sum(block.schedule.makespan for block in self.blocks)


def estimated(estimate: Estimate, file: str) -> Side:
    """An estimate as a side. Raises InputError if it ends later than can be compared."""
    names = [cause.name for cause in Cause]
    blocks = []
    for block in estimate.blocks:
        s = block.schedule
        check_latest(s.makespan, file, f"block {block.function}/{block.block}")
        own = block.columns.name_list()
        blocks.append(
            SideBlock(
                function=block.function,
                block=block.block,
                names=own,
                schedule=in_picoseconds(s),
                cause=[names[cause] for cause in s.cause.tolist()],
                on_name=[own[on] if on >= 0 else None for on in s.on.tolist()],
            )
        )
    prepared = estimate.prepared
    return Side(file, "estimate", prepared.program.name, prepared.arch, prepared.timing, tuple(blocks))


def in_picoseconds(schedule: Schedule) -> Schedule:
    """A schedule of nanoseconds as one of picoseconds."""
    return Schedule(
        lane=schedule.lane,
        start=schedule.start * TICKS_PER_NS,
        duration=schedule.duration * TICKS_PER_NS,
        next_dispatch=schedule.next_dispatch * TICKS_PER_NS,
        cause=schedule.cause,
        on=schedule.on,
        ready_at=schedule.ready_at * TICKS_PER_NS,
        ready_on=np.where(schedule.ready_at > 0, schedule.ready_on, -1),
        ticks_per_ns=TICKS_PER_NS,
    )


def check_latest(end_ns: int, file: str, where: str) -> None:
    """Raises InputError if ``end_ns`` is later than can be compared."""
    if end_ns > LATEST_NS:
        raise InputError([Problem(f"ends at {end_ns} ns (allowed in a comparison: {LATEST_NS} ns)", file, where=where)])
