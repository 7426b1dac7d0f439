"""What ``kernbench oracle`` answers, as records: the source of both its JSON and its tables."""

from __future__ import annotations

import msgspec
import numpy as np

from simcore.errors import InputError, Problem
from simcore.oracle import Costs, Oracle, OracleOptions, Provenance, cost_block, oracle_of
from simcore.oracle.forms import dge_overhead
from simcore.oracle.rules import Rule, absences_of
from simcore.oracle.timing_names import table_of
from simcore.program.engines import Engine
from simcore.program.generations import GENERATIONS, generation
from simcore.program.opcodes import Opcode
from simcore.program.program import Program
from simcore.program.vocabulary import DgeType


class RuleRow(msgspec.Struct, kw_only=True):
    """How one opcode is costed under one condition. ``rule`` numbers the table's row; ``mult`` is a rational."""

    opcode: str
    rule: int
    condition: str
    formula: str
    form: str
    base: int
    mult: str
    minimum: int
    clock: str | None
    provenance: str
    source: str


class NotCosted(msgspec.Struct, kw_only=True):
    """An opcode without an entry, and why."""

    opcode: str
    reason: str


class OracleTable(msgspec.Struct, kw_only=True):
    """A generation's costs. ``clocks_10mhz``: ``f`` of the formulas, by engine; ``dge_ns``: by generator."""

    schema: str = "kernbench.oracle/1"
    arch: str
    oracle: str
    timing: str
    clocks_10mhz: dict[str, int]
    dma_engine_gbs: int
    dge_ns: dict[str, int]
    rules: list[RuleRow]
    not_costed: list[NotCosted]


class InstructionCost(msgspec.Struct, kw_only=True):
    """Phases of one instruction's cost. ``rule`` indexes the result's ``rules``, None for a given cost or none."""

    name: str
    opcode: str
    engine: str
    read_init_ns: int
    exec_ns: int
    write_drain_ns: int
    total_ns: int
    provenance: str
    rule: int | None


class BlockCost(msgspec.Struct, kw_only=True):
    """Costs of one block, in program order (a transfer right after its trigger, a loop's body once)."""

    function: str
    block: str
    instructions: list[InstructionCost]


class UsedRule(msgspec.Struct, kw_only=True):
    """A row of the table that costed something."""

    rule: int
    condition: str
    formula: str
    provenance: str
    source: str


class ProvenanceSum(msgspec.Struct, kw_only=True):
    """What rests on numbers of one provenance."""

    instructions: int
    total_ns: int


class OracleCost(msgspec.Struct, kw_only=True):
    """Costs of a program; ``not_costed`` counts the instructions without an entry, by opcode."""

    schema: str = "kernbench.oracle-cost/1"
    program: str
    arch: str
    oracle: str | None
    timing: str
    blocks: list[BlockCost]
    rules: list[UsedRule]
    provenance: dict[str, ProvenanceSum]
    not_costed: dict[str, int]


def oracle_table(arch: str, timing: str, options: OracleOptions) -> OracleTable:
    """The table of ``arch`` under ``timing``, by opcode. Raises InputError for a generation without an oracle."""
    chosen = oracle_of(arch, timing)
    name = generation(arch).name
    if generation(arch).oracle is None:
        allowed = ", ".join(g.name for g in GENERATIONS.values() if g.oracle is not None)
        raise InputError([Problem(f"{name} has no latency oracle (allowed: {allowed})", "--arch")])
    rows = [
        RuleRow(
            opcode=opcode.name,
            rule=index,
            condition=rule.condition,
            formula=_formula(rule, chosen, options),
            form=rule.form.name,
            base=rule.parameters.base,
            mult=str(rule.parameters.mult),
            minimum=rule.parameters.minimum,
            clock=None if rule.parameters.clock is None else rule.parameters.clock.name,
            provenance=rule.provenance.name,
            source=rule.source,
        )
        for opcode in Opcode
        for index, rule in enumerate(chosen.rules)
        if opcode in rule.opcodes
    ]
    reasons = {o: a.reason for a in absences_of(timing) if chosen.name in a.oracles for o in a.opcodes}
    generators = [d for d in (DgeType.none, DgeType.swdge, DgeType.hwdge) if _has_generator(d, arch)]
    return OracleTable(
        arch=name,
        oracle=chosen.name,
        timing=timing,
        clocks_10mhz={e.name: chosen.hardware.clocks[e] for e in Engine if chosen.hardware.clocks[e]},
        dma_engine_gbs=chosen.hardware.dma_engine_gbs,
        dge_ns={d.name: dge_overhead(d, chosen.hardware, options) for d in generators},
        rules=rows,
        not_costed=[NotCosted(opcode=o.name, reason=reasons[o]) for o in Opcode if o in reasons],
    )


def program_costs(program: Program, arch: str, timing: str, options: OracleOptions) -> OracleCost:
    """Costs of every instruction of ``program`` on ``arch`` under ``timing``."""
    chosen = oracle_of(arch, table_of(timing))
    blocks: list[BlockCost] = []
    used: set[int] = set()
    sums = {p: [0, 0] for p in Provenance}
    not_costed = np.zeros(256, dtype=np.int64)
    for function, block in program.blocks:
        columns = block.columns
        costs = cost_block(columns, arch=arch, timing=timing, file=program.file, options=options)
        blocks.append(
            BlockCost(
                function=function.name,
                block=block.name,
                instructions=_instruction_costs(columns.name_list(), columns.opcode, columns.engine, costs),
            )
        )
        used.update(np.unique(costs.rule[costs.rule >= 0]).tolist())
        for provenance in Provenance:
            chosen_events = costs.provenance == provenance
            sums[provenance][0] += int(np.count_nonzero(chosen_events))
            sums[provenance][1] += int(costs.total_ns[chosen_events].sum())
        not_costed += np.bincount(columns.opcode[costs.provenance == Provenance.not_costed], minlength=256)
    return OracleCost(
        program=program.name,
        arch=generation(arch).name,
        oracle=generation(arch).oracle,
        timing=timing,
        blocks=blocks,
        rules=[_used_rule(k, chosen, options) for k in sorted(used)],
        provenance={p.name: ProvenanceSum(instructions=n, total_ns=t) for p, (n, t) in sums.items()},
        not_costed={o.name: int(not_costed[o]) for o in Opcode if not_costed[o]},
    )


def _has_generator(dge: DgeType, arch: str) -> bool:
    return dge != DgeType.hwdge or generation(arch).has_hwdge


def _formula(rule: Rule, chosen: Oracle, options: OracleOptions) -> str:
    return rule.form.words(rule.parameters, chosen.hardware, options)


def _used_rule(index: int, chosen: Oracle, options: OracleOptions) -> UsedRule:
    rule = chosen.rules[index]
    return UsedRule(
        rule=index,
        condition=rule.condition,
        formula=_formula(rule, chosen, options),
        provenance=rule.provenance.name,
        source=rule.source,
    )


def _instruction_costs(
    names: list[str], opcodes: np.ndarray, engines: np.ndarray, costs: Costs
) -> list[InstructionCost]:
    opcode_names = {int(o): o.name for o in Opcode}
    engine_names = {int(e): e.name for e in Engine}
    provenance_names = {int(p): p.name for p in Provenance}
    rows = zip(
        names,
        opcodes.tolist(),
        engines.tolist(),
        costs.read_init_ns.tolist(),
        costs.exec_ns.tolist(),
        costs.write_drain_ns.tolist(),
        costs.total_ns.tolist(),
        costs.provenance.tolist(),
        costs.rule.tolist(),
        strict=True,
    )
    return [
        InstructionCost(
            name=name,
            opcode=opcode_names[opcode],
            engine=engine_names[engine],
            read_init_ns=read_init,
            exec_ns=run,
            write_drain_ns=drain,
            total_ns=total,
            provenance=provenance_names[provenance],
            rule=None if rule < 0 else rule,
        )
        for name, opcode, engine, read_init, run, drain, total, provenance, rule in rows
    ]
