"""DMA engine: one of sixteen; carries packets, one at a time, of its queues in turn (ADR-0072).

First action: none; a queue submits its share of a transfer. The packets of one queue go in order, each transfer's share
followed by a completion packet; queues with something to do are served packet by packet in turn. A read from device
memory that begins anew stalls before its first packet, and once more when it meets a write on its engine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.device.transfer import Transfer
from components.device.work import Ps
from components.registry import register
from simcore.kernel import Environment, Part, Port, Timeout


class DeviceDmaEngineParameters(BaseModel):
    """``idle_ps``: a read begins anew after this long without one. ``completion_ps``: a completion packet."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    idle_ps: Ps
    completion_ps: Ps


class _Share:
    """What one engine has to carry of a transfer."""

    __slots__ = ("begun", "done", "left", "place", "transfer")

    def __init__(self, transfer: Transfer, place: int, done: Callable[[], None]) -> None:
        self.transfer = transfer
        self.place = place
        self.left = transfer.packets[place]
        self.begun = False
        self.done = done


@register("device_dma_engine", "turns", default=True)
class DeviceDmaEngine(Part[DeviceDmaEngineParameters]):
    """A DMA engine. ``accepted`` and ``completed`` count shares of transfers."""

    def __init__(
        self, env: Environment, name: str, parameters: DeviceDmaEngineParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self._queues: dict[str, deque[_Share]] = {}
        self._turn = 0
        self._busy = False
        self._read_until: int | None = None
        self._met_write = False

    def submit(self, transfer: Transfer, place: int, done: Callable[[], None]) -> None:
        """Takes in the engine's share of ``transfer`` (its ``place``-th); calls ``done`` when it is through."""
        if not 0 <= place < len(transfer.packets):
            raise self.error(f"{transfer.moves.name} has no share number {place}")
        self.accepted += 1
        self._queues.setdefault(transfer.moves.queue, deque()).append(_Share(transfer, place, done))
        if not self._busy:
            self._serve()

    def _serve(self) -> None:
        queues = list(self._queues.values())
        for step in range(1, len(queues) + 1):
            turn = (self._turn + step) % len(queues)
            if queues[turn]:
                self._turn = turn
                self._carry(queues[turn])
                return
        self._busy = False

    def _carry(self, queue: deque[_Share]) -> None:
        self._busy = True
        share = queue[0]
        transfer = share.transfer
        now = self.env.now
        if not share.left:
            queue.popleft()
            self._after(self.parameters.completion_ps, share, last=True)
            return
        ticks = transfer.packet_ps
        if transfer.moves.reads_hbm:
            ticks += self._stall(share)
        if transfer.first_at is None:
            transfer.first_at = now
        share.begun = True
        share.left -= 1
        self._after(ticks, share, last=False)

    def _after(self, ticks: int, share: _Share, *, last: bool) -> None:
        if self.record is not None:
            what = "completion" if last else "packet"
            self.record((self.env.now, self.name, what, share.transfer.moves.name, ticks))

        def through(_news: Event) -> None:
            if last:
                self.completed += 1
                share.done()
            else:
                share.transfer.ended_at = self.env.now
                if share.transfer.moves.reads_hbm:
                    self._read_until = self.env.now
            self._serve()

        Timeout(self.env, ticks).callbacks.append(through)

    def _stall(self, share: _Share) -> int:
        """How long device memory keeps the next packet of a read waiting."""
        stalls, ticks = share.transfer.stalls, 0
        if not share.begun:
            idle = self._read_until is None or self.env.now - self._read_until > self.parameters.idle_ps
            if idle:
                self._met_write = False
            ticks += (stalls.first_ps if idle else stalls.next_ps)[share.place]
        if not self._met_write and self._write_waits():
            self._met_write = True
            ticks += stalls.met_ps[share.place]
        return ticks

    def _write_waits(self) -> bool:
        return any(queue and queue[0].transfer.moves.writes_hbm for queue in self._queues.values())
