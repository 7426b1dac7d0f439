"""DMA queue: the transfers that one engine triggers, from the trigger to the semaphore (ADR-0072).

First action: none; an engine begins a transfer. Some time after the trigger the first packet can go; the DMA engines
begin one after the other. When the last engine has carried the transfer's last packet, and a little later, all that
wait for the transfer hear of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.device.dma_engine import DeviceDmaEngine
from components.device.transfer import Transfer
from components.device.work import Ps
from components.registry import register
from simcore.kernel import Environment, Part, Port, Timeout


class DmaQueueParameters(BaseModel):
    """``first_read_ps``, ``first_write_ps``: trigger to first packet of a transfer that reads device memory, or does
    not. ``behind_read_ps``: more for a read that is triggered while the queue's last transfer is not done.
    ``per_transfer_ps`` and ``per_packet_ps``: at least between the first packets of two transfers, plus so much for
    each packet. ``tail_read_ps``, ``tail_write_ps``: from the last packet to the semaphore. ``stagger_ps``: by how much
    each DMA engine begins later."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    first_read_ps: Ps
    first_write_ps: Ps
    behind_read_ps: Ps
    per_transfer_ps: Ps
    per_packet_ps: Ps
    tail_read_ps: Ps
    tail_write_ps: Ps
    stagger_ps: tuple[Ps, ...]


@register("device_dma_queue", "in_order", default=True)
class DmaQueue(Part[DmaQueueParameters]):
    """A queue. Its DMA ``engines`` are given before the first transfer."""

    engines: Sequence[DeviceDmaEngine]

    def __init__(
        self, env: Environment, name: str, parameters: DmaQueueParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.engines = ()
        self._ready_at: int | None = None
        self._last: Transfer | None = None
        self.retired: Callable[[], object] | None = None
        """Told of every transfer that has ended."""

    def begin(self, transfer: Transfer) -> None:
        """``transfer`` is triggered now."""
        p, now = self.parameters, self.env.now
        if len(transfer.packets) != len(self.engines) or len(p.stagger_ps) != len(self.engines):
            raise self.error(
                f"{transfer.moves.name} has shares for {len(transfer.packets)} of {len(self.engines)} engines"
            )
        self.accepted += 1
        reads = transfer.moves.reads_hbm
        ready = now + (p.first_read_ps if reads else p.first_write_ps)
        if reads and self._last is not None and self._last.left:
            ready += p.behind_read_ps
        if self._ready_at is not None and (p.per_transfer_ps or p.per_packet_ps):
            ready = max(ready, self._ready_at + p.per_transfer_ps + p.per_packet_ps * sum(transfer.packets))
        self._ready_at, self._last = ready, transfer
        if self.record is not None:
            self.record((now, self.name, "begin", transfer.moves.name))
        for place, (engine, stagger) in enumerate(zip(self.engines, p.stagger_ps, strict=True)):
            self._submit_in(ready + stagger - now, engine, transfer, place)

    def _submit_in(self, delay: int, engine: DeviceDmaEngine, transfer: Transfer, place: int) -> None:
        def submit(_news: Event) -> None:
            engine.submit(transfer, place, lambda: self._through(transfer))

        Timeout(self.env, delay).callbacks.append(submit)

    def _through(self, transfer: Transfer) -> None:
        transfer.left -= 1
        if transfer.left:
            return

        def tell(_news: Event) -> None:
            self.completed += 1
            if self.record is not None:
                self.record((self.env.now, self.name, "set", transfer.moves.name))
            if transfer.trigger is not None:
                for follower in transfer.followers:
                    follower.hear(self.env.now, transfer.trigger, of_transfer=True)
            if self.retired is not None:
                self.retired()

        p = self.parameters
        Timeout(self.env, p.tail_read_ps if transfer.moves.reads_hbm else p.tail_write_ps).callbacks.append(tell)
