"""The DMA packets of a kernel, and which transfer each belongs to.

A transfer's descriptors are spread over the DMA engines; on each engine a queue works in order, and each transfer ends
there with a packet of four bytes that raises its semaphore. So the n-th stretch of packets on every engine belongs to
the n-th trigger of the queue, comes after it, and its bytes must add up to the transfer's: that is checked, and a queue
where it fails is left unpaired.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from simcore.program.faults import Faults, Path
from simcore.program.generations import Generation
from simcore.program.measured import DmaPacket
from simcore.program.profile.executions import Execution
from simcore.program.profile.opcode_map import ENGINE_LANES
from simcore.program.profile.tables import TIME_LIMIT_NS, Tables, whole

COMPLETION_BYTES = 4
"""Size of the packet that raises a semaphore."""

_QUEUE_NAME = re.compile(r"q([A-Za-z]+?)Dynamic(HW)?")
_INDEX_LIMIT = 10**6


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of transfers that one engine triggers; ``hardware`` says who writes its descriptors."""

    lane: str
    index: int
    hardware: bool


def queues_of(tables: Tables, subgraph: str) -> dict[str, Queue]:
    """The dynamic queues of a core by the triggering engine's lane, from their names (``qSyncDynamicHW``)."""
    found: dict[str, Queue] = {}
    for path, row in tables.rows("dma_queues_info"):
        name = row.get("q_name")
        match = _QUEUE_NAME.fullmatch(name) if isinstance(name, str) else None
        if match is None or row.get("subgraph") != subgraph:
            continue
        lane = next((lane for label, lane in ENGINE_LANES.items() if label.lower() == match[1].lower()), None)
        index = whole(tables.faults, row, "q_idx", path, _INDEX_LIMIT)
        if lane is not None and index is not None:
            found[lane] = Queue(lane, index, match[2] is not None)
    return found


def dge_types_of(queues: dict[str, Queue], generation: Generation) -> dict[str, str]:
    """Who writes the descriptors, by triggering lane: as the queue's name says, else hardware except for GpSimd."""
    found = {}
    for lane in ENGINE_LANES.values():
        hardware = queues[lane].hardware if lane in queues else lane != "Pool"
        found[lane] = "hwdge" if hardware and generation.has_hwdge else "swdge"
    return found


def packet_rows(tables: Tables) -> list[tuple[str, DmaPacket]]:
    """(core, packet) for every row of the DMA table, by start; transfers are not told apart yet."""
    found = []
    for path, row in tables.rows("dma"):
        packet = _packet(row, path, tables.faults)
        if packet is not None:
            found.append((str(row.get("subgraph")), packet))
    return sorted(found, key=lambda pair: _by_start(pair[1]))


def paired_packets(
    packets: list[DmaPacket], executions: list[Execution], queues: dict[str, Queue], notes: list[str]
) -> tuple[DmaPacket, ...]:
    """Of one core's ``packets`` (by start), those of queues that the kernel triggers; a failed pairing is a note."""
    triggers: dict[str, list[Execution]] = {}
    for execution in executions:
        if execution.transfer_name is not None:
            triggers.setdefault(execution.lead.engine, []).append(execution)
    found: list[DmaPacket] = []
    for lane, of_lane in sorted(triggers.items()):
        if lane not in queues:
            notes.append(
                f"DMA packets of the transfers that {lane} triggers: the profile does not say which queue is theirs"
            )
            continue
        of_queue = [p for p in packets if p.queue == queues[lane].index]
        paired = _pair(of_queue, of_lane)
        if paired is None:
            notes.append(
                f"DMA packets of the transfers that {lane} triggers could not be told apart: "
                "their number, bytes or times do not match the triggers"
            )
        found += of_queue if paired is None else paired
    return tuple(sorted(found, key=_by_start))


def _by_start(p: DmaPacket) -> tuple[int, int, int, int]:
    return p.start_ns, p.queue, p.engine, p.duration_ns


def _packet(row: dict[str, Any], path: Path, faults: Faults) -> DmaPacket | None:
    engine, queue = (whole(faults, row, key, path, _INDEX_LIMIT) for key in ("dma_engine", "dma_queue"))
    start, duration, nbytes = (
        whole(faults, row, key, path, TIME_LIMIT_NS) for key in ("timestamp", "duration", "transfer_size")
    )
    kind = faults.text(row.get("queue_type"), (*path, "queue_type"))
    if engine is None or queue is None or start is None or duration is None or nbytes is None or kind is None:
        return None
    return DmaPacket(engine, queue, kind, start, duration, nbytes, completion=False, transfer=None)


def _pair(packets: list[DmaPacket], triggers: list[Execution]) -> list[DmaPacket] | None:
    """The packets with their transfers, None unless every stretch and byte is accounted for, after its trigger."""
    expected = [t.lead.transfer for t in triggers]
    moved = [0] * len(triggers)
    stretch: dict[int, int] = {}
    found = []
    for p in packets:
        k = stretch.get(p.engine, 0)
        if k >= len(triggers) or p.start_ns < triggers[k].lead.start_ns:
            return None
        completion = p.nbytes == COMPLETION_BYTES
        if completion:
            stretch[p.engine] = k + 1
        else:
            moved[k] += p.nbytes
        found.append(
            DmaPacket(
                p.engine, p.queue, p.kind, p.start_ns, p.duration_ns, p.nbytes, completion, triggers[k].transfer_name
            )
        )
    every_byte = all(t is not None and t.dst.nbytes == nbytes for t, nbytes in zip(expected, moved, strict=True))
    every_end = bool(stretch) and all(k == len(triggers) for k in stretch.values())
    return found if every_byte and every_end else None
