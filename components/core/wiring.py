"""Wiring a block into a core: every instruction becomes a work that waits for the moments of others.

Program order decides who waits for whom (the last toucher of a bank, the last instruction on a coupled lane, the ring's
oldest transfer); when those moments come is up to the parts. Nothing here computes a time of another instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from components.core.edge_points import EdgePoints, Point, edge_points
from components.core.work import BARRIER, COUPLING, TRIGGERED, Collective, Waiter, Work
from simcore.errors import InputError, Problem
from simcore.program.columns import Array, Columns, Flag
from simcore.program.engines import Lane
from simcore.program.lanes import lanes_of, rings_of
from simcore.program.opcodes import Opcode

if TYPE_CHECKING:
    from components.core.neuron_core import NeuronCore
    from components.core.psum_bank import PsumBank

_UNKNOWN_BANK = Flag.PSUM_WRITER | Flag.WRITES_UNKNOWN_BANK
_END, _DISPATCH, _START = (int(point) for point in (Point.END, Point.DISPATCH, Point.START))


def works_of(
    core: NeuronCore, columns: Columns, cost_ns: Array, *, include_anti_deps: bool = True, file: str = "<program>"
) -> list[Work]:
    """The block's works in program order, wired to each other and to the core's parts.

    ``cost_ns`` is int64[n], before collective shares. Raises InputError for a collective stream without bandwidth and
    for a PSUM bank that the core has not.
    """
    wiring = _Wiring(core, columns, file)
    wiring.check_banks()
    wiring.make(cost_ns, include_anti_deps=include_anti_deps)
    wiring.connect_edges()
    wiring.connect_transfers()
    wiring.connect_barriers()
    wiring.connect_banks()
    if core.parameters.coupled:
        wiring.couple()
    return wiring.works


class _Wiring:
    """One block on its way into one core."""

    works: list[Work]
    points: EdgePoints

    def __init__(self, core: NeuronCore, columns: Columns, file: str) -> None:
        self.core = core
        self.columns = columns
        self.file = file
        self.lane = lanes_of(columns)
        unknown_bank = (columns.flags & _UNKNOWN_BANK) != 0
        self.writes_psum: Array = unknown_bank | (columns.psum_writes != 0)

    def check_banks(self) -> None:
        """Refuses instructions that touch a bank beyond the core's last."""
        touched = self.columns.psum_reads | self.columns.psum_writes
        allowed = f"allowed: banks 0 to {len(self.core.banks) - 1}"
        self._refuse(
            touched > self._all_banks,
            lambda i: f"PSUM bank {int(touched[i]).bit_length() - 1} does not exist on this core ({allowed})",
        )

    def make(self, cost_ns: Array, *, include_anti_deps: bool) -> None:
        """Makes the works: what each costs on its lane, and how many edges it waits for."""
        c, lane, core = self.columns, self.lane, self.core
        self.points = edge_points(
            c, lane, include_anti_deps=include_anti_deps, early_ordered=core.parameters.early_ordered
        )
        cost = self._with_shares(cost_ns)
        may_overlap = (c.opcode != Opcode.DMATrigger) | (lane == Lane.DMA)
        dispatch, end = np.empty_like(cost), np.empty_like(cost)
        parts = {number: core.lane(Lane(number)) for number in np.unique(lane).tolist()}
        for number, part in parts.items():
            own = lane == number
            dispatch[own], end[own] = part.durations(cost[own], may_overlap[own])
        fields = (
            range(len(c)),
            c.name_list(),
            [parts[number] for number in lane.tolist()],
            dispatch.tolist(),
            end.tolist(),
            self.points.count.tolist(),
        )
        self.works = list(map(Work, *fields))
        for i in (c.opcode == Opcode.CollectiveCompute).nonzero()[0].tolist():
            self.works[i] = Collective(*(field[i] for field in fields))
        self.costs: Array = end > 0

    def connect_edges(self) -> None:
        """Each producer tells its consumers of the moment for which their edges wait."""
        works, p = self.works, self.points
        told: list[Waiter] = [works[i] for i in p.consumer.tolist()]
        semaphores = self.core.semaphores
        if semaphores.latency_ticks:
            for edge in (self.lane[p.consumer] != self.lane[p.producer]).nonzero()[0].tolist():
                consumer = works[p.consumer[edge]]
                consumer.held_by = (semaphores,)
                told[edge] = semaphores.towards(consumer)
        edges = zip(told, p.producer.tolist(), p.place.tolist(), p.point.tolist(), strict=True)
        for waiter, producer, place, point in edges:
            if point == _END:
                links = works[producer].on_end
                if links is None:
                    works[producer].on_end = [(waiter, place)]
                else:
                    links.append((waiter, place))
            elif point == _DISPATCH:
                works[producer].tell_dispatch((waiter, place))
            elif point == _START:
                works[producer].tell_start((waiter, place))
            else:
                collective = works[producer]
                assert isinstance(collective, Collective)
                collective.tell_ready((waiter, place))

    def connect_transfers(self) -> None:
        """A transfer waits for its trigger's start; a trigger waits for room in a ring that can fill."""
        works, rings = self.works, self.core.rings
        for i in (self.columns.flags & Flag.TRANSFER).nonzero()[0].tolist():
            works[i].waits += 1
            works[i - 1].tell_start((works[i], TRIGGERED))
        triggers = (self.columns.opcode == Opcode.DMATrigger).nonzero()[0]
        for i, number in zip(triggers.tolist(), rings_of(self.columns, triggers).tolist(), strict=True):
            if number in rings:
                works[i].held_by += (rings[number],)
                rings[number].enrol(works[i], works[i + 1])

    def connect_barriers(self) -> None:
        """A barrier waits for the next-dispatch of the last instruction on each of its lanes."""
        works = self.works
        barriers = (self.lane == Lane.ALL).nonzero()[0]
        if len(barriers):
            for k, number in enumerate(self.core.parameters.barrier_lanes):
                for i, last in _each_with_last(barriers, self.lane == number):
                    works[i].waits += 1
                    works[last].tell_dispatch((works[i], BARRIER + k))

    def connect_banks(self) -> None:
        """A writer waits for its banks, or for all if it does not know its own; what costs something then uses them."""
        c, works, banks_of = self.columns, self.works, cache(self._banks_of)
        uses = np.where(self.costs, c.psum_reads | c.psum_writes, 0)
        waits = np.where(c.psum_writes, c.psum_writes, self.writes_psum * self._all_banks)
        events = (uses | waits).nonzero()[0]
        for i, used, awaited in zip(events.tolist(), uses[events].tolist(), waits[events].tolist(), strict=True):
            work = works[i]
            if awaited:
                banks = banks_of(awaited)
                work.held_by += banks
                for bank in banks:
                    bank.hold_back(work)
            for bank in banks_of(used):
                bank.enrol(work)

    def couple(self) -> None:
        """Pool and DVE share an issue port; Activation waits for the end of the last PSUM write of either."""
        works = self.works
        pool, dve, activation = (self.lane == lane for lane in (Lane.Pool, Lane.DVE, Lane.Activation))
        for own, other in ((pool, dve), (dve, pool)):
            for i, last in _each_with_last(own.nonzero()[0], other):
                works[i].waits += 1
                works[last].tell_dispatch((works[i], COUPLING))
        wrote = self.writes_psum & self.costs
        for k, other in enumerate((dve, pool)):
            for i, last in _each_with_last(activation.nonzero()[0], other & wrote):
                works[i].waits += 1
                works[last].tell_end((works[i], COUPLING + k))

    @property
    def _all_banks(self) -> int:
        return (1 << len(self.core.banks)) - 1

    def _banks_of(self, mask: int) -> tuple[PsumBank, ...]:
        return tuple(bank for bank in self.core.banks if mask >> bank.parameters.number & 1)

    def _with_shares(self, cost_ns: Array) -> Array:
        """int64[n]: what collectives cost on their stream's share of the bandwidth (whole ns, rounded down)."""
        shares = self.core.parameters.collective_shares
        stream = self.lane.astype(np.int64) - Lane.CCStream0
        collective = (self.columns.opcode == Opcode.CollectiveCompute) & (stream >= 0)
        allowed = f"allowed: streams 0 to {len(shares) - 1}" if shares else "collectives are not modelled there"
        self._refuse(
            collective & (stream >= len(shares)),
            lambda i: f"collective stream {stream[i]} has no bandwidth on this core ({allowed})",
        )
        cost: Array = cost_ns.copy()
        for number, (numerator, denominator) in enumerate(shares):
            own = collective & (stream == number)
            cost[own] = cost_ns[own] * denominator // numerator
        return cost

    def _refuse(self, wrong: Array, fault: Callable[[int], str]) -> None:
        """Raises InputError with the ``fault`` of each event that is ``wrong`` (bool[n])."""
        events = wrong.nonzero()[0].tolist()
        if events:
            names = self.columns.name_list()
            raise InputError([Problem(fault(i), self.file, where=f"instruction {names[i]}") for i in events])


def _each_with_last(events: Array, mask: Array) -> Iterator[tuple[int, int]]:
    """(event, the last event before it for which ``mask`` holds), for those of ``events`` that have one."""
    seen = np.maximum.accumulate(np.where(mask, np.arange(len(mask)), -1))
    last = np.where(events > 0, seen[events - 1], -1)
    found = last >= 0
    return zip(events[found].tolist(), last[found].tolist(), strict=True)
