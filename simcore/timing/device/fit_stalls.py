"""Stalls of reads from device memory: what each observed read lost on each DMA engine, beyond its packets.

From when a read could begin on an engine until its last packet ended there, the engine had its own packets and those of
other queues to carry; what is left of the time was lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simcore.oracle.helpers import DMA_ENGINES
from simcore.program.measured import DmaPacket
from simcore.timing.device.constants import assumed
from simcore.timing.device.observe import Observed
from simcore.timing.device.packets import DeviceTransfer, packet_ns, path_of
from simcore.timing.device.platform import DmaTiming, HbmTiming, StallPattern

IDLE_NS = 60.0
"""An engine that has read nothing for this long begins to read anew."""

_MOST = 13
"""A read begins anew if it does so on at least this many of the sixteen engines."""

_HANDOVER_NS = 4
"""Packets in a row overlap by up to this."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What one read lost by engine (ns), on how many engines it began anew, and whether writes went on beside it."""

    name: str
    anew: int
    beside_writes: bool
    short: bool
    lost_ns: list[float]

    @property
    def pattern(self) -> StallPattern:
        """The loss without what the packet law explains the other way round."""
        return StallPattern(lost_ns=tuple(round(max(0.0, ns), 1) for ns in sorted(self.lost_ns)), seen_in=self.name)


def fit_hbm(profiles: Sequence[Observed], dma: DmaTiming) -> HbmTiming:
    """Patterns of reads with nothing else going on; those beside writes are left to the rule that they stall twice."""
    losses = [loss for profile in profiles for loss in losses_of(profile, dma)]
    quiet = [loss for loss in losses if not loss.beside_writes]
    anew = [loss for loss in quiet if loss.anew >= _MOST]
    return HbmTiming(
        idle_ns=assumed(
            IDLE_NS, "longer than the pause between packets in a row, shorter than any seen pause of a queue"
        ),
        first=tuple(loss.pattern for loss in anew if not loss.short),
        first_short=tuple(loss.pattern for loss in anew if loss.short),
        next=tuple(loss.pattern for loss in quiet if loss.anew < _MOST and not loss.short),
    )


def losses_of(profile: Observed, dma: DmaTiming) -> list[Loss]:
    """The loss of every read of one profile."""
    transfers = {transfer.name: transfer for _, transfer in profile.triggers}
    ready = _ready(profile, dma)
    ends = {name: max(p.end_ns for rows in profile.packets[name].values() for p in rows) for name in transfers}
    found = []
    for name, transfer in transfers.items():
        if not transfer.reads_hbm:
            continue
        lost, anew = [], 0
        for number, engine in enumerate(sorted(profile.packets[name])):
            own = profile.packets[name][engine]
            rows = profile.on_engine[engine]
            read_until = max(
                (
                    p.end_ns
                    for p in rows
                    if p.transfer != name
                    and transfers[str(p.transfer)].reads_hbm
                    and p.end_ns <= own[0].start_ns + _HANDOVER_NS
                ),
                default=0,
            )
            could = max(float(read_until), min(ready[name] + dma.stagger_ns[number], float(own[0].start_ns)))
            anew += could - read_until > IDLE_NS
            end = float(own[-1].end_ns)
            lost.append(end - could - _carried(rows, transfers, dma, name, could, end))
        beside = any(
            not other.reads_hbm and ready[o] < ends[name] and ends[o] > ready[name] for o, other in transfers.items()
        )
        if len(lost) == DMA_ENGINES:
            found.append(Loss(f"{profile.program.name} {name}", anew, beside, transfer.is_short, lost))
    return found


def _carried(
    rows: list[DmaPacket], transfers: dict[str, DeviceTransfer], dma: DmaTiming, name: str, begin: float, end: float
) -> float:
    """What the packets of an engine between two times take by the packet law."""
    total = 0.0
    for packet in rows:
        inside = min(packet.end_ns, end) - max(packet.start_ns, begin)
        if inside > 0:
            nominal = nominal_ns(packet, transfers[str(packet.transfer)], dma)
            total += nominal if packet.transfer == name else min(nominal, inside)
    return total


def nominal_ns(packet: DmaPacket, transfer: DeviceTransfer, dma: DmaTiming) -> float:
    """What a packet takes by the fitted constants, in ns."""
    if packet.completion:
        return dma.completion_packet_ns.value
    return packet_ns(transfer, packet.nbytes, dma)


def _ready(profile: Observed, dma: DmaTiming) -> dict[str, float]:
    """When each transfer's descriptors were there, by the fitted laws."""
    ready: dict[str, float] = {}
    software: float | None = None
    last: dict[str, DeviceTransfer] = {}
    for trigger, transfer in profile.triggers:
        at = trigger.start_ns + getattr(dma.first_packet_ns, path_of(transfer)).value
        before = last.get(transfer.queue)
        if transfer.software:
            if software is not None:
                gap = dma.software_transfer_ns.value + dma.software_packet_ns.value * transfer.packets
                at = max(at, software + gap)
            software = at
        elif transfer.reads_hbm and before is not None:
            end = max(p.end_ns for rows in profile.packets[before.name].values() for p in rows)
            at += dma.behind_read_ns.value if end > trigger.start_ns else 0.0
        last[transfer.queue] = transfer
        ready[transfer.name] = at
    return ready
