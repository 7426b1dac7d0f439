"""Work ``program``: one block of instructions on the machine, or on PerfSim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Literal

import msgspec
from pydantic import Field

from benches.experiments.core_rules import core_rules, perfsim_options
from benches.experiments.findings import Findings
from benches.experiments.works import Home, Measured, Metric, Run, Work, as_finding
from simcore.errors import InputError, ModelBug, hint
from simcore.explain.lanes import lane_uses
from simcore.explain.life import lives_of
from simcore.explain.relations import relations_of
from simcore.explain.rules import Rules
from simcore.oracle import TIMINGS
from simcore.perfsim.estimate import Prepared, PreparedBlock, prepare
from simcore.program.columnise_fields import Irregular
from simcore.program.columns import Columns
from simcore.program.engines import Lane
from simcore.program.generations import ARCH_NAMES
from simcore.program.instruction import SCHEMA
from simcore.program.program import Program
from simcore.program.read import load_program
from simcore.program.stream.outline import program_from_document
from simcore.program.validate import faults_of
from simcore.schedule import Cause, Schedule

_BLOCK = ("functions", 0, "blocks", 0)
"""Where the instructions stand in the stream document that is made of them."""


class ProgramWork(Work):
    """``program`` names a file (relative to the experiment's), ``instructions`` are a block of the stream format.

    ``arch``: the generation; a file has its own. ``model``: ``machine`` (changed by ``core``: fields of a NeuronCore's
    parameters; those not named stay as the generation has them) or ``perfsim`` (changed by ``options``).
    """

    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("makespan_ns", "end of the latest instruction"),
        Metric("critical_path_ns", "latest end of the lanes' last instructions, the source's figure", detail=True),
        Metric("busy_ns", "time in which a lane has at least one instruction", per="lane"),
        Metric("wait_ns", "time for which instructions waited for this, added up over them", per="cause"),
        Metric("start_ns", "start of an instruction", per="instruction", detail=True),
        Metric("duration_ns", "from its start to its end", per="instruction", detail=True),
        Metric("dispatch_ns", "when its lane can issue the next", per="instruction", detail=True),
        Metric("end_ns", "end of an instruction", per="instruction", detail=True),
    )

    program: str | None = None
    instructions: list[Any] | None = None
    arch: str | None = None
    model: Literal["machine", "perfsim"] = "machine"
    timing: str = "hwm"
    include_anti_deps: bool = True
    core: dict[str, Any] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)

    def ready(self, home: Home, findings: Findings) -> Run | None:
        """The run, once the program is loaded, costed and found to fit the core."""
        if not self._words(findings):
            return None
        program = self._program(home, findings)
        if program is None:
            return None
        arch = None if self.arch is None else ARCH_NAMES[self.arch]
        try:
            prepared = prepare(program, arch=arch, timing=self.timing)
        except InputError as error:
            findings.add(("arch",), as_finding(error))
            return None
        if len(prepared.blocks) != 1:
            findings.add(("program",), f"the program has {len(prepared.blocks)} blocks (allowed: one)")
            return None
        return self._on_prepared(prepared, home, findings)

    def _on_prepared(self, prepared: Prepared, home: Home, findings: Findings) -> Run | None:
        """The run of a program of one block, which has its costs."""
        (block,) = prepared.blocks
        if self.model == "perfsim":
            return self._on_perfsim(block, prepared.arch, prepared.arch_version, home, findings)
        return self._on_machine(block, prepared.arch, prepared.arch_version, home, findings)

    def _words(self, findings: Findings) -> bool:
        """Whether the fields fit each other."""
        before = len(findings.found)
        if (self.program is None) == (self.instructions is None):
            findings.add((), "a program is either a file (program: FILE) or a list (instructions: [...])")
        elif self.program is None and self.arch is None:
            findings.add((), 'missing key "arch" (instructions do not say for which generation they are)')
        if self.arch is not None and self.arch not in ARCH_NAMES:
            findings.add(("arch",), f'unknown arch "{self.arch}" {hint(self.arch, list(ARCH_NAMES))}')
        if self.timing not in TIMINGS:
            findings.add(("timing",), f'unknown timing "{self.timing}" {hint(self.timing, TIMINGS)}')
        if self.model == "machine" and self.options:
            findings.add(("options",), "options are PerfSim's (with model: perfsim; the machine's rules are in core)")
        if self.model == "perfsim" and self.core:
            findings.add(("core",), "core is the machine's (with model: machine; PerfSim's rules are in options)")
        return len(findings.found) == before

    def _program(self, home: Home, findings: Findings) -> Program | None:
        if self.program is None:
            return self._listed(home, findings)
        if self.program not in home.programs:
            try:
                home.programs[self.program] = load_program(home.folder / self.program)
            except InputError as error:
                findings.add_foreign(error)
                return None
        return home.programs[self.program]

    def _listed(self, home: Home, findings: Findings) -> Program | None:
        block = {"name": "bb0", "instructions": self.instructions}
        document = {
            "schema": SCHEMA,
            "name": "instructions",
            "arch": self.arch,
            "functions": [{"name": "main", "blocks": [block]}],
        }
        try:
            return program_from_document(document, home.file)
        except (Irregular, msgspec.ValidationError) as reason:
            faults = faults_of(document)
            if not faults:
                raise ModelBug(f"{home.file}: refused, but validation finds no fault: {reason}") from reason
            for fault in faults:
                message = f"{fault.subject}: {fault.message}" if fault.subject else fault.message
                findings.add(fault.path[len(_BLOCK) :], message, at_key=fault.at_key)
            return None

    def _on_machine(
        self, block: PreparedBlock, arch: str, arch_version: int, home: Home, findings: Findings
    ) -> Run | None:
        parameters = core_rules(arch, arch_version, self.core, block.columns, findings)
        if parameters is None:
            return None

        def run() -> Measured:
            from components.core.rules import rules_of
            from components.core.simulate import simulate_block

            with_anti, costs = self.include_anti_deps, block.costs.total_ns
            schedule = simulate_block(block.columns, costs, parameters, include_anti_deps=with_anti, file=home.file)
            # Which waits there are is known of the shipped parts alone.
            rules = None if parameters.impls else rules_of(parameters, include_anti_deps=with_anti)
            return measured(schedule, block.columns, rules)

        return run

    def _on_perfsim(
        self, block: PreparedBlock, arch: str, arch_version: int, home: Home, findings: Findings
    ) -> Run | None:
        options = perfsim_options(self.options, findings)
        if options is None:
            return None

        def run() -> Measured:
            from simcore.explain.of_perfsim import rules_of
            from simcore.perfsim.block_walk import run_walk
            from simcore.perfsim.lower import lower

            with_anti = self.include_anti_deps
            inputs = lower(block.columns, block.costs.total_ns, arch, options, home.file)
            schedule = run_walk(inputs, options, arch_version, include_anti_deps=with_anti)
            # A reflow moves what has been placed, so no waits explain its schedule.
            is_explained = options.collective_reflow == "none"
            rules = rules_of(options, arch_version, include_anti_deps=with_anti) if is_explained else None
            return measured(schedule, block.columns, rules)

        return run


class _Times(Mapping[str, Fraction]):
    """Nanoseconds by instruction, converted when they are read: there may be millions."""

    def __init__(self, index: dict[str, int], ticks: Any, ticks_per_ns: int) -> None:
        self._index = index
        self._ticks = ticks
        self._ticks_per_ns = ticks_per_ns

    def __getitem__(self, name: str) -> Fraction:
        return Fraction(int(self._ticks[self._index[name]]), self._ticks_per_ns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


def measured(schedule: Schedule, columns: Columns, rules: Rules | None) -> Measured:
    per_ns = schedule.ticks_per_ns
    busy = dict.fromkeys(Lane, 0)
    for use in lane_uses(schedule):
        busy[use.lane] = use.busy
    index = {name: k for k, name in enumerate(columns.name_list())}
    times = {
        "start_ns": schedule.start,
        "duration_ns": schedule.duration,
        "dispatch_ns": schedule.next_dispatch,
        "end_ns": schedule.end,
    }
    return Measured(
        single={
            "makespan_ns": Fraction(schedule.makespan, per_ns),
            "critical_path_ns": Fraction(schedule.critical_path, per_ns),
        },
        several={
            "busy_ns": {lane.name: Fraction(ticks, per_ns) for lane, ticks in busy.items()},
            "wait_ns": {} if rules is None else _waits(schedule, columns, rules),
            **{metric: _Times(index, ticks, per_ns) for metric, ticks in times.items()},
        },
    )


def _waits(schedule: Schedule, columns: Columns, rules: Rules) -> dict[str, Fraction]:
    lives = lives_of(columns, schedule, relations_of(columns, schedule, rules))
    return {
        cause.name: Fraction(int(lives.wait_length[lives.wait_cause == cause].sum()), schedule.ticks_per_ns)
        for cause in Cause
        if Cause.none < cause < Cause.floor
    }
