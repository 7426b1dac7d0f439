"""Fetch/store: moves tiles between the TCM and the registers, at the TCM's pace (ADR-0053).

First action of a tile: it takes the side that it needs, fetch or store. Then the unit's overhead runs, and the TCM is
asked for the time that the bytes take.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from components.memory.tcm import TcmRequest
from components.pe.stages import Fetch, Stage, Store
from components.pe.station import TILES, Station
from components.pe.tile_token import TileToken
from components.quantities import Ns
from components.registry import register
from simcore.kernel import Channel, Environment, Port, PortSpec, Story
from simcore.units import ns_to_ticks


class PeFetchStoreParameters(BaseModel):
    """``overhead_ns``: of every fetch and every store, before its bytes move."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overhead_ns: Ns


@register("pe_fetch_store", "two_sides", default=True)
class PeFetchStore(Station[PeFetchStoreParameters]):
    """One fetch and one store at a time, side by side."""

    name_of_station = "fetch_store"
    port_specs = (TILES, PortSpec("tcm", "out", TcmRequest))

    def __init__(
        self, env: Environment, name: str, parameters: PeFetchStoreParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self._fetch = Channel(env, f"{name}.fetch")
        self._store = Channel(env, f"{name}.store")
        self._overhead_ticks = ns_to_ticks(parameters.overhead_ns)
        self.moved_bytes = 0

    def channel_of(self, tile: TileToken) -> Channel:
        """The side of the stage."""
        return self._fetch if isinstance(tile.stage, Fetch) else self._store

    def work(self, stage: Stage, name: str) -> Story:
        """The overhead, then the TCM's time."""
        assert isinstance(stage, Fetch | Store)
        if self._overhead_ticks:
            yield self.env.timeout(self._overhead_ticks)
        direction = "read" if isinstance(stage, Fetch) else "write"
        request = TcmRequest(direction, stage.nbytes, self.env.event(), name)
        tcm = self.ports["tcm"]
        tcm.put(request)
        yield self.env.me.waiting_on(request.done, tcm.receiver or tcm.name, name)
        self.moved_bytes += stage.nbytes
