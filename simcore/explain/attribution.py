"""Why a block ends later on real memory than in the ideal model: every tick of every instruction's delay, by cause.

An instruction's *delay* is by how much later one of its moments comes than in the ideal model. It starts when the last
of its waits ends, so it inherits the delay of the moment that it waited for, less what the ideal model had waited
longer for something else (``hidden_before``), and adds its own stretch. Followed back to instructions that wait for
nobody, each delay is a sum of stretches and hidden pieces; nothing is left over (ADR-0063).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simcore.explain.relations import Moment, Relations
from simcore.explain.why import HIDDEN, HIDDEN_AT_END, PARAMETERS, Why
from simcore.program.columns import Array
from simcore.schedule import Cause, Schedule

Split = dict[Why, int]
"""Ticks by why; they sum to a delay."""


@dataclass(frozen=True, slots=True)
class Delay:
    """One instruction's end. ``own``: its stretch. ``inherited`` ticks come from ``moment`` of event ``on`` (-1: none).

    ``start``: what its start adds itself, ``hidden_before`` among it. All sum to ``total``.
    """

    event: int
    total: int
    own: Split
    on: int
    moment: Moment | None
    inherited: int
    start: Split


class Attribution:
    """The delays of one block: ``machine`` on real memory, ``ideal`` without; both in the same ticks.

    ``stretches``: by event, the pieces that its end, and its next-dispatch, are later after its start.
    """

    def __init__(
        self,
        machine: Schedule,
        ideal: Schedule,
        relations: Relations,
        stretches: Mapping[int, tuple[Mapping[Why, int], Mapping[Why, int]]],
    ) -> None:
        self.machine, self.ideal, self.relations = machine, ideal, relations
        self._stretches = stretches
        self._times, self._ideal_times = relations.times(machine), relations.times(ideal)
        n = len(machine)
        self._bound = _first_row(self._times == machine.start[relations.later], relations, n)
        edges = relations.is_edge & (self._times == machine.ready_at[relations.later])
        self._ready_bound = _first_row(edges, relations, n)
        self._at_machine, self._at_ideal = _moments(machine), _moments(ideal)

    def delay(self, event: int) -> Delay:
        """How much later ``event`` ends, and whence."""
        on, moment, start = self._step(event, Moment.start)
        inherited = 0 if moment is None else self._delay_of(on, moment)
        own = self._own(event, Moment.end)
        return Delay(event, self._delay_of(event, Moment.end), own, on, moment, inherited, start)

    def split(self, event: int, moment: Moment = Moment.end) -> Split:
        """The delay of a moment of ``event`` in pieces that are nobody else's, in the order from the latest back."""
        total: Split = {}
        at: Moment | None = moment
        while at is not None:
            if at not in (Moment.start, Moment.ready):
                _add(total, self._own(event, at))
                at = Moment.start
            event, at, pieces = self._step(event, at)
            _add(total, pieces)
        return {why: ticks for why, ticks in total.items() if ticks}

    def splits(self) -> list[Split]:
        """:meth:`split` of every event's end, each computed from its producers'."""
        starts: list[Split] = []
        readies: dict[int, Split] = {}

        def of(event: int, moment: Moment) -> Split:
            if moment == Moment.ready:
                if event not in readies:
                    readies[event] = after(event, moment)
                return readies[event]
            total = dict(starts[event])
            if moment != Moment.start:
                _add(total, self._own(event, moment))
            return total

        def after(event: int, moment: Moment) -> Split:
            on, at, pieces = self._step(event, moment)
            total = {} if at is None else dict(of(on, at))
            _add(total, pieces)
            return total

        found = []
        for event in range(len(self.machine)):
            starts.append(after(event, Moment.start))
            found.append({why: ticks for why, ticks in of(event, Moment.end).items() if ticks})
        return found

    def of_makespan(self) -> Split:
        """By how much the block takes longer: the delay of what ends last, less what hides it in the ideal model."""
        if not len(self.machine):
            return {}
        last = int(self.machine.end.argmax())
        total = self.split(last)
        _add(total, {Why(HIDDEN_AT_END): int(self.ideal.end[last]) - self.ideal.makespan})
        return {why: ticks for why, ticks in total.items() if ticks}

    def _own(self, event: int, moment: Moment) -> Split:
        """What a moment after the start adds to the delay of the start."""
        end, dispatch = self._stretches.get(event, ({}, {}))
        own = dict(end if moment == Moment.end else dispatch)
        rest = self._delay_of(event, moment) - self._delay_of(event, Moment.start) - sum(own.values())
        _add(own, {Why(PARAMETERS): rest})
        return {why: ticks for why, ticks in own.items() if ticks}

    def _step(self, event: int, moment: Moment) -> tuple[int, Moment | None, Split]:
        """Whom the start (or readiness) of ``event`` waited for, which moment of it, and what that wait itself adds."""
        row = int((self._bound if moment == Moment.start else self._ready_bound)[event])
        if row < 0:
            return -1, None, {Why(PARAMETERS): self._delay_of(event, moment)}
        r = self.relations
        gap = int(self._ideal_times[row]) - int(self._at_ideal[moment, event])
        why = Why(HIDDEN) if gap <= 0 else Why(Cause.semaphore.name) if r.latency[row] else _why_of(int(r.cause[row]))
        return int(r.earlier[row]), Moment(int(r.moment[row])), {why: gap}

    def _delay_of(self, event: int, moment: Moment) -> int:
        return int(self._at_machine[moment, event]) - int(self._at_ideal[moment, event])


def _why_of(cause: int) -> Why:
    """A wait that only this core has: its ring is shallower, say."""
    return Why(Cause(cause).name)


def _add(total: Split, more: Mapping[Why, int]) -> None:
    for why, ticks in more.items():
        total[why] = total.get(why, 0) + ticks


def _first_row(binds: Array, relations: Relations, n: int) -> Array:
    """int64[n]: the first of each event's relations that ``binds``, -1 if none does."""
    first = np.full(n, -1, dtype=np.int64)
    rows = np.flatnonzero(binds)[::-1]
    first[relations.later[rows]] = rows
    return first


def _moments(schedule: Schedule) -> Array:
    """int64[4, n], by Moment."""
    return np.stack((schedule.start, schedule.next_dispatch, schedule.end, schedule.ready_at))
