"""Random blocks run on both models, and their relations replayed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from components.core.neuron_core import NeuronCoreParameters
from components.core.rules import rules_of as machine_rules
from components.core.simulate import simulate_block
from simcore.explain.of_perfsim import rules_of
from simcore.explain.relations import Moment, Relation, Relations, relations_of
from simcore.perfsim.options import PerfSimOptions
from simcore.program.columns import Columns
from simcore.program.program import Block, Program
from simcore.schedule import Cause, Schedule
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import loaded, scheduled


@dataclass(frozen=True, slots=True)
class Run:
    """One block as one of the models ran it."""

    columns: Columns
    schedule: Schedule
    relations: Relations


def random_blocks(count: int, size: int, *, first_seed: int = 20_000) -> Iterator[tuple[Program, Block]]:
    """Blocks of ``count`` random programs of up to ``size`` instructions."""
    for seed in range(first_seed, first_seed + count):
        rng = random.Random(seed)
        program = loaded(random_program(rng, instructions=rng.randint(1, size)))
        yield from ((program, block) for _, block in program.blocks)


def perfsim_run(program: Program, block: Block, *, anti: bool = True, options: PerfSimOptions | None = None) -> Run:
    """The block as PerfSim runs it."""
    options = options or PerfSimOptions()
    schedule = scheduled(program, block, include_anti_deps=anti, options=options)
    rules = rules_of(options, program.arch_version, include_anti_deps=anti)
    return Run(block.columns, schedule, relations_of(block.columns, schedule, rules))


def machine_run(program: Program, block: Block, *, anti: bool = True, **changed: object) -> Run:
    """The block as the machine runs it, with ``changed`` parameters."""
    parameters = NeuronCoreParameters.of_generation(program.arch, program.arch_version)
    parameters = NeuronCoreParameters.model_validate({**parameters.model_dump(), **changed})
    schedule = simulate_block(block.columns, block.columns.cost_ns, parameters, include_anti_deps=anti)
    rules = machine_rules(parameters, include_anti_deps=anti)
    return Run(block.columns, schedule, relations_of(block.columns, schedule, rules))


def replayed(
    run: Run, *, late: Mapping[int, int] | None = None, longer: Mapping[int, int] | None = None
) -> tuple[list[int], list[Cause], list[int], list[int]]:
    """(starts, causes, whom each start was bound by, readiness) from the relations and durations alone.

    ``late``: how much later some events start than their relations let them; ``longer``: how much longer some last.
    """
    s = run.schedule
    late, longer = late or {}, longer or {}
    duration, taken = s.duration.tolist(), (s.next_dispatch - s.start).tolist()
    for event, more in longer.items():
        duration[event] += more
        taken[event] += more
    waits: list[list[tuple[Relation, bool]]] = [[] for _ in range(len(s))]
    for relation, is_edge in zip(run.relations, run.relations.is_edge.tolist(), strict=True):
        waits[relation.later].append((relation, is_edge))
    start, causes, on, ready = [], [], [], []
    for event, own in enumerate(waits):
        at, why, who, done = 0, Cause.none, -1, 0
        for r, is_edge in own:
            base = ready[r.earlier] if r.moment == Moment.ready else start[r.earlier]
            added = {Moment.next_dispatch: taken[r.earlier], Moment.end: duration[r.earlier]}.get(r.moment, 0)
            time = base + added + r.latency
            if time > at:
                at, why, who = time, r.cause, r.earlier
            if is_edge:
                done = max(done, time)
        start.append(at + late.get(event, 0))
        causes.append(why)
        on.append(who)
        ready.append(done)
    return start, causes, on, ready
