"""Scheduler: the only one in a PE that hands out work (ADR-0053).

First action of a command: it waits for its turn; commands are taken in the order in which they come, one at a time.
Then the scheduler's overhead runs, the command's tiles are made, and all of them are fed, in their order, to the
stations of their first stages. From there they find their own way; the next command's tiles follow while these are at
work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.pe.commands import DmaRead, DmaWrite, GemmCommand, MathCommand, Submitted
from components.pe.dma import DmaRequest
from components.pe.stages import STATIONS
from components.pe.tile_token import Stations, TileToken
from components.pe.tiling import plan_of
from components.quantities import Ns
from components.registry import register
from simcore.kernel import Channel, Environment, Part, Port, PortSpec, Story, Token
from simcore.units import ns_to_ticks


class PeSchedulerParameters(BaseModel):
    """``overhead_ns``: of every command."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overhead_ns: Ns


@dataclass(slots=True, eq=False)
class Submission:
    """A command for the scheduler. ``done`` happens when all of it is over."""

    command: Submitted
    done: Event


@register("pe_scheduler", "fifo_feeder", default=True)
class PeScheduler(Part[PeSchedulerParameters]):
    """The scheduler of a PE; it owns the slot that GEMM and MATH share. It counts commands.

    Log rows: ``feed`` (command, tiles; 0 for a direct transfer), ``done`` (command).
    """

    port_specs = (
        PortSpec("commands", "in", Submission),
        *(PortSpec(station, "out", TileToken) for station in STATIONS),
        PortSpec("dma_requests", "out", DmaRequest),
    )

    def __init__(
        self, env: Environment, name: str, parameters: PeSchedulerParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.accelerator = Channel(env, f"{name}.accelerator")
        self._stations = Stations({station: self.ports[station] for station in STATIONS}, self.accelerator)
        self._turn = Channel(env, f"{name}.turn")
        self._overhead_ticks = ns_to_ticks(parameters.overhead_ns)
        self.ports["commands"].hand_to(self._accept)

    def _accept(self, submission: Submission) -> None:
        command = submission.command
        if not isinstance(command, Submitted):
            raise self.error(f"{command!r} is no command for a scheduler")
        self.accepted += 1
        self.spawn(self._serve(submission, self._turn.acquire(self, command.name)), command.name)

    def _serve(self, submission: Submission, turn: Token) -> Story:
        yield turn
        if self._overhead_ticks:
            yield self.env.timeout(self._overhead_ticks)
        match submission.command:
            case GemmCommand() | MathCommand():
                self._feed(submission)
            case DmaRead():
                self._move("read", submission)
            case DmaWrite():
                self._move("write", submission)
        self._turn.release(turn)

    def _feed(self, submission: Submission) -> None:
        command = submission.command
        assert isinstance(command, GemmCommand | MathCommand)
        tiles = plan_of(command)
        self._write("feed", command.name, len(tiles))
        left = len(tiles)

        def finished(_tile: TileToken) -> None:
            nonlocal left
            left -= 1
            if not left:
                self._finish(submission)

        for tile in tiles:
            TileToken(f"{command.name}.{tile.name}", tile.stages, self._stations, finished).begin()

    def _move(self, direction: str, submission: Submission) -> None:
        command = submission.command
        assert isinstance(command, DmaRead | DmaWrite)
        self._write("feed", command.name, 0)
        request = DmaRequest(direction, command.address, command.nbytes, "virtual", self.env.event(), command.name)
        request.done.callbacks.append(lambda _: self._finish(submission))
        self.ports["dma_requests"].put(request)

    def _finish(self, submission: Submission) -> None:
        self.completed += 1
        self._write("done", submission.command.name)
        submission.done.succeed(submission)

    def _write(self, what: str, name: str, *more: int) -> None:
        if self.record is not None:
            self.record((self.env.now, self.name, what, name, *more))
