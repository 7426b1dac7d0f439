"""Measuring a bus off a trace of its port: beats become transfers by the gaps between them.

The measurement needs no knowledge of who asked for the transfers, so it is a property of the platform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

IDLE_GAP = 8
"""Cycles between two beats above which they belong to different transfers."""


class BusPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One measured transfer: ``nwords`` words in ``num_trans`` bursts took ``span`` cycles, first to last beat."""

    num_trans: int
    nwords: int
    span: float


@dataclass(frozen=True, slots=True)
class PortTrace:
    """What one direction of a memory port did: the cycles of its data beats and of its address handshakes, rising.

    Sample valid and ready a quarter period before the clock's edge: on the edge itself handshakes are missed.
    """

    beats: Sequence[int]
    addresses: Sequence[int]


def bus_points(trace: PortTrace, idle_gap: int = IDLE_GAP) -> list[BusPoint]:
    """Every transfer of the trace, in time order.

    Beats more than ``idle_gap`` apart are split; an address counts for the transfer whose beats it precedes by no more
    than the gap, or falls among.
    """
    points = []
    for beats in _groups(trace.beats, idle_gap):
        first, last = beats[0], beats[-1]
        bursts = sum(first - idle_gap <= cycle <= last for cycle in trace.addresses)
        points.append(BusPoint(bursts, len(beats), last - first + 1))
    return points


def measure_bus(trace: PortTrace, idle_gap: int = IDLE_GAP) -> BusPoint | None:
    """The transfer of median span (of an even number, the longer of the two middle ones); None without a transfer."""
    if not trace.beats or not trace.addresses:
        return None
    points = sorted(bus_points(trace, idle_gap), key=lambda point: point.span)
    return points[len(points) // 2]


def _groups(beats: Sequence[int], idle_gap: int) -> list[list[int]]:
    groups: list[list[int]] = []
    for cycle in beats:
        if groups and cycle - groups[-1][-1] <= idle_gap:
            groups[-1].append(cycle)
        else:
            groups.append([cycle])
    return groups
