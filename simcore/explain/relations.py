"""The wait-for relations of a run: who may start only when a moment of whom has come, and why.

They follow from the program, the lanes, which events cost anything, and the run's rules, not from its times: an event
starts at the latest of its relations' moments, or at 0. Slack and lives are computed from them, for either model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from simcore.explain.rules import Rules
from simcore.program.columns import Array, Columns, Flag
from simcore.program.edges import EdgeKind
from simcore.program.engines import Lane
from simcore.program.lanes import rings_of
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause, Schedule


class Moment(IntEnum):
    """What of the earlier event is waited for. ``ready``: its own producers' being done (collectives)."""

    start = 0
    next_dispatch = 1
    end = 2
    ready = 3


@dataclass(frozen=True, slots=True)
class Relation:
    """``later`` starts no earlier than ``moment`` of ``earlier``, plus ``latency`` ticks. Both are event numbers."""

    earlier: int
    later: int
    moment: Moment
    cause: Cause
    latency: int


@dataclass(frozen=True, slots=True)
class Relations:
    """k relations of n events, by later event, within one in the order in which a tie is named as the bound.

    ``first``: int64[n + 1], where each event's relations begin. ``earlier``, ``later``: int32[k]; ``moment``,
    ``cause``: uint8[k]; ``latency``: int64[k], ticks. ``is_edge``: bool[k], whether the relation is an edge of the
    program; the last of a collective's edges is its readiness.
    """

    first: Array
    earlier: Array
    later: Array
    moment: Array
    cause: Array
    latency: Array
    is_edge: Array

    def __len__(self) -> int:
        return len(self.later)

    def __iter__(self) -> Iterator[Relation]:
        columns = (self.earlier, self.later, self.moment, self.cause, self.latency)
        for earlier, later, moment, cause, latency in zip(*(c.tolist() for c in columns), strict=True):
            yield Relation(earlier, later, Moment(moment), Cause(cause), latency)

    def times(self, schedule: Schedule) -> Array:
        """int64[k]: when each relation lets its later event go, in ``schedule``."""
        of_moment = np.stack((schedule.start, schedule.next_dispatch, schedule.end, schedule.ready_at))
        times: Array = of_moment[self.moment, self.earlier] + self.latency
        return times


def relations_of(columns: Columns, schedule: Schedule, rules: Rules) -> Relations:
    """The relations of a block; of ``schedule`` only the lanes count, and which events have a duration above 0."""
    found = _Families(columns, schedule, rules)
    # In the order of the walk: of several waits that end at once, the first is the bound.
    found.edges()
    found.engine_order()
    found.barriers()
    found.psum_banks()
    found.coupling()
    found.transfers()
    found.rings()
    return found.sorted()


class _Families:
    """Relations of a block, one kind after the other; each kind is ordered by its later event."""

    def __init__(self, columns: Columns, schedule: Schedule, rules: Rules) -> None:
        self.columns = columns
        self.lane = schedule.lane
        self.costs = schedule.duration > 0
        self.rules = rules
        unknown = (columns.flags & (Flag.PSUM_WRITER | Flag.WRITES_UNKNOWN_BANK)) != 0
        self.writes_psum = (rules.psum_banks > 0) & (unknown | (columns.psum_writes != 0))
        self._parts: list[tuple[Array, Array, Array, Array, Array, Array]] = []

    def add(self, earlier: Array, later: Array, moment: Array | Moment, cause: Cause, *, is_edge: bool = False) -> None:
        """Adds one kind; relations without an earlier event (-1) are left out."""
        there = np.flatnonzero(earlier >= 0)
        k = len(there)
        moments = np.broadcast_to(np.asarray(moment, dtype=np.uint8), len(earlier))[there]
        earlier, later = earlier[there].astype(np.int32), later[there].astype(np.int32)
        latency = np.zeros(k, dtype=np.int64)
        if is_edge and self.rules.edge_latency:
            latency[self.lane[earlier] != self.lane[later]] = self.rules.edge_latency
        self._parts.append((earlier, later, moments, np.full(k, cause, np.uint8), latency, np.full(k, is_edge)))

    def sorted(self) -> Relations:
        """All relations so far by later event; kinds keep their order."""
        earlier, later, moment, cause, latency, is_edge = (np.concatenate(c) for c in zip(*self._parts, strict=True))
        order = np.argsort(later, kind="stable")
        n = len(self.columns)
        first = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(np.bincount(later, minlength=n), out=first[1:])
        return Relations(first, *(c[order] for c in (earlier, later, moment, cause, latency, is_edge)))

    def edges(self) -> None:
        """Edges that count: those within a region, and Anti ones only if the run includes them."""
        c = self.columns
        n = len(c)
        consumer = np.repeat(np.arange(n), c.dep_count)
        producer, kind = c.dep_on, c.dep_kind
        keep = c.region[consumer] == c.region[producer]
        if not self.rules.include_anti_deps:
            keep &= kind != EdgeKind.Anti
        consumer, producer, ordered = consumer[keep], producer[keep], kind[keep] == EdgeKind.Ordered
        triggered = c.opcode[producer] == Opcode.DMATrigger
        moment = np.where(ordered, Moment.next_dispatch, np.where(triggered, Moment.start, Moment.end))
        if self.rules.early_ordered:
            collective = c.opcode == Opcode.CollectiveCompute
            early = ordered & collective[producer] & (collective | (self.lane == Lane.Pool))[consumer]
            moment[early] = Moment.ready
            producer = _without_ready_from_the_start(consumer, producer, early, n)
        self.add(producer, consumer, moment, Cause.dependency, is_edge=True)

    def engine_order(self) -> None:
        """An event follows the one before it on its lane; barriers do not queue behind each other."""
        if self.rules.engine_order:
            before = np.full(len(self.lane), -1)
            for lane in np.unique(self.lane[self.lane != Lane.ALL]).tolist():
                own = np.flatnonzero(self.lane == lane)
                before[own[1:]] = own[:-1]
            self._add_last(before, np.flatnonzero(before >= 0), Moment.next_dispatch, Cause.engine)

    def barriers(self) -> None:
        """A barrier follows the last event on each of its lanes."""
        barriers = np.flatnonzero(self.lane == Lane.ALL)
        if len(barriers):
            for lane in self.rules.barrier_lanes:
                self._add_last(_last_before(self.lane == lane), barriers, Moment.next_dispatch, Cause.barrier)

    def psum_banks(self) -> None:
        """A writer follows the last event that touched each of its banks (all of them if it names none) at a cost."""
        writers = np.flatnonzero(self.writes_psum)
        written = self.columns.psum_writes
        touched = np.where(self.costs, self.columns.psum_reads | written, 0)
        waits = np.where(written[writers] == 0, -1, written[writers].astype(np.int64))
        for bank in range(self.rules.psum_banks):
            waiting = writers[(waits >> bank & 1) != 0]
            if len(waiting):
                self._add_last(_last_before((touched >> bank & 1) != 0), waiting, Moment.next_dispatch, Cause.psum_bank)

    def coupling(self) -> None:
        """Pool and DVE follow each other's last event; Activation the end of the last PSUM write of each."""
        if not self.rules.coupled:
            return
        for lane, other in ((Lane.Pool, Lane.DVE), (Lane.DVE, Lane.Pool)):
            own = np.flatnonzero(self.lane == lane)
            self._add_last(_last_before(self.lane == other), own, Moment.next_dispatch, Cause.band_coupling)
        activations = np.flatnonzero(self.lane == Lane.Activation)
        for other in (Lane.DVE, Lane.Pool):
            writer = _last_before((self.lane == other) & self.writes_psum & self.costs)
            self._add_last(writer, activations, Moment.end, Cause.band_coupling)

    def transfers(self) -> None:
        """A transfer follows its trigger, the event before it."""
        transfers = np.flatnonzero(self.columns.flags & Flag.TRANSFER)
        self.add(transfers - 1, transfers, Moment.start, Cause.dependency)

    def rings(self) -> None:
        """The k-th trigger on a ring of depth d follows the (k-d)-th transfer."""
        triggers = np.flatnonzero(self.columns.opcode == Opcode.DMATrigger)
        ring = rings_of(self.columns, triggers)
        oldest = np.full(len(self.lane), -1)
        for number, depth in self.rules.ring_depths.items():
            own = triggers[ring == number]
            oldest[own[depth:]] = own[: max(len(own) - depth, 0)] + 1
        self._add_last(oldest, triggers, Moment.next_dispatch, Cause.ring)

    def _add_last(self, last: Array, later: Array, moment: Moment, cause: Cause) -> None:
        self.add(last[later], later, moment, cause)


def _last_before(mask: Array) -> Array:
    """int64[n]: the last event before each for which ``mask`` holds, -1 if there is none."""
    seen = np.maximum.accumulate(np.where(mask, np.arange(len(mask)), -1))
    return np.concatenate((np.array([-1]), seen[:-1])) if len(mask) else seen


def _without_ready_from_the_start(consumer: Array, producer: Array, early: Array, n: int) -> Array:
    """``producer`` with -1 for early edges whose producer waits for nobody and is ready from the start."""
    left = np.bincount(consumer, minlength=n)
    kept = producer.copy()
    for k in np.flatnonzero(early).tolist():
        if not left[producer[k]]:
            kept[k] = -1
            left[consumer[k]] -= 1
    return kept
