"""Comparing two schedules of one block: the first instruction that differs, in what, and which rule each model gave."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from benches.exact_ns import exact_ns
from simcore.program.columns import Array, Columns
from simcore.program.engines import Lane
from simcore.program.event_names import EventNames
from simcore.program.opcodes import Opcode
from simcore.schedule import Cause, Schedule

Value = int | Decimal | str | None
"""A time in ns, or a word."""

_TIMES = frozenset({"duration", "start", "next_dispatch", "ready_at"})

RUNS = {True: "with anti-dependencies", False: "without anti-dependencies"}


@dataclass(frozen=True, slots=True)
class Bound:
    """What a model says an instruction's start was bound by: the rule, and the instruction waited for."""

    cause: str
    on: str | None

    def __str__(self) -> str:
        return self.cause + (f" on {self.on}" if self.on is not None else "")


@dataclass(frozen=True, slots=True)
class Difference:
    """The first instruction, in program order, on which the models disagree.

    Everything before it is equal, so the rule that differs is one of this instruction's own. ``field`` is what
    differs, ``perfsim`` and ``machine`` its two values (times in ns), the bounds what each model says it waited for.
    ``differing`` counts the instructions of the run that differ.
    """

    name: str
    field: str
    perfsim: Value
    machine: Value
    run: str
    perfsim_bound: Bound
    machine_bound: Bound
    differing: int

    def __str__(self) -> str:
        unit = " ns" if self.field in _TIMES else ""
        values = f"{self.perfsim}{unit} in PerfSim and {self.machine}{unit} in the machine"
        bounds = f"{self.perfsim_bound} in PerfSim and by {self.machine_bound} in the machine"
        text = f"{self.name}: {self.field} is {values}; its start is bound by {bounds}"
        return f"{text} ({self.run}, instructions that differ: {self.differing})"


def first_difference(
    columns: Columns, perfsim: Schedule, machine: Schedule, *, include_anti_deps: bool
) -> Difference | None:
    """The first difference of the two schedules of ``columns``; None if they are equal in everything.

    Makespan and critical path are made of what is compared here, so they are equal too if this is None.
    """
    scale = machine.ticks_per_ns // perfsim.ticks_per_ns
    pairs = _pairs(columns, perfsim, machine, scale)
    wrong = np.zeros(len(columns), dtype=bool)
    for left, right, counts in pairs.values():
        wrong |= (left != right) & counts
    if not wrong.any():
        return None
    event, names = int(wrong.argmax()), EventNames(columns)
    field = next(f for f, (left, right, counts) in pairs.items() if counts[event] and left[event] != right[event])
    left, right, _ = pairs[field]
    return Difference(
        name=names[event],
        field=field,
        perfsim=_value(field, int(left[event]), scale, names),
        machine=_value(field, int(right[event]), scale, names),
        run=RUNS[include_anti_deps],
        perfsim_bound=_bound(perfsim, event, names),
        machine_bound=_bound(machine, event, names),
        differing=int(np.count_nonzero(wrong)),
    )


def _pairs(columns: Columns, perfsim: Schedule, machine: Schedule, scale: int) -> dict[str, tuple[Array, Array, Array]]:
    """Field -> both models' values (times in the machine's ticks) and for which instructions they count.

    The order is that in which an instruction's fields are named: what it is, when, and why.
    """
    everywhere = np.ones(len(columns), dtype=bool)
    collective = columns.opcode == Opcode.CollectiveCompute
    return {
        "lane": (perfsim.lane, machine.lane, everywhere),
        "duration": (perfsim.duration * scale, machine.duration, everywhere),
        "start": (perfsim.start * scale, machine.start, everywhere),
        "next_dispatch": (perfsim.next_dispatch * scale, machine.next_dispatch, everywhere),
        "cause": (perfsim.cause, machine.cause, everywhere),
        "on": (perfsim.on, machine.on, everywhere),
        "ready_at": (perfsim.ready_at * scale, machine.ready_at, collective),
        "ready_on": (perfsim.ready_on, machine.ready_on, collective),
    }


def _value(field: str, value: int, scale: int, names: EventNames) -> Value:
    if field == "lane":
        return Lane(value).name
    if field == "cause":
        return Cause(value).name
    if field in ("on", "ready_on"):
        return names[value] if value >= 0 else None
    return exact_ns(value, scale)


def _bound(schedule: Schedule, event: int, names: EventNames) -> Bound:
    on = int(schedule.on[event])
    return Bound(Cause(int(schedule.cause[event])).name, names[on] if on >= 0 else None)
