"""What GEMM and MATH share: a clock, and the one slot of the PE that only one of them holds at a time (ADR-0055)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from components.pe.stages import Stage
from components.pe.station import TILES, Station
from components.pe.tile_token import TileToken
from components.quantities import Ghz
from simcore.kernel import Channel, Environment, Port, Story
from simcore.timing.clock import Clock


class AcceleratorParameters(BaseModel):
    """``clock_ghz``: cycles in a nanosecond."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    clock_ghz: Ghz


P = TypeVar("P", bound=AcceleratorParameters)


class Accelerator(Station[P]):
    """A station that computes. ``cycles``: how many it has computed for."""

    port_specs = (TILES,)

    def __init__(self, env: Environment, name: str, parameters: P, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self._clock = Clock.of_hz(parameters.clock_ghz * 10**9)
        self.cycles = 0

    @abstractmethod
    def cycles_of(self, stage: Stage) -> int:
        """How long it computes for ``stage``."""

    def channel_of(self, tile: TileToken) -> Channel:
        """The slot of the PE."""
        return tile.stations.accelerator

    def work(self, stage: Stage, name: str) -> Story:
        """The cycles of the stage."""
        cycles = self.cycles_of(stage)
        yield self.env.timeout(self._clock.ticks(cycles))
        self.cycles += cycles
