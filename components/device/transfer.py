"""Transfer: one transfer in flight, as its queue and the DMA engines handle it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simcore.timing.device.packets import DeviceTransfer
from simcore.timing.device.stall_draws import Stalls

if TYPE_CHECKING:
    from components.device.work import DeviceWork


class Transfer:
    """A transfer: its packets by DMA engine, what they take, and when the first began and the last ended (ticks)."""

    __slots__ = ("ended_at", "first_at", "followers", "left", "moves", "packet_ps", "packets", "stalls", "trigger")

    def __init__(
        self,
        moves: DeviceTransfer,
        trigger: DeviceWork | None,
        packets: tuple[int, ...],
        packet_ps: int,
        stalls: Stalls,
    ) -> None:
        self.moves = moves
        self.trigger = trigger
        self.packets = packets
        self.packet_ps = packet_ps
        self.stalls = stalls
        self.left = len(packets)
        """DMA engines that have not carried their last packet."""
        self.followers: list[DeviceWork] = []
        """Who waits for the transfer's end."""
        self.first_at: int | None = None
        self.ended_at: int | None = None
