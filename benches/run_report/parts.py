"""What the parts of a core did during a block: how often asked, how long taken, how long waited for.

Everything is recomputed from the machine's schedule, so it can be held against what the parts counted themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benches.run_report.execute import MachineBlock
from simcore.explain.life import Lives, lives_of
from simcore.explain.relations import Relations
from simcore.perfsim.walk import ALL_BANKS
from simcore.program.columns import Array
from simcore.program.engines import Lane
from simcore.program.lanes import rings_of
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause


@dataclass(frozen=True, slots=True)
class PartUse:
    """One part's account, in the machine's ticks.

    ``requests``: instructions that used it. ``busy``: how long it was taken: an engine's issue port (from an
    instruction's start to its next-dispatch), a ring's slots (from a trigger's start to its transfer's next-dispatch,
    summed over the slots), a PSUM bank (from a start to a next-dispatch). ``wait``: how long instructions waited for
    it, summed over them; see :mod:`simcore.explain.life`. ``capacity``: how much of it there is, 1 unless it has slots.
    ``moved_bytes``: of parts that move any.
    """

    requests: int
    busy: int
    wait: int
    capacity: int = 1
    moved_bytes: int | None = None

    def utilisation(self, span: int) -> float:
        """Share of ``span`` ticks for which the part was taken."""
        return round(self.busy / (self.capacity * span), 4) if span else 0.0

    def __add__(self, other: PartUse) -> PartUse:
        """The same part over two blocks."""
        moved = [use.moved_bytes for use in (self, other) if use.moved_bytes is not None]
        requests, busy, wait = self.requests + other.requests, self.busy + other.busy, self.wait + other.wait
        return PartUse(requests, busy, wait, self.capacity, sum(moved) if moved else None)


def part_uses(block: MachineBlock, relations: Relations) -> dict[str, PartUse]:
    """The account of every part that the block used, by its name within the core: engines, rings, PSUM banks."""
    waits = _Waits(lives_of(block.columns, block.schedule, relations))
    return {**_lanes(block, waits), **_rings(block, waits), **_banks(block, waits)}


class _Waits:
    """All pieces of waiting of a block."""

    def __init__(self, lives: Lives) -> None:
        self.event = np.repeat(np.arange(len(lives)), np.diff(lives.first))
        self.cause, self.on, self.length = lives.wait_cause, lives.wait_on, lives.wait_length

    def total(self, chosen: Array) -> int:
        """Ticks of the chosen pieces."""
        return _total(self.length[chosen])


def _lanes(block: MachineBlock, waits: _Waits) -> dict[str, PartUse]:
    s, uses = block.schedule, {}
    own = (waits.cause == Cause.engine) | (waits.cause == Cause.barrier)
    for lane in np.unique(s.lane).tolist():
        on = s.lane == lane
        uses[Lane(lane).name] = PartUse(
            requests=int(np.count_nonzero(on)),
            busy=_covered(s.start[on], s.next_dispatch[on]),
            wait=waits.total(own & on[waits.event]),
        )
    return uses


def _rings(block: MachineBlock, waits: _Waits) -> dict[str, PartUse]:
    s, uses = block.schedule, {}
    triggers = np.flatnonzero(block.columns.opcode == Opcode.DMATrigger)
    ring = rings_of(block.columns, triggers)
    for number, depth in sorted(block.core.ring_depths.items()):
        own = triggers[ring == number]
        if len(own):
            uses[f"ring{number}"] = PartUse(
                requests=len(own),
                busy=_total(s.next_dispatch[own + 1] - s.start[own]),
                wait=waits.total((waits.cause == Cause.ring) & np.isin(waits.event, own)),
                capacity=depth,
            )
    return uses


def _banks(block: MachineBlock, waits: _Waits) -> dict[str, PartUse]:
    s, c, uses = block.schedule, block.columns, {}
    touched = np.where(block.costly, c.psum_reads | c.psum_writes, 0)
    wanted = np.where(c.psum_writes == 0, ALL_BANKS, c.psum_writes)  # a writer of an unknown bank waits for all
    unsettled = waits.cause == Cause.psum_bank
    for bank in range(block.core.psum_banks):
        holders = np.flatnonzero(touched >> bank & 1)
        if len(holders):
            pieces = np.flatnonzero(unsettled & ((wanted[waits.event] >> bank & 1) != 0))
            before = np.searchsorted(holders, waits.event[pieces]) - 1
            # Of several banks that one instruction hands over at once, the lowest is the one that is named.
            pieces = pieces[(before >= 0) & (holders[before] == waits.on[pieces])]
            unsettled[pieces] = False
            uses[f"psum{bank}"] = PartUse(
                requests=len(holders),
                busy=_covered(s.start[holders], s.next_dispatch[holders]),
                wait=waits.total(pieces),
            )
    return uses


def _total(ticks: Array) -> int:
    """The sum, which need not fit into 64 bits: many may wait at once for as long as a block lasts."""
    return sum(ticks.tolist())


def _covered(begin: Array, end: Array) -> int:
    """Ticks that lie in at least one of the intervals."""
    order = np.argsort(begin, kind="stable")
    begin, reach = begin[order], np.maximum.accumulate(end[order])
    before = np.concatenate((begin[:1], reach[:-1]))
    return int(np.maximum(reach - np.maximum(begin, before), 0).sum())
