"""Lane: what all parts that run instructions have in common, whatever lets an instruction start there.

First action: none until a program is loaded. When an instruction ends, its lane counts it, tells those who waited for
that end, and hands it over at the port ``retired``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from components.core.work import Work
from simcore.kernel import Environment, Part, Port, PortSpec
from simcore.program.columns import Array
from simcore.program.limits import MAX_COST_NS
from simcore.units import TICKS_PER_NS

Ns = Annotated[int, Field(ge=0, le=MAX_COST_NS)]
"""A duration in whole nanoseconds."""


class LaneParameters(BaseModel):
    """``overlap_ns``: how long before an instruction's end the next may be issued, if it lasts ``overlaps_from_ns``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    overlap_ns: Ns
    overlaps_from_ns: Ns

    @field_validator("overlaps_from_ns")
    @classmethod
    def _reaches_the_start(cls, overlaps_from_ns: int, given: ValidationInfo) -> int:
        overlap_ns = given.data.get("overlap_ns", 0)
        if overlaps_from_ns < overlap_ns:
            raise ValueError(f"must be at least overlap_ns ({overlap_ns}): nothing is issued before what it follows")
        return overlaps_from_ns


class LanePart(Part[LaneParameters]):
    """A lane. ``accepted`` counts loaded instructions, ``completed`` ended ones."""

    port_specs = (PortSpec("retired", "out", Work),)

    def __init__(self, env: Environment, name: str, parameters: LaneParameters, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self.queue: Sequence[Work] = ()
        """The instructions of the program that is loaded, in program order."""
        self.program: Sequence[Work] = ()
        """All instructions of the program, on whatever lane: who holds whom is read off them."""
        self._retire = ports["retired"].put

    def durations(self, cost_ns: Array, may_overlap: Array) -> tuple[Array, Array]:
        """int64[k] twice: ticks from start to next-dispatch and to end of instructions that cost ``cost_ns``.

        ``cost_ns``: int64[k]; ``may_overlap``: bool[k], which of them may overlap with the next at all.
        """
        end = cost_ns * TICKS_PER_NS
        overlaps = may_overlap & (cost_ns >= self.parameters.overlaps_from_ns)
        return end - overlaps * (self.parameters.overlap_ns * TICKS_PER_NS), end

    def load(self, queue: Sequence[Work], program: Sequence[Work]) -> None:
        """Takes the instructions of ``program`` that run here and begins with them."""
        if self.in_flight:
            raise self.error(f"a program is loaded while {self.in_flight} instructions of the one before still run")
        self.queue, self.program = queue, program
        self.accepted += len(queue)
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Begins with what has been loaded."""

    @abstractmethod
    def go(self, work: Work) -> None:
        """``work``'s last wait is over."""

    def end(self, work: Work) -> None:
        """``work`` ends now; the callback of that event."""
        now = self.env.now
        self.completed += 1
        if self.record is not None:
            self.record((now, self.name, "end", work.name))
        work.ended(now)
        self._retire(work)

    def unload(self) -> None:
        """Forgets the program: it has ended, and whoever ran it can let it go."""
        self.queue = self.program = ()
