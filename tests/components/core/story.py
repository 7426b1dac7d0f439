"""Small programs on a fresh core: the event log in nanoseconds, the schedule, and the parts to look at afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from components.core.neuron_core import NeuronCore, NeuronCoreParameters
from components.core.simulate import schedule_of
from components.core.wiring import works_of
from components.core.work import Work
from simcore.kernel import Environment, Row
from simcore.schedule import Schedule
from simcore.units import TICKS_PER_NS
from tests.simcore.perfsim.blocks import block_of, loaded

Instruction = Mapping[str, Any]


def pe(name: str, cost: int, **more: Any) -> Instruction:
    return {"name": name, "opcode": "Matmult", "engine": "PE", "cost": cost, **more}


def dve(name: str, cost: int, **more: Any) -> Instruction:
    return {"name": name, "opcode": "TensorTensor", "engine": "DVE", "cost": cost, **more}


def pool(name: str, cost: int, **more: Any) -> Instruction:
    return {"name": name, "opcode": "Memset", "engine": "Pool", "cost": cost, **more}


def act(name: str, cost: int, **more: Any) -> Instruction:
    return {"name": name, "opcode": "Activation", "engine": "Activation", "cost": cost, **more}


def sp(name: str, cost: int, **more: Any) -> Instruction:
    return {"name": name, "opcode": "NoOp", "engine": "SP", "cost": cost, **more}


def dma(name: str, cost: int, **more: Any) -> Instruction:
    return {"name": name, "opcode": "Load", "engine": "DMA", "cost": cost, **more}


def barrier(name: str, cost: int, **more: Any) -> Instruction:
    return {"name": name, "opcode": "AllEngineBarrier", "engine": "ALL", "cost": cost, **more}


def collective(name: str, cost: int, stream: int, **more: Any) -> Instruction:
    return {"name": name, "opcode": "CollectiveCompute", "engine": "Pool", "cost": cost, "stream_id": stream, **more}


def trigger(name: str, cost: int, transfer_cost: int, *, queue: int, engine: str = "SP", **more: Any) -> Instruction:
    """A trigger ``name`` and its transfer ``name.x``."""
    transfer = {"name": f"{name}.x", "opcode": "DMACopy", "engine": "DMA", "cost": transfer_cost}
    return {
        "name": name,
        "opcode": "DMATrigger",
        "engine": engine,
        "cost": cost,
        "queue": queue,
        "transfer": transfer,
        **more,
    }


@dataclass(frozen=True)
class Told:
    """A core after its program. ``log`` is empty if none was asked for."""

    core: NeuronCore
    works: list[Work]
    log: list[Row]
    schedule: Schedule

    @property
    def rows(self) -> list[str]:
        """The log, as ``300 PE end a``: time in ns, part, what happened, for which instruction, further fields."""
        rows = []
        for at, *fields in self.log:
            whole, rest = divmod(at, TICKS_PER_NS)
            assert rest == 0, f"{at} ps is no whole number of nanoseconds"
            rows.append(" ".join([str(whole), *(str(field).removeprefix("core.") for field in fields)]))
        return rows

    @property
    def starts(self) -> dict[str, int]:
        """When each instruction started, in ns."""
        return {work.name: start // TICKS_PER_NS for work, start in zip(self.works, self._times("start"), strict=True)}

    @property
    def bounds(self) -> dict[str, str]:
        """What each start was bound by: ``engine on a``, or ``none``."""
        bounds = {}
        for work, cause, on in zip(self.works, self.schedule.cause.tolist(), self._times("on"), strict=True):
            word = CAUSES[cause]
            bounds[work.name] = f"{word} on {self.works[on].name}" if on >= 0 else word
        return bounds

    def _times(self, field: str) -> list[int]:
        return getattr(self.schedule, field).tolist()


CAUSES = ("none", "dependency", "engine", "psum_bank", "band_coupling", "barrier", "ring", "floor")


def tell(
    *instructions: Instruction, arch: str = "gen3", anti: bool = True, logged: bool = True, **changes: Any
) -> Told:
    """Runs a block on the core of ``arch``, with ``changes`` to its parameters."""
    program = loaded(block_of(*instructions, arch=arch))
    ((_, block),) = program.blocks
    parameters = NeuronCoreParameters.of_generation(program.arch, program.arch_version)
    parameters = NeuronCoreParameters(**{**parameters.model_dump(), **changes})
    log: list[Row] = []
    core = NeuronCore(Environment(log if logged else None), "core", parameters, {})
    works = works_of(core, block.columns, block.columns.cost_ns, include_anti_deps=anti)
    core.run(works)
    return Told(core, works, log, schedule_of(core, works))


def lines(text: str) -> list[str]:
    """The lines of ``text`` without what surrounds them."""
    return [line.strip() for line in text.strip().splitlines()]
