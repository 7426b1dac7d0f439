"""Running a whole program on the machine, block by block, each on a core that starts empty."""

from __future__ import annotations

from dataclasses import dataclass

from components.core.neuron_core import NeuronCoreParameters
from components.core.rules import rules_of
from components.core.simulate import simulate_block
from simcore.explain.relations import Relations, relations_of
from simcore.oracle import Costs
from simcore.perfsim.estimate import Estimate
from simcore.program.columns import Columns
from simcore.schedule import Schedule


@dataclass(frozen=True, slots=True)
class MachineBlock:
    """One block, the core that ran it, and its schedule in the machine's ticks."""

    function: str
    block: str
    columns: Columns
    costs: Costs
    core: NeuronCoreParameters
    include_anti_deps: bool
    schedule: Schedule

    def relations(self) -> Relations:
        """Who waited for whom by the core's rules."""
        rules = rules_of(self.core, include_anti_deps=self.include_anti_deps)
        return relations_of(self.columns, self.schedule, rules)


def run_machine(estimate: Estimate) -> list[MachineBlock]:
    """The blocks of ``estimate``'s program at the same costs, with or without anti-dependencies as there.

    Memory is ideal. Of ``estimate`` only the costs are read. Raises InputError for a block that lasts too long.
    """
    prepared, blocks = estimate.prepared, []
    core = NeuronCoreParameters.of_generation(prepared.arch, prepared.arch_version)
    file = prepared.program.file
    for block in estimate.blocks:
        anti = estimate.include_anti_deps
        schedule = simulate_block(block.columns, block.costs.total_ns, core, include_anti_deps=anti, file=file)
        blocks.append(MachineBlock(block.function, block.block, block.columns, block.costs, core, anti, schedule))
    return blocks
