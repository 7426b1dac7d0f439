"""Station: a part of a PE that tiles pass through; each holds the stage's resource while it is there (ADR-0054).

First action of a tile that comes: it asks for the resource of its stage, in the turn of whoever sent it, unless it has
that already. So tiles are served in the order in which they come.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from components.pe.stages import Stage
from components.pe.tile_token import TileToken
from simcore.kernel import Channel, Environment, Part, Port, PortSpec, Story

P = TypeVar("P", bound=BaseModel)

TILES = PortSpec("tiles", "in", TileToken)


class Station(Part[P], ABC):
    """What the stations share. ``accepted`` and ``completed`` count visits of tiles.

    Log rows: ``begin`` and ``end`` (tile, what the stage does), from the moment at which the resource is held.
    """

    name_of_station: str
    """As stages call it."""

    def __init__(self, env: Environment, name: str, parameters: P, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self.ports["tiles"].hand_to(self._take)

    @abstractmethod
    def channel_of(self, tile: TileToken) -> Channel:
        """The resource of the stage that ``tile`` is in."""

    @abstractmethod
    def work(self, stage: Stage, name: str) -> Story:
        """What takes time, for the tile called ``name``."""

    def _take(self, tile: TileToken) -> None:
        stage = tile.stage
        if stage.station != self.name_of_station:
            raise self.error(f"tile {tile.name!r} comes for {stage.label!r}, which is for the station {stage.station}")
        self.accepted += 1
        if tile.hold is None:
            tile.hold = self.channel_of(tile).acquire(self, tile.name)
        self.spawn(self._visit(tile, stage), tile.name)

    def _visit(self, tile: TileToken, stage: Stage) -> Story:
        assert tile.hold is not None
        yield tile.hold
        self._write("begin", tile.name, stage.label)
        yield from self.work(stage, tile.name)
        self.completed += 1
        self._write("end", tile.name, stage.label)
        tile.go_on()

    def _write(self, what: str, name: str, label: str) -> None:
        if self.record is not None:
            self.record((self.env.now, self.name, what, name, label))
