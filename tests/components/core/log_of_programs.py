"""Prints the event logs and schedules of some programs: ``python -m tests.components.core.log_of_programs``."""

from __future__ import annotations

import random
from typing import Any

from components.core.neuron_core import NeuronCoreParameters
from components.core.simulate import simulate_block
from simcore.kernel import Row
from simcore.program.program import Program
from simcore.schedule import Schedule
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import loaded

ARCHES = ("sunda", "gen3", "core_v4", "inferentia")
FIELDS = ("lane", "start", "duration", "next_dispatch", "cause", "on", "ready_at", "ready_on")


def documents() -> list[dict[str, Any]]:
    """One program of every generation, with every feature."""
    return [random_program(random.Random(k), instructions=120, arch=arch) for k, arch in enumerate(ARCHES)]


def parameters_of(program: Program) -> NeuronCoreParameters:
    """A core with a full set of rings and a semaphore latency."""
    core = NeuronCoreParameters.of_generation(program.arch, program.arch_version)
    return core.model_copy(update={"semaphore_latency_ns": 3, "ring_depths": {1: 1, 4: 2, 10: 4, 12: 1}})


def told(program: Program) -> list[tuple[list[Row], list[list[int]]]]:
    """Log and schedule of each block."""
    found = []
    for _, block in program.blocks:
        log: list[Row] = []
        schedule = simulate_block(block.columns, block.columns.cost_ns, parameters_of(program), log=log)
        found.append((log, values_of(schedule)))
    return found


def values_of(schedule: Schedule) -> list[list[int]]:
    """Every field of a schedule."""
    return [getattr(schedule, field).tolist() for field in FIELDS]


def main() -> None:
    for document in documents():
        for log, values in told(loaded(document)):
            print(*log, *values, sep="\n")


if __name__ == "__main__":
    main()
