"""NeuronCore: composes engines, the barrier lane, rings, PSUM banks and semaphores, and runs one block on them.

First action: builds its parts from its parameters; ``run`` loads a block into them and ends when the last
instruction has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from simpy.events import Event

from components.core.barrier_lane import BarrierLane
from components.core.descriptor_ring import DescriptorRing
from components.core.engine import Engine
from components.core.lane import LanePart, Ns
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
from simcore.program.engines import BARRIER_LANES, MAX_STREAM_ID, Lane
from simcore.program.generations import GENERATIONS
from simcore.program.vocabulary import QUEUE_COUNT


def _at_most_the_whole(share: tuple[int, int]) -> tuple[int, int]:
    if share[0] > share[1]:
        raise ValueError(f"a share of the bandwidth is at most the whole, not {share[0]}/{share[1]}")
    return share


Ring = Annotated[int, Field(ge=0, le=QUEUE_COUNT - 1)]
Depth = Annotated[int, Field(ge=1)]
Term = Annotated[int, Field(ge=1, le=1000)]
"""Numerator or denominator of a share; so bounded, no time of a legal cost leaves 64 bits."""
Share = Annotated[tuple[Term, Term], AfterValidator(_at_most_the_whole)]
CoreKind = Literal["engine", "barrier_lane", "descriptor_ring", "psum_bank", "semaphore"]
"""The kinds of parts that a core is made of."""


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
    collective_shares: Annotated[tuple[Share, ...], Field(max_length=MAX_STREAM_ID + 1)]
    barrier_lanes: tuple[Lane, ...]
    early_ordered: bool
    semaphore_latency_ns: Ns
    impls: dict[CoreKind, str] = Field(default_factory=dict)

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
        """By lane; the collective streams are engines too."""
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
        """Happens when the last instruction of the program has ended."""

    @property
    def lanes(self) -> list[LanePart]:
        """The parts that run instructions."""
        return [*self.engines.values(), self.barriers]

    def lane(self, lane: Lane) -> LanePart:
        """The part that runs the instructions of ``lane``."""
        return self.barriers if lane == Lane.ALL else self.engines[lane]

    def start(self, works: Sequence[Work]) -> Event:
        """Begins to run ``works``, already wired, in program order on each lane; gives :attr:`done`."""
        if self.in_flight:
            raise self.error(f"a program is started while {self.in_flight} instructions of the one before still run")
        self.accepted += len(works)
        self.done = self.env.event()
        if not works:
            settle(self.done)
        queues: dict[str, list[Work]] = {}
        for work in works:
            queues.setdefault(work.lane.name, []).append(work)
        for lane in self.lanes:
            if lane.name in queues:
                lane.load(queues[lane.name], works)
        return self.done

    def run(self, works: Sequence[Work]) -> None:
        """Runs ``works`` until the last one has ended. Raises PartError if a part then still holds a request."""
        self.env.run(self.start(works))
        self.check_drained()

    def check_drained(self) -> None:
        """Raises PartError if a part still holds a request, now that the program has ended."""
        parts: list[Part[Any]] = [*self.lanes, *self.rings.values(), *self.banks, self.semaphores]
        for part in parts:
            if part.in_flight:
                raise part.error(f"{part.in_flight} of {part.accepted} requests are left at the program's end")

    def _retired(self, _work: Work) -> None:
        self.completed += 1
        if self.completed == self.accepted:
            for lane in self.lanes:
                lane.unload()
            self.done.succeed()

    def _retirement(self, lane: Lane) -> dict[str, Port[Any]]:
        port: Port[Work] = Port(self.env, f"{self.name}.{lane.name}.retired", Work)
        port.attach("in", self)
        port.hand_to(self._retired)
        return {"retired": port}

    def _build(
        self, kind: CoreKind, name: str, parameters: dict[str, Any], ports: Mapping[str, Port[Any]] | None = None
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
