"""Both models over every block of a program, both runs, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benches.crosscheck.compare import Difference, first_difference
from benches.crosscheck.core import core_of, refuse_perfsim_only
from benches.exact_ns import Ns, exact_ns
from components.core.neuron_core import NeuronCoreParameters
from components.core.simulate import simulate_block
from simcore.oracle import OracleOptions
from simcore.perfsim.costs import CostChange, changed_costs
from simcore.perfsim.estimate import Prepared, prepare, run
from simcore.perfsim.options import PerfSimOptions
from simcore.program.columns import Columns
from simcore.program.program import Program

CoreOf = Callable[[Columns], NeuronCoreParameters]
"""The core that runs a block."""


@dataclass(frozen=True, slots=True)
class BlockCheck:
    """One block; ``first_difference`` is None if both runs are equal.

    The times are PerfSim's, but for the machine's own, which are of the run with anti-dependencies.
    """

    program: str
    function: str
    block: str
    instructions: int
    critical_path_ns: int
    critical_path_no_anti_ns: int
    makespan_ns: int
    machine_critical_path_ns: Ns
    machine_makespan_ns: Ns
    first_difference: Difference | None

    @property
    def equal(self) -> bool:
        """Whether both models agree on every instruction of both runs."""
        return self.first_difference is None


@dataclass(frozen=True, slots=True)
class CrosscheckResult:
    """All blocks of a program, in program order."""

    blocks: tuple[BlockCheck, ...]

    @property
    def equal(self) -> bool:
        """Whether both models agree on every block."""
        return all(block.equal for block in self.blocks)

    @property
    def first_difference(self) -> Difference | None:
        """The first difference of the first block that has one."""
        return next((b.first_difference for b in self.blocks if b.first_difference is not None), None)


def crosscheck(
    program: Program,
    *,
    arch: str | None = None,
    timing: str = "hwm",
    options: PerfSimOptions | None = None,
    changes: Sequence[CostChange] = (),
    oracle: OracleOptions | None = None,
) -> CrosscheckResult:
    """Runs ``program`` on both models, at the same costs and rules, and compares them.

    ``arch``, ``timing`` and ``oracle`` say where the costs come from, ``options`` and ``changes`` what is varied, in
    both models alike. Raises InputError for a program that cannot run there and for an option that only PerfSim has.
    """
    prepared = prepare(program, arch=arch, timing=timing, oracle=oracle)
    options = options or PerfSimOptions()
    refuse_perfsim_only(options)
    return compare_models(
        prepared,
        options,
        lambda columns: core_of(prepared.arch, prepared.arch_version, options, columns),
        changes=changes,
    )


def compare_models(
    prepared: Prepared, options: PerfSimOptions, core: CoreOf, *, changes: Sequence[CostChange] = ()
) -> CrosscheckResult:
    """PerfSim under ``options`` against the machine on the cores that ``core`` gives, be they alike or not."""
    estimates = {anti: run(prepared, options, include_anti_deps=anti, changes=changes) for anti in (True, False)}
    file = prepared.program.file
    checks = []
    for with_anti, without_anti, block in zip(
        estimates[True].blocks, estimates[False].blocks, prepared.blocks, strict=True
    ):
        cost_ns, parameters = changed_costs(block.columns, block.costs.total_ns, changes), core(block.columns)
        machine = simulate_block(block.columns, cost_ns, parameters, file=file)
        difference = first_difference(block.columns, with_anti.schedule, machine, include_anti_deps=True)
        if difference is None:
            free = simulate_block(block.columns, cost_ns, parameters, include_anti_deps=False, file=file)
            difference = first_difference(block.columns, without_anti.schedule, free, include_anti_deps=False)
        checks.append(
            BlockCheck(
                program=prepared.program.name,
                function=block.function,
                block=block.name,
                instructions=len(block.columns),
                critical_path_ns=with_anti.critical_path_ns,
                critical_path_no_anti_ns=without_anti.critical_path_ns,
                makespan_ns=with_anti.makespan_ns,
                machine_critical_path_ns=exact_ns(machine.critical_path, machine.ticks_per_ns),
                machine_makespan_ns=exact_ns(machine.makespan, machine.ticks_per_ns),
                first_difference=difference,
            )
        )
    return CrosscheckResult(tuple(checks))
