"""Running a whole program on the machine, block by block, each on a core that starts empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from components.core.demand import Stretch
from components.core.neuron_core import NeuronCoreParameters
from components.core.rules import rules_of
from components.core.simulate import simulate_block
from simcore.explain.attribution import Attribution
from simcore.explain.relations import Relations, relations_of
from simcore.oracle import Costs
from simcore.perfsim.estimate import Estimate
from simcore.program.columns import Array, Columns
from simcore.schedule import Schedule
from simcore.units import TICKS_PER_NS


@dataclass(frozen=True, slots=True)
class MachineBlock:
    """One block, the core that ran it, and its schedule in the machine's ticks.

    On real memory ``stretches`` says which events lasted longer than they cost, and ``ideal`` is PerfSim's schedule, in
    the machine's ticks; on ideal memory there is nothing to say.
    """

    function: str
    block: str
    columns: Columns
    costs: Costs
    core: NeuronCoreParameters
    include_anti_deps: bool
    schedule: Schedule
    stretches: Mapping[int, Stretch] = field(default_factory=dict)
    ideal: Schedule | None = None

    @property
    def costly(self) -> Array:
        """bool[n]: which events cost anything; what costs nothing holds no PSUM bank, however long it lasts."""
        costs: Array = (self.ideal or self.schedule).duration > 0
        return costs

    def relations(self) -> Relations:
        """Who waited for whom by the core's rules."""
        rules = rules_of(self.core, include_anti_deps=self.include_anti_deps)
        return relations_of(self.columns, self.ideal or self.schedule, rules)

    def attribution(self) -> Attribution | None:
        """Why each event is later than PerfSim's; None on ideal memory."""
        if self.ideal is None:
            return None
        stretches = {event: (stretch.end, stretch.next_dispatch) for event, stretch in self.stretches.items()}
        return Attribution(self.schedule, self.ideal, self.relations(), stretches)


def in_ticks(schedule: Schedule) -> Schedule:
    """PerfSim's ``schedule`` in the machine's ticks."""
    factor = TICKS_PER_NS // schedule.ticks_per_ns
    times = {name: getattr(schedule, name) * factor for name in ("start", "duration", "next_dispatch", "ready_at")}
    return replace(schedule, **times, ticks_per_ns=TICKS_PER_NS)


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
