"""NeuronCore: composes engines, the barrier lane, rings, PSUM banks and semaphores, and runs one block on them.

First action: builds its parts from its parameters; ``run`` loads a block into them and ends when the last
instruction has ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from components.core.barrier_lane import BarrierLane
from components.core.descriptor_ring import DescriptorRing
from components.core.engine import Engine, Ns
from components.core.psum_bank import PsumBank
from components.core.semaphore import Semaphores
from components.core.work import Work
from components.registry import build, register
from simcore.kernel import Environment, Part, Port, settle
from simcore.perfsim.constants import (
    COLLECTIVE_SHARES,
    COMPUTE_OVERLAP_NS,
    DMA_OVERLAP_NS,
    LAST_COUPLED_ARCH_VERSION,
    RING_DEPTHS,
)
from simcore.program.engines import BARRIER_LANES, Lane
from simcore.program.generations import GENERATIONS

Ring = Annotated[int, Field(ge=0, le=12)]
Depth = Annotated[int, Field(ge=1)]
Term = Annotated[int, Field(ge=1)]
"""Numerator or denominator of a share."""


class NeuronCoreParameters(BaseModel):
    """A core with ideal memory.

    ``compute_overlap_ns`` and ``dma_overlap_ns``: overlap windows of the compute engines and of the DMA lane;
    ``ring_depths``: rings that can fill; ``psum_banks``: how many there are; ``coupled``: Pool and DVE share an issue
    port and Activation waits for their PSUM writes; ``collective_shares``: (numerator, denominator) of the bandwidth
    of each collective stream; ``barrier_lanes``: whom a barrier waits for; ``early_ordered``: an ordered collective
    lets its followers go when it is itself ready; ``semaphore_latency_ns``: from a producer's moment to a consumer on
    another lane. ``impls`` picks other classes for kinds of parts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    compute_overlap_ns: Ns
    dma_overlap_ns: Ns
    ring_depths: dict[Ring, Depth]
    psum_banks: Annotated[int, Field(ge=1, le=8)]
    coupled: bool
    collective_shares: tuple[tuple[Term, Term], ...]
    barrier_lanes: tuple[Lane, ...]
    early_ordered: bool
    semaphore_latency_ns: Ns
    impls: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def of_generation(cls, arch: str, arch_version: int) -> NeuronCoreParameters:
        """The core that the cost model describes for ``arch``."""
        return cls(
            compute_overlap_ns=COMPUTE_OVERLAP_NS,
            dma_overlap_ns=DMA_OVERLAP_NS,
            ring_depths=dict(RING_DEPTHS),
            psum_banks=GENERATIONS[arch].psum_banks,
            coupled=arch_version <= LAST_COUPLED_ARCH_VERSION,
            collective_shares=tuple((s.numerator, s.denominator) for s in COLLECTIVE_SHARES.get(arch, ())),
            barrier_lanes=BARRIER_LANES,
            early_ordered=True,
            semaphore_latency_ns=0,
        )


@register("neuron_core", "ideal_memory", default=True)
class NeuronCore(Part[NeuronCoreParameters]):
    """One core. ``accepted`` and ``completed`` count instructions (a trigger and its transfer are two)."""

    def __init__(
        self, env: Environment, name: str, parameters: NeuronCoreParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        p = parameters
        self.engines: dict[Lane, Engine] = {}
        for lane in Lane:
            if lane != Lane.ALL:
                self.engines[lane] = self._build("engine", lane.name, _windows(p, lane), self._retirement(lane))
        self.barriers: BarrierLane = self._build(
            "barrier_lane", Lane.ALL.name, _windows(p, Lane.ALL), self._retirement(Lane.ALL)
        )
        self.rings: dict[int, DescriptorRing] = {
            ring: self._build("descriptor_ring", f"ring{ring}", {"depth": depth})
            for ring, depth in sorted(p.ring_depths.items())
        }
        self.banks: list[PsumBank] = [
            self._build("psum_bank", f"psum{number}", {"number": number}) for number in range(p.psum_banks)
        ]
        self.semaphores: Semaphores = self._build("semaphore", "semaphores", {"latency_ns": p.semaphore_latency_ns})
        self.done = env.event()

    def lane(self, lane: Lane) -> Engine | BarrierLane:
        """The part that runs the instructions of ``lane``."""
        return self.barriers if lane == Lane.ALL else self.engines[lane]

    def run(self, works: list[Work]) -> None:
        """Runs ``works``, already wired, in program order per lane; returns when the last has ended."""
        self.accepted = len(works)
        if not works:
            settle(self.done)
        parts: list[Engine | BarrierLane] = [*self.engines.values(), self.barriers]
        queues: dict[str, list[Work]] = {part.name: [] for part in parts}
        for work in works:
            queues[work.lane.name].append(work)
        for part in parts:
            if queues[part.name]:
                part.load(queues[part.name], works)
        self.env.run(self.done)

    def _retired(self, _work: Work) -> None:
        self.completed += 1
        if self.completed == self.accepted:
            self.done.succeed()

    def _retirement(self, lane: Lane) -> dict[str, Port[Any]]:
        port: Port[Work] = Port(self.env, f"{self.name}.{lane.name}.retired", Work)
        port.attach("in", self)
        port.hand_to(self._retired)
        return {"retired": port}

    def _build(
        self, kind: str, name: str, parameters: dict[str, Any], ports: Mapping[str, Port[Any]] | None = None
    ) -> Any:
        return build(
            self.env, kind, f"{self.name}.{name}", parameters, ports or {}, impl=self.parameters.impls.get(kind)
        )


def _windows(p: NeuronCoreParameters, lane: Lane) -> dict[str, int]:
    """Overlap window of a lane: collective streams have none, and an instruction overlaps only if it is longer."""
    if lane >= Lane.CCStream0:
        return {"overlap_ns": 0, "overlaps_from_ns": 0}
    if lane == Lane.DMA:
        return {"overlap_ns": p.dma_overlap_ns, "overlaps_from_ns": max(p.dma_overlap_ns, p.compute_overlap_ns + 1)}
    return {"overlap_ns": p.compute_overlap_ns, "overlaps_from_ns": p.compute_overlap_ns + 1}
