"""Columns -> the arrays of the walk: lanes, classes, durations, the edges that count, and which ring waits for whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.errors import InputError, Problem
from simcore.perfsim.constants import COLLECTIVE_SHARES, SHARES_BY_MAX_STREAM
from simcore.perfsim.options import PerfSimOptions
from simcore.perfsim.walk import (
    COLLECTIVE,
    EARLY_READY,
    PSUM_WRITE,
    RING_FULL,
    TRANSFER,
    TRIGGER,
    WINDOW_COMPUTE,
    WINDOW_DMA,
)
from simcore.program.columns import Array, Columns, Flag
from simcore.program.engines import Lane
from simcore.program.lanes import lanes_of, rings_of
from simcore.program.opcodes import Opcode
from simcore.program.vocabulary import QUEUE_COUNT


@dataclass(frozen=True, slots=True)
class WalkInput:
    """What :func:`simcore.perfsim.walk.walk` reads, n events and m edges.

    ``bank_waits``/``bank_sets`` are bank masks (an event of no duration sets none); ``ring_head`` holds, for each event
    of class RING_FULL in program order, the transfer whose next-dispatch frees its slot.
    """

    duration: Array
    lane: Array
    klass: Array
    bank_waits: Array
    bank_sets: Array
    dep_count: Array
    dep_on: Array
    dep_kind: Array
    ring_head: Array


def lower(columns: Columns, cost_ns: Array, arch: str, options: PerfSimOptions, file: str = "<program>") -> WalkInput:
    """The walk's arrays for a block whose events cost ``cost_ns`` (int64[n], before collective shares).

    Raises InputError for a collective on a stream that has no bandwidth on ``arch``.
    """
    lane = lanes_of(columns)
    duration = _with_shares(columns, cost_ns, lane, arch, options, file)
    klass = _classes(columns, lane, duration, options)
    ring_head = _ring_heads(columns, klass, options)
    dep_count, dep_on, dep_kind = _edges_in_region(columns)
    return WalkInput(
        duration=duration,
        lane=lane,
        klass=klass,
        bank_waits=columns.psum_writes,
        bank_sets=np.where(duration > 0, columns.psum_reads | columns.psum_writes, 0).astype(np.uint8),
        dep_count=dep_count,
        dep_on=dep_on,
        dep_kind=dep_kind,
        ring_head=ring_head,
    )


def _classes(columns: Columns, lane: Array, duration: Array, options: PerfSimOptions) -> Array:
    """Class bits. The windows follow the source: short events overlap nothing; collectives and triggers never do."""
    flags = columns.flags
    trigger = columns.opcode == Opcode.DMATrigger
    collective = columns.opcode == Opcode.CollectiveCompute
    writes = (columns.psum_writes != 0) | ((flags & (Flag.PSUM_WRITER | Flag.WRITES_UNKNOWN_BANK)) != 0)
    klass = np.zeros(len(lane), dtype=np.uint8)
    on_dma = lane == Lane.DMA
    overlaps = duration > options.compute_overlap_ns
    for mask, bit in (
        (overlaps & (lane < Lane.CCStream0) & ~on_dma & ~trigger, WINDOW_COMPUTE),
        (overlaps & on_dma & (duration >= options.dma_overlap_ns), WINDOW_DMA),
        (trigger, TRIGGER),
        (collective, COLLECTIVE),
        (collective | (lane == Lane.Pool), EARLY_READY),
        (writes & options.psum_banks, PSUM_WRITE),
        ((flags & Flag.TRANSFER) != 0, TRANSFER),
    ):
        klass[mask] |= np.uint8(bit)
    return klass


def _with_shares(columns: Columns, cost_ns: Array, lane: Array, arch: str, options: PerfSimOptions, file: str) -> Array:
    streamed = np.flatnonzero((columns.opcode == Opcode.CollectiveCompute) & (lane >= Lane.CCStream0))
    if not len(streamed):
        return cost_ns
    stream = lane[streamed] - Lane.CCStream0
    if options.collective_share == "arch":
        shares, reading = COLLECTIVE_SHARES.get(arch, ()), f"on {arch}"
    else:
        collective = (columns.opcode >= Opcode.Collective) & (columns.opcode <= Opcode.CollectiveRecv)
        highest = max(int(columns.stream_id[collective].max()), 0)
        shares = SHARES_BY_MAX_STREAM[highest] if highest < len(SHARES_BY_MAX_STREAM) else ()
        reading = f"when the highest stream of the block is {highest}"
    names = columns.name_list() if np.any(stream >= len(shares)) else []
    problems = [
        Problem(
            f"collective stream {s} has no bandwidth {reading} "
            + (f"(allowed: streams 0 to {len(shares) - 1})" if shares else "(collectives are not modelled there)"),
            file,
            where=f"instruction {names[event]}",
        )
        for event, s in zip(streamed.tolist(), stream.tolist(), strict=True)
        if s >= len(shares)
    ]
    if problems:
        raise InputError(problems)
    duration = cost_ns.copy()
    for s, share in enumerate(shares):
        on_stream = streamed[stream == s]
        duration[on_stream] = cost_ns[on_stream] * share.denominator // share.numerator
    return duration


def _ring_heads(columns: Columns, klass: Array, options: PerfSimOptions) -> Array:
    """Marks the triggers that find their ring full and returns the transfers they wait for.

    A ring of depth d is full from its (d+1)-th trigger on, and the k-th trigger waits for the (k-d)-th transfer.
    """
    triggers = np.flatnonzero(columns.opcode == Opcode.DMATrigger)
    head = np.full(len(columns), -1, dtype=np.int32)
    if len(triggers):
        ring = rings_of(columns, triggers)
        for number in range(QUEUE_COUNT):
            depth = options.depth(number)
            own = triggers[ring == number]
            if depth is not None and len(own) > depth:
                head[own[depth:]] = own[: len(own) - depth] + 1
    full = head >= 0
    klass[full] |= np.uint8(RING_FULL)
    return head[full]


def _edges_in_region(columns: Columns) -> tuple[Array, Array, Array]:
    """The block's edges without those from another region."""
    region = columns.region
    if not len(region) or region.min() == region.max():
        return columns.dep_count, columns.dep_on, columns.dep_kind
    consumer = np.repeat(np.arange(len(region)), columns.dep_count)
    keep = region[consumer] == region[columns.dep_on]
    count = np.bincount(consumer[keep], minlength=len(region)).astype(np.uint32)
    return count, columns.dep_on[keep], columns.dep_kind[keep]
