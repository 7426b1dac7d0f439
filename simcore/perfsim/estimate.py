"""The estimate of a program: cost every block once, then walk it as often as there are questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from simcore.errors import InputError, Problem, hint
from simcore.oracle import Costs, OracleOptions, cost_block, oracle_name
from simcore.perfsim.block_walk import run_walk
from simcore.perfsim.costs import CostChange, changed_costs
from simcore.perfsim.lower import lower
from simcore.perfsim.options import PerfSimOptions
from simcore.program.columns import Array, Columns
from simcore.program.generations import ARCH_NAMES, GENERATIONS
from simcore.program.program import Program
from simcore.schedule import Schedule, with_trips


@dataclass(frozen=True, slots=True)
class PreparedBlock:
    """A block with the cost of every event, before collective shares."""

    function: str
    name: str
    columns: Columns
    costs: Costs


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program costed for one generation and timing; walks need nothing else."""

    program: Program
    arch: str
    arch_version: int
    timing: str
    oracle: OracleOptions
    blocks: tuple[PreparedBlock, ...]


@dataclass(frozen=True, slots=True)
class BlockEstimate:
    """One block's schedule; times are int64[n] ns in program order, transfers right after their triggers."""

    function: str
    block: str
    columns: Columns
    costs: Costs
    schedule: Schedule

    @property
    def start(self) -> Array:
        """int64[n]: start of each event in ns."""
        return self.schedule.start

    @property
    def duration(self) -> Array:
        """int64[n]: duration of each event in ns (collectives: after the bandwidth share)."""
        return self.schedule.duration

    @property
    def next_dispatch(self) -> Array:
        """int64[n]: when each event's lane can issue again, in ns."""
        return self.schedule.next_dispatch

    @property
    def critical_path_ns(self) -> int:
        """The source's figure: the latest end of the lanes' last events."""
        return self.schedule.critical_path

    @property
    def makespan_ns(self) -> int:
        """End of the latest event."""
        return self.schedule.makespan

    @property
    def whole_ns(self) -> int:
        """The makespan with every loop body counted ``trip_count`` times; see :func:`simcore.schedule.with_trips`."""
        return with_trips(self.schedule, self.columns)


@dataclass(frozen=True, slots=True)
class Estimate:
    """All blocks of a program, each with fresh lanes.

    ``critical_path_ns`` is that of the last block, which is what the source publishes when there are several;
    ``whole_program_ns`` adds up the blocks with their loops' trips.
    """

    prepared: Prepared
    options: PerfSimOptions
    include_anti_deps: bool
    changes: tuple[CostChange, ...]
    blocks: tuple[BlockEstimate, ...]

    @property
    def critical_path_ns(self) -> int:
        """Critical path of the last block, 0 for an empty program."""
        return self.blocks[-1].critical_path_ns if self.blocks else 0

    @property
    def makespan_ns(self) -> int:
        """End of the latest event of the last block, 0 for an empty program."""
        return self.blocks[-1].makespan_ns if self.blocks else 0

    @property
    def whole_program_ns(self) -> int:
        """Sum over the blocks of their makespan with all trips."""
        return sum(b.whole_ns for b in self.blocks)

    @property
    def post_sched_est_latency(self) -> int:
        """The published metric: ``modular_flow_runs`` times the last block's critical path."""
        return self.prepared.program.modular_flow_runs * self.critical_path_ns


def prepare(
    program: Program, *, arch: str | None = None, timing: str = "hwm", oracle: OracleOptions | None = None
) -> Prepared:
    """Costs every block for ``arch`` (default: the program's). Raises InputError if it cannot run there.

    ``oracle`` chooses between readings of the cost source where it leaves some.
    """
    oracle = oracle or OracleOptions()
    name, version = program.arch, program.arch_version
    if arch is not None:
        if arch not in ARCH_NAMES:
            raise InputError([Problem(f'unknown arch "{arch}" {hint(arch, list(ARCH_NAMES))}', program.file)])
        if ARCH_NAMES[arch] != program.arch:
            name = ARCH_NAMES[arch]
            version = GENERATIONS[name].arch_version
            _check_banks(program, name)
    blocks = tuple(
        PreparedBlock(
            f.name,
            b.name,
            b.columns,
            cost_block(b.columns, arch=name, timing=timing, file=program.file, options=oracle),
        )
        for f, b in program.blocks
    )
    return Prepared(program, name, version, timing, oracle, blocks)


def run(
    prepared: Prepared,
    options: PerfSimOptions | None = None,
    *,
    include_anti_deps: bool = True,
    changes: Sequence[CostChange] = (),
) -> Estimate:
    """Walks every block of ``prepared``. Raises InputError for collectives that the generation cannot run."""
    options = options or PerfSimOptions()
    blocks = []
    for block in prepared.blocks:
        cost = changed_costs(block.columns, block.costs.total_ns, changes)
        inputs = lower(block.columns, cost, prepared.arch, options, prepared.program.file)
        schedule = run_walk(inputs, options, prepared.arch_version, include_anti_deps=include_anti_deps)
        blocks.append(BlockEstimate(block.function, block.name, block.columns, block.costs, schedule))
    return Estimate(prepared, options, include_anti_deps, tuple(changes), tuple(blocks))


def estimate(
    program: Program,
    *,
    include_anti_deps: bool = True,
    arch: str | None = None,
    timing: str = "hwm",
    ring_depths: Mapping[int, int | None] | None = None,
) -> Estimate:
    """The analytic estimate of ``program``.

    ``arch`` runs it on another generation, ``timing`` names the cost source (``hwm`` or ``public``), ``ring_depths``
    replaces the depth of some rings (None: unbounded). Raises InputError for anything the program or call gets wrong.
    """
    options = options_from(ring_depths=dict(ring_depths or {}))
    return run(prepare(program, arch=arch, timing=timing), options, include_anti_deps=include_anti_deps)


def options_from(**knobs: object) -> PerfSimOptions:
    """Options from keyword values, with bad ones as InputError (all of them at once)."""
    from pydantic import ValidationError

    try:
        return PerfSimOptions.model_validate(knobs)
    except ValidationError as error:
        raise InputError(
            [
                Problem(f"{'.'.join(str(step) for step in e['loc'])}: {e['msg']} (got {e['input']!r})", "<options>")
                for e in error.errors()
            ]
        ) from error


def oracle_of(prepared: Prepared) -> str | None:
    """Codename of the oracle behind ``hwm`` costs."""
    return oracle_name(prepared.arch)


def _check_banks(program: Program, arch: str) -> None:
    banks = GENERATIONS[arch].psum_banks
    problems = []
    for _, block in program.blocks:
        c = block.columns
        beyond = np.flatnonzero((c.psum_reads | c.psum_writes) >> banks)
        if len(beyond):
            names = c.name_list()
            problems += [
                Problem(
                    f"touches a PSUM bank beyond {banks - 1} (allowed: 0 to {banks - 1} on {arch})",
                    program.file,
                    where=f"instruction {names[e]}",
                )
                for e in beyond.tolist()
            ]
    if problems:
        raise InputError(problems)
