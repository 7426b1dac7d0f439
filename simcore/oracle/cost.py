"""Costs of a whole block: the three phases of every instruction, their provenance, and the table row behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simcore.errors import InputError, Problem
from simcore.oracle.forms import Case, clocked_by
from simcore.oracle.group import Group, first_accesses
from simcore.oracle.parameters import OracleOptions
from simcore.oracle.provenance import Provenance
from simcore.oracle.registry import Oracle, opcodes_with_cost, oracle_of
from simcore.oracle.rules import Rule
from simcore.oracle.timing_names import check_timing, learned_folder, table_of
from simcore.program.columns import Array, Columns
from simcore.program.generations import GENERATIONS, generation
from simcore.program.limits import MAX_COST_NS
from simcore.program.opcodes import Opcode
from simcore.program.vocabulary import DgeType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simcore.oracle.learned.law import Law
    from simcore.oracle.learned.predict import LearnedCosts

_CHUNK = 1 << 18
"""Events costed at a time, so that intermediate arrays stay small and in cache."""

_SHOWN = 20
"""Instructions that an error names before it counts the rest."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of n events. ``read_init_ns``, ``exec_ns``, ``write_drain_ns``: int64[n].

    ``provenance``: uint8[n] of :class:`Provenance`. ``rule``: int16[n], index into ``rules``, -1 for a given or learned
    cost and for an instruction without an entry. ``learned`` says what a bundle of laws changed, if there is one.
    """

    read_init_ns: Array
    exec_ns: Array
    write_drain_ns: Array
    provenance: Array
    rule: Array
    rules: tuple[Rule, ...]
    learned: LearnedCosts | None = None

    @property
    def total_ns(self) -> Array:
        """int64[n]: readInit + exec + writeDrain."""
        return self.read_init_ns + self.exec_ns + self.write_drain_ns


def cost_block(
    columns: Columns,
    *,
    arch: str,
    timing: str = "hwm",
    file: str = "<program>",
    options: OracleOptions = OracleOptions(),  # noqa: B008 (frozen)
) -> Costs:
    """Costs of the block's events on ``arch`` under ``timing``: one of ``TIMINGS``, or ``learned:DIR``.

    A cost that the program gives replaces the oracle's and is put into exec; so does a learned cost. Raises InputError
    for an unknown word, a bundle that cannot be used, a hardware-described DMA where no hardware does that, an
    instruction that needs an oracle on a generation without one, and a cost beyond ``MAX_COST_NS``; ``file`` is the
    program's name in these messages.
    """
    check_timing(timing)
    folder = learned_folder(timing)
    analytic = costs_by_oracle(columns, oracle_of(arch, table_of(timing)), arch, file, options)
    if folder is None:
        return analytic
    from simcore.oracle.learned.bundle import bundle_for

    return with_laws(analytic, columns, bundle_for(folder, arch).laws, file=file)


def with_laws(analytic: Costs, columns: Columns, laws: Sequence[Law], *, file: str = "<program>") -> Costs:
    """``analytic`` with the cost by its law of every event that has one, unless the program gives its cost."""
    from simcore.oracle.learned.predict import learned_costs

    given = analytic.provenance == Provenance.given
    learned = learned_costs(columns, laws, analytic.total_ns, given)
    fitted = learned.law >= 0
    _check_size(columns, learned.total_ns, file)
    return replace(
        analytic,
        read_init_ns=np.where(fitted, 0, analytic.read_init_ns),
        exec_ns=np.where(fitted, learned.total_ns, analytic.exec_ns),
        write_drain_ns=np.where(fitted, 0, analytic.write_drain_ns),
        provenance=np.where(fitted, np.uint8(Provenance.fitted), analytic.provenance),
        rule=np.where(fitted, np.int16(-1), analytic.rule),
        learned=learned,
    )


def costs_by_oracle(
    columns: Columns,
    chosen: Oracle,
    arch: str,
    file: str,
    options: OracleOptions = OracleOptions(),  # noqa: B008 (frozen)
) -> Costs:
    """Costs of the block's events by the rules of ``chosen``, as :func:`cost_block` gives them."""
    _check_dge(columns, arch, file)
    n = len(columns)
    given = columns.cost_ns >= 0
    read_init, run = np.zeros(n, dtype=np.int64), np.where(given, columns.cost_ns, 0)
    rule = np.full(n, -1, dtype=np.int16)
    if not given.all():
        first_access = first_accesses(columns)
        for begin in range(0, n, _CHUNK):
            open_events = begin + np.flatnonzero(~given[begin : begin + _CHUNK])
            opcodes = columns.opcode[open_events]
            for opcode in np.unique(opcodes).tolist():
                group = Group(columns, open_events[opcodes == opcode], first_access)
                _cost_group(chosen, Opcode(opcode), group, options, read_init, run, rule)
    by_rule = np.array([*(r.provenance for r in chosen.rules), Provenance.not_costed], dtype=np.uint8)
    provenance = np.where(given, np.uint8(Provenance.given), by_rule[rule])
    _check_oracle(columns, provenance, arch, file)
    _check_size(columns, read_init + run, file)
    return Costs(read_init, run, np.zeros(n, dtype=np.int64), provenance, rule, chosen.rules)


def _cost_group(
    chosen: Oracle, opcode: Opcode, group: Group, options: OracleOptions, read_init: Array, run: Array, rule: Array
) -> None:
    """Costs the events of one opcode: each by the first rule that holds for it."""
    left = np.ones(len(group), dtype=bool)
    for index, row in enumerate(chosen.rules):
        if opcode not in row.opcodes or not left.any():
            continue
        pick = left.copy()
        if row.form.needs_clock:
            pick &= np.array(chosen.hardware.clocks)[clocked_by(row.parameters, group)] > 0
        for condition in row.conditions:
            pick &= condition.test(group)
        if not pick.any():
            continue
        events = group.events[pick]
        read_init[events], run[events] = row.form.phases(Case(group, pick, row.parameters, chosen.hardware, options))
        rule[events] = index
        left &= ~pick


def _check_dge(columns: Columns, arch: str, file: str) -> None:
    here = generation(arch)
    if here.has_hwdge:
        return
    elsewhere = ", ".join(g.name for g in GENERATIONS.values() if g.has_hwdge)
    message = f"dge_type hwdge: {here.name} generates no descriptors in hardware (allowed: none, swdge; or {elsewhere})"
    _refuse(columns, columns.dge_type == DgeType.hwdge, message, file)


def _check_oracle(columns: Columns, provenance: Array, arch: str, file: str) -> None:
    here = generation(arch)
    if here.oracle is not None:
        return
    needs = np.isin(columns.opcode, sorted(opcodes_with_cost()))
    elsewhere = ", ".join(g.name for g in GENERATIONS.values() if g.oracle is not None)
    message = f"no cost, and {here.name} has no latency oracle (allowed: give a cost; or {elsewhere})"
    _refuse(columns, needs & (provenance == Provenance.not_costed), message, file)


def _check_size(columns: Columns, total_ns: Array, file: str) -> None:
    _refuse(columns, total_ns > MAX_COST_NS, f"its cost exceeds {MAX_COST_NS} ns (allowed: smaller accesses)", file)


def _refuse(columns: Columns, wrong: Array, message: str, file: str) -> None:
    """Raises InputError that names the first of the ``wrong`` events and counts the rest."""
    events = np.flatnonzero(wrong)
    if not len(events):
        return
    names = columns.name_list()
    problems = [Problem(message, file, where=f"instruction {names[e]}") for e in events[:_SHOWN].tolist()]
    if len(events) > _SHOWN:
        problems.append(Problem(f"and {len(events) - _SHOWN} more instructions of this kind", file))
    raise InputError(problems)
