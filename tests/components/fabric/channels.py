"""An end point for tests: channels chosen by address, each serves one burst at a time, first come, first served."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BURST_BYTES = 64
"""As large as a flit of a random network."""


class Channels:
    """``count`` channels of ``burst_ticks`` a flit, interleaved by ``burst_bytes``; an empty flit passes at once."""

    def __init__(self, name: str, count: int, burst_ticks: int, burst_bytes: int, *, rows: bool = False) -> None:
        self.name = name
        self.burst_ticks = burst_ticks
        self.burst_bytes = burst_bytes
        self.free_at = [0] * count
        self.served_bytes = 0
        self.rows = rows
        """Whether its accesses take many flits at a time."""

    def serve(self, address: int, nbytes: int, at_ticks: int) -> int:
        if not nbytes:
            return at_ticks
        channel = address // self.burst_bytes % len(self.free_at)
        self.served_bytes += nbytes
        self.free_at[channel] = max(self.free_at[channel], at_ticks) + self.burst_ticks
        return self.free_at[channel]

    def save(self) -> object:
        return list(self.free_at), self.served_bytes

    def restore(self, saved: object) -> None:
        free_at, self.served_bytes = saved
        self.free_at = list(free_at)

    def access(self, address: int, flit_bytes: int) -> ChannelAccess:
        return (RowChannelAccess if self.rows else ChannelAccess)(self, address, flit_bytes)


@dataclass(frozen=True)
class ChannelAccess:
    end_point: Channels
    address: int
    flit_bytes: int

    def serve(self, flit: int, nbytes: int, at_ticks: int) -> int:
        return self.end_point.serve(self.address + flit * self.flit_bytes, nbytes, at_ticks)


class RowChannelAccess(ChannelAccess):
    def serve_row(self, first_flit: int, nbytes: int, at_ticks: np.ndarray) -> np.ndarray:
        assert at_ticks.dtype == np.int64
        row = [self.serve(flit, nbytes, at) for flit, at in enumerate(at_ticks.tolist(), first_flit)]
        return np.array(row, np.int64)


def banks(burst_ticks: tuple[int, int]) -> dict[str, Channels]:
    """Two end points, fresh: one of a single channel, asked flit by flit, and one of four, asked for many at once."""
    first, second = burst_ticks
    return {"sram": Channels("sram", 1, first, BURST_BYTES), "hbm": Channels("hbm", 4, second, BURST_BYTES, rows=True)}
