"""Wiring a block into a core: every instruction becomes a work that waits for the moments of others.

Program order decides who waits for whom (the last toucher of a bank, the last instruction on a coupled lane, the ring's
oldest transfer); when those moments come is up to the parts. Nothing here computes a time of another instruction.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from components.core.edge_points import DISPATCH, END, READY, START, EdgePoints, edge_points
from components.core.work import BARRIER, COUPLING, TRIGGERED, Echo, Waiter, Work
from simcore.errors import InputError, Problem
from simcore.program.columns import Array, Columns, Flag
from simcore.program.engines import Lane
from simcore.program.lanes import lanes_of, rings_of
from simcore.program.opcodes import Opcode

if TYPE_CHECKING:
    from components.core.neuron_core import NeuronCore
    from components.core.psum_bank import PsumBank

_UNKNOWN_BANK = int(Flag.PSUM_WRITER | Flag.WRITES_UNKNOWN_BANK)
_TRANSFER = int(Flag.TRANSFER)
_POOL, _DVE, _ACTIVATION, _ALL = int(Lane.Pool), int(Lane.DVE), int(Lane.Activation), int(Lane.ALL)
_FIRST_STREAM = int(Lane.CCStream0)


class Wiring:
    """Makes the works of one block, in program order."""

    def __init__(self, core: NeuronCore, columns: Columns, *, include_anti_deps: bool, file: str) -> None:
        self.core = core
        self.columns = columns
        self.include_anti_deps = include_anti_deps
        self.file = file
        self.works: list[Work] = []
        self.last_on: list[Work | None] = [None] * len(Lane)
        self.last_psum_writer: list[Work | None] = [None] * len(Lane)

    def works_of(self, cost_ns: Array) -> list[Work]:
        """All works, wired to each other and to the core's parts. ``cost_ns`` is int64[n], before collective shares."""
        lane = lanes_of(self.columns)
        points = edge_points(
            self.columns,
            lane,
            include_anti_deps=self.include_anti_deps,
            early_ordered=self.core.parameters.early_ordered,
        )
        self._make(lane, cost_ns, points)
        self._connect_edges(points)
        self._connect_parts(lane)
        return self.works

    def _make(self, lane: Array, cost_ns: Array, points: EdgePoints) -> None:
        c = self.columns
        parts = [self.core.lane(Lane(number)) for number in range(len(Lane))]
        dma, trigger = int(Lane.DMA), int(Opcode.DMATrigger)
        rows = zip(
            c.name_list(), lane.tolist(), c.opcode.tolist(), self._shared(lane, cost_ns), points.count, strict=True
        )
        for index, (name, number, opcode, cost, edges) in enumerate(rows):
            part = parts[number]
            dispatch, end = part.durations(cost, overlaps=opcode != trigger or number == dma)
            self.works.append(Work(index, name, part, dispatch, end, edges))

    def _connect_edges(self, points: EdgePoints) -> None:
        works, semaphores = self.works, self.core.semaphores
        producers, kinds, places = iter(points.producer), iter(points.point), iter(points.place)
        for work in works:
            for _ in range(work.edges):
                producer, point, place = works[next(producers)], next(kinds), next(places)
                told: Waiter = work
                if semaphores.latency_ticks and producer.lane is not work.lane:
                    told = semaphores.towards(work)
                if point == END:
                    if producer.on_end is None:
                        producer.on_end = [(told, place)]
                    else:
                        producer.on_end.append((told, place))
                elif point == DISPATCH:
                    producer.tell_dispatch(told, place)
                elif point == START:
                    producer.tell_start(told, place)
                elif point == READY:
                    self._connect_early(work, producer, told, place)

    def _connect_early(self, work: Work, producer: Work, told: Waiter, place: int) -> None:
        """An edge to a collective's readiness; one that waits for nothing is ready from the start."""
        if producer.edges:
            producer.tell_ready(Echo(self.core.env, told), place)
        else:
            work.edges -= 1
            work.waits -= 1

    def _connect_parts(self, lane: Array) -> None:
        """The waits that are no edges: triggers, rings, barriers, banks, coupled lanes."""
        c, core = self.columns, self.core
        rings = self._rings()
        coupled, last_on = core.parameters.coupled, self.last_on
        banks_of = cache(self._banks_of)
        rows = zip(
            self.works, lane.tolist(), c.flags.tolist(), c.psum_reads.tolist(), c.psum_writes.tolist(), strict=True
        )
        previous: Work | None = None
        for work, number, flags, reads, writes in rows:
            if number == _ALL:
                self._connect_barrier(work)
            is_writer = writes or flags & _UNKNOWN_BANK
            if is_writer:
                for bank in banks_of(writes or -1):
                    bank.hold_back(work)
            if (reads or writes) and work.end_ticks:
                for bank in banks_of(reads | writes):
                    bank.enrol(work)
            if coupled:
                self._couple(work, number)
                if is_writer and work.end_ticks:
                    self.last_psum_writer[number] = work
            if flags & _TRANSFER:
                assert previous is not None
                work.waits += 1
                previous.tell_start(work, TRIGGERED)
                if previous.index in rings:
                    core.rings[rings[previous.index]].enrol(previous, work)
            last_on[number] = previous = work

    def _banks_of(self, mask: int) -> list[PsumBank]:
        return [bank for bank in self.core.banks if mask >> bank.parameters.number & 1]

    def _connect_barrier(self, work: Work) -> None:
        for rank, other in enumerate(self.core.parameters.barrier_lanes):
            last = self.last_on[other]
            if last is not None:
                work.waits += 1
                last.tell_dispatch(work, BARRIER + rank)

    def _couple(self, work: Work, number: int) -> None:
        if number in (_POOL, _DVE):
            other = self.last_on[_DVE if number == _POOL else _POOL]
            if other is not None:
                work.waits += 1
                other.tell_dispatch(work, COUPLING)
        elif number == _ACTIVATION:
            for rank, writer_lane in enumerate((_DVE, _POOL)):
                writer = self.last_psum_writer[writer_lane]
                if writer is not None:
                    work.waits += 1
                    writer.tell_end(work, COUPLING + rank)

    def _rings(self) -> dict[int, int]:
        """Ring of each trigger whose ring can fill."""
        triggers = (self.columns.opcode == Opcode.DMATrigger).nonzero()[0]
        rings = rings_of(self.columns, triggers).tolist()
        return {t: ring for t, ring in zip(triggers.tolist(), rings, strict=True) if ring in self.core.rings}

    def _shared(self, lane: Array, cost_ns: Array) -> list[int]:
        """Costs in ns, those of collectives for their stream's share of the bandwidth (whole ns)."""
        costs: list[int] = cost_ns.tolist()
        shares = self.core.parameters.collective_shares
        collective = (self.columns.opcode == Opcode.CollectiveCompute) & (lane >= _FIRST_STREAM)
        for index in collective.nonzero()[0].tolist():
            stream = int(lane[index]) - _FIRST_STREAM
            if stream >= len(shares):
                allowed = f"allowed: streams 0 to {len(shares) - 1}" if shares else "no stream has any"
                message = f"collective stream {stream} has no bandwidth on this core ({allowed})"
                name = self.columns.name_list()[index]
                raise InputError([Problem(message, self.file, where=f"instruction {name}")])
            numerator, denominator = shares[stream]
            costs[index] = costs[index] * denominator // numerator
        return costs
