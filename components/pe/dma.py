"""PE DMA: moves bytes between the TCM and memories behind the fabric, by a read and a write channel (ADR-0053).

First action of a transfer: it takes the channel of its direction, in the turn of whoever asks, and holds it until the
round trip is over. Then the DMA's overhead runs, the address is translated, and the memory is asked. Tiles and direct
requests go the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.fabric.end_hop import EndHop
from components.memory.request import MemoryRequest, check_request
from components.pe.mmu import Lookup, Segment
from components.pe.stages import DmaIn, DmaOut, Stage
from components.pe.station import TILES, Station
from components.pe.tile_token import TileToken
from components.quantities import Ns
from components.registry import register
from simcore.errors import hint
from simcore.kernel import Channel, Countdown, Environment, Port, PortSpec, Story, Token
from simcore.units import ns_to_ticks

SPACES = ("virtual", "physical")


class PeDmaParameters(BaseModel):
    """``overhead_ns``: of every transfer, once, before its address is translated."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overhead_ns: Ns


@dataclass(slots=True, eq=False)
class DmaRequest:
    """``nbytes`` from (``read``) or to (``write``) ``address``, asked for directly; ``done``: the round trip is over.

    ``space``: a virtual address is translated if the PE has an MMU.
    """

    direction: str
    address: int
    nbytes: int
    space: Literal["virtual", "physical"]
    done: Event
    tag: str = ""


@register("pe_dma", "two_channels", default=True)
class PeDma(Station[PeDmaParameters], EndHop):
    """The DMA of a PE. It counts visits of tiles and direct requests; ``moved_bytes`` holds each direction's account.

    Log rows: ``begin`` and ``end`` (tile or request, ``read A``), from the moment at which the channel is held.
    """

    name_of_station = "dma"
    port_specs = (
        TILES,
        PortSpec("requests", "in", DmaRequest, optional=True),
        PortSpec("lookups", "out", Lookup, optional=True),
        PortSpec("memory", "out", MemoryRequest),
    )

    def __init__(
        self, env: Environment, name: str, parameters: PeDmaParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.channels = {"read": Channel(env, f"{name}.read"), "write": Channel(env, f"{name}.write")}
        """By direction; whoever has one may use the DMA in that direction."""
        self._overhead_ticks = ns_to_ticks(parameters.overhead_ns)
        self.moved_bytes = {"read": 0, "write": 0}
        if "requests" in ports:
            self.ports["requests"].hand_to(self._accept)

    def channel_of(self, tile: TileToken) -> Channel:
        """That of the stage's direction."""
        return self.channels[_direction_of(tile.stage)]

    def work(self, stage: Stage, name: str) -> Story:
        """The transfer of a tile; its addresses are virtual."""
        assert isinstance(stage, DmaIn | DmaOut)
        what = f"{name}.{stage.operand}"
        yield from self._move(_direction_of(stage), stage.address, stage.nbytes, "virtual", what)

    def _accept(self, request: DmaRequest) -> None:
        what = f"request {request.tag!r}"
        check_request(self.error, what, request.direction, request.address, request.nbytes)
        if request.space not in SPACES:
            raise self.error(f"{what}: space {request.space!r} {hint(request.space, SPACES)}")
        self.accepted += 1
        token = self.channels[request.direction].acquire(self, request.tag)
        self.spawn(self._serve(request, token), request.tag)

    def _serve(self, request: DmaRequest, token: Token) -> Story:
        yield token
        direction, tag = request.direction, request.tag
        self._write("begin", tag, direction)
        yield from self._move(direction, request.address, request.nbytes, request.space, tag)
        token.channel.release(token)
        self.completed += 1
        self._write("end", tag, direction)
        request.done.succeed(request)

    def _move(self, direction: str, address: int, nbytes: int, space: str, name: str) -> Story:
        if self._overhead_ticks:
            yield self.env.timeout(self._overhead_ticks)
        segments: tuple[Segment, ...] = (Segment(address, nbytes),)
        if space == "virtual" and nbytes and "lookups" in self.ports:
            segments = yield from self._translated(f"{direction} {name} of {nbytes} bytes", address, nbytes, name)
        left = Countdown(self.env, len(segments), f"{self.name} {name}")
        memory = self.ports["memory"]
        for number, segment in enumerate(segments):
            tag = name if len(segments) == 1 else f"{name}.{number}"
            request = MemoryRequest(direction, segment.address, segment.nbytes, self.env.event(), tag)
            request.done.callbacks.append(left.arrive)
            memory.put(request)
        yield self.env.me.waiting_on(left, memory.receiver or memory.name, name)
        self.moved_bytes[direction] += nbytes

    def _translated(self, what: str, address: int, nbytes: int, name: str) -> Story:
        lookups = self.ports["lookups"]
        lookup = Lookup(f"{self.name}: {what}", address, nbytes, self.env.event())
        lookups.put(lookup)
        return (yield self.env.me.waiting_on(lookup.done, lookups.receiver or lookups.name, name))


def _direction_of(stage: Stage) -> str:
    return "read" if isinstance(stage, DmaIn) else "write"
