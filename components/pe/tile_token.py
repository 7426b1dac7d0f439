"""A tile on its way: it knows its stages and takes itself from station to station (ADR-0054).

First action: puts itself into the station of its first stage. Between two stages it takes no time and asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from components.pe.stages import Stage
from simcore.kernel import Channel, Port, Token


@dataclass(frozen=True, slots=True)
class Stations:
    """Where tiles of one PE go: the port of each station by its name, and the slot that GEMM and MATH share."""

    ports: Mapping[str, Port[TileToken]]
    accelerator: Channel


class TileToken:
    """A tile in flight. ``hold``: what it holds, or waits for, of the resource of its stage; stations see to it.

    ``finished`` is called once, when the last stage is over and nothing is held any more.
    """

    __slots__ = ("finished", "hold", "name", "position", "stages", "stations")

    def __init__(
        self, name: str, stages: tuple[Stage, ...], stations: Stations, finished: Callable[[TileToken], None]
    ) -> None:
        self.name = name
        self.stages = stages
        self.stations = stations
        self.finished = finished
        self.position = 0
        self.hold: Token | None = None

    @property
    def stage(self) -> Stage:
        """The stage that it is in, or waits for."""
        return self.stages[self.position]

    def begin(self) -> None:
        """Goes to its first station."""
        self.stations.ports[self.stage.station].put(self)

    def go_on(self) -> None:
        """Its stage is over: frees the resource unless the next stage is on it, too, and goes to that one's station."""
        over = self.stage
        self.position += 1
        ends = self.position == len(self.stages)
        if self.hold is not None and (ends or self.stage.resource is not over.resource):
            self.hold.channel.release(self.hold)
            self.hold = None
        if ends:
            self.finished(self)
        else:
            self.begin()
