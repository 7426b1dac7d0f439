"""How a transfer becomes packets of the DMA engines, as the profiles show it.

A transfer moves runs, contiguous on both sides. Hardware descriptors make one packet of each run; software packs runs
into packets of up to 4 KiB, unless they are shorter than 512 bytes. Longer runs are cut.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simcore.oracle.helpers import DMA_ENGINES
from simcore.program.dtypes import DType
from simcore.program.instruction import Instruction, Operand
from simcore.program.vocabulary import IN_DRAM
from simcore.timing.device.platform import DmaTiming

PACKET_BYTES = 4096
"""The longest packet."""

PACKED_FROM_BYTES = 512
"""The shortest run that software packs with others."""


@dataclass(frozen=True, slots=True)
class DeviceTransfer:
    """A transfer as its queue sees it. ``queue`` is the triggering engine; the packets are dealt to the DMA engines in
    turn, the first ``packets % 16`` of which get one more."""

    name: str
    queue: str
    software: bool
    reads_hbm: bool
    writes_hbm: bool
    run_bytes: int
    runs_per_packet: int
    packets: int

    @property
    def packet_bytes(self) -> int:
        """Bytes of one packet."""
        return self.run_bytes * self.runs_per_packet

    @property
    def is_short(self) -> bool:
        """Whether its runs are so short that each costs more than its bytes."""
        return self.run_bytes < SHORT_RUN_BYTES

    def on_engine(self, engine: int) -> int:
        """Packets that DMA engine ``engine`` carries."""
        whole, rest = divmod(self.packets, DMA_ENGINES)
        return whole + (engine < rest)


SHORT_RUN_BYTES = 1024
"""Below this a run that is written to device memory costs its fixed time, and a read from it stalls for less: the
profiles hold runs of 256 and 512 bytes below it, and of 1 KiB and more above."""


def packet_ns(transfer: DeviceTransfer, nbytes: int, dma: DmaTiming) -> float:
    """The packet law: what a packet of ``nbytes`` of ``transfer`` takes on its DMA engine, in ns."""
    if transfer.writes_hbm and transfer.is_short:
        return transfer.runs_per_packet * dma.short_run_ns.value
    return dma.packet_ns.value + nbytes / dma.packet_gbs.value


def transfer_of(instruction: Instruction, queue: str) -> DeviceTransfer:
    """The packets of a Load, Save or DMACopy that ``queue`` carries; counted on the side it writes to."""
    ins, outs = instruction.ins, instruction.outs
    reads = any(operand.space in _HBM for operand in ins)
    writes = any(operand.space in _HBM for operand in outs)
    sides = (outs or ins) if writes else (*ins, *outs)
    run = min((_run_bytes(operand) for operand in sides), default=PACKET_BYTES)
    total = sum(_bytes(operand) for operand in (outs or ins))
    run = max(1, min(run, PACKET_BYTES))
    runs = max(1, math.ceil(total / run))
    software = instruction.dge_type == "swdge"
    packed = PACKET_BYTES // run if software and run >= PACKED_FROM_BYTES else 1
    packets = math.ceil(runs / packed)
    return DeviceTransfer(instruction.name, queue, software, reads, writes, run, packed, packets)


_HBM = frozenset(space.name for space in IN_DRAM)


def _bytes(operand: Operand) -> int:
    return operand.partitions * operand.elements * DType[operand.dtype].nbytes


def _run_bytes(operand: Operand) -> int:
    """The bytes that lie together, per partition."""
    elements = operand.elements
    if operand.free:
        step, count = operand.free[-1]
        elements = count if step == 1 else 1
    return elements * DType[operand.dtype].nbytes


PATHS = {
    (False, True): "hardware_read",
    (False, False): "hardware_write",
    (True, True): "software_read",
    (True, False): "software_write",
}


def path_of(transfer: DeviceTransfer) -> str:
    """The field of :class:`ByPath` that ``transfer`` belongs to."""
    return PATHS[transfer.software, transfer.reads_hbm]
