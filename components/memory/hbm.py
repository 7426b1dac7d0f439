"""HBM controller: pseudo-channels that the address picks, each serving whole bursts (ADR-0047).

First action: puts every pseudo-channel to idle, without a direction. A flit that comes to it is cut into bursts by its
address; each burst goes to its channel, waits until that is free (and turned round, if it last went the other way), and
takes ``burst_bytes / pc_bw_gbs``. Only time is modelled: no data are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from components.fabric.exact_time import LONG_AGO, ExactTime
from components.memory.rows import FITS, Moments, ends_in_turn
from components.memory.terminal import Terminal, TerminalParameters
from components.quantities import Gbs, Ns, PowerOfTwo
from components.registry import register
from simcore.kernel import Environment, Port
from simcore.units import ns_to_ticks


class HbmParameters(TerminalParameters):
    """``num_pcs`` pseudo-channels of ``pc_bw_gbs`` each (0: no delay); ``burst_bytes``: what a channel serves at once.

    ``switch_penalty_ns``: between the last burst of one direction and the first of the other on a channel.
    """

    num_pcs: PowerOfTwo
    burst_bytes: PowerOfTwo
    pc_bw_gbs: Gbs
    switch_penalty_ns: Ns


def pseudo_channel(address: int, burst_bytes: int, num_pcs: int) -> int:
    """The channel of the byte at ``address``: the bits above those of the burst, ``[10:8]`` for 8 channels of 256 B."""
    return address >> (burst_bytes.bit_length() - 1) & (num_pcs - 1)


@dataclass(frozen=True, slots=True)
class ChannelUse:
    """What one pseudo-channel has done: bursts by direction, and how often it was turned round."""

    read_bursts: int
    write_bursts: int
    turns: int


@register("hbm_controller", "pseudo_channels", default=True)
class HbmController(Terminal[HbmParameters]):
    """The controller of one slice of HBM. Addresses count from the start of the slice, or agree with it in the low bits
    that pick a channel."""

    def __init__(self, env: Environment, name: str, parameters: HbmParameters, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        count = parameters.num_pcs
        # In fractions of a tick, so that bursts of an odd length do not drift (see components/fabric/exact_time.py).
        self._time = ExactTime.for_rates([parameters.pc_bw_gbs])
        self._burst = self._time.per_byte(parameters.pc_bw_gbs) * parameters.burst_bytes
        self._turn = self._time.moment(ns_to_ticks(parameters.switch_penalty_ns))
        self._free_at = [0] * count
        self._direction = [""] * count
        self._bursts = {"read": [0] * count, "write": [0] * count}
        self._turns = [0] * count

    def access(self, direction: str, address: int, nbytes: int, flit_bytes: int) -> HbmAccess:
        """For a transfer of ``nbytes`` from or to ``address``, cut into flits of ``flit_bytes``.

        Raises PartError for what no access can be.
        """
        self.check(direction, address, nbytes, flit_bytes)
        return HbmAccess(self, direction, address, address + nbytes, flit_bytes)

    def serve(self, direction: str, bursts: range, nbytes: int, at_ticks: int) -> int:
        """The tick at which the last of ``bursts`` (their numbers) is over, if all are asked for at ``at_ticks``;
        ``nbytes``: what the flit for which they are needed holds."""
        at = done = self._time.moment(at_ticks)
        mask = len(self._free_at) - 1
        for burst in bursts:
            channel = burst & mask
            end = self._free_at[channel] = max(at, self._turned(channel, direction)) + self._burst
            self._bursts[direction][channel] += 1
            done = max(done, end)
        self.moved_bytes[direction] += nbytes
        return self._time.ticks(done)

    def serve_row(self, direction: str, first: int, per_flit: int, at_ticks: Moments) -> Moments | None:
        """When flits of ``per_flit`` whole bursts, from burst number ``first`` on, asked for at ``at_ticks``, are over.

        None, and nothing has been served, where moments could leave 64 bits.
        """
        count, bursts = len(self._free_at), len(at_ticks) * per_flit
        lead = first & (count - 1)  # channels of the first row that lie before the first burst
        rows = -(-(lead + bursts) // count)
        latest = max(int(at_ticks[-1]) * self._time.per_tick, *self._free_at, 0)
        if latest + self._turn + rows * self._burst >= FITS:
            return None
        grid = np.full(rows * count, LONG_AGO, np.int64)
        grid[lead : lead + bursts] = np.repeat(at_ticks * self._time.per_tick, per_flit)
        used = np.bincount(np.arange(lead, lead + bursts) % count, minlength=count)
        begins = np.arange(count) < lead  # the row of each channel's first burst
        free_at = [self._turned(channel, direction) if used[channel] else 0 for channel in range(count)]
        ends = ends_in_turn(grid.reshape(rows, count), self._burst, np.array(free_at) - begins * self._burst)
        for channel in np.flatnonzero(used).tolist():
            self._free_at[channel] = int(ends[begins[channel] + used[channel] - 1, channel])
            self._bursts[direction][channel] += int(used[channel])
        self.moved_bytes[direction] += bursts * self.parameters.burst_bytes
        done = ends.reshape(-1)[lead : lead + bursts].reshape(-1, per_flit).max(axis=1)
        ticks: Moments = -(-done // self._time.per_tick)
        return ticks

    def _turned(self, channel: int, direction: str) -> int:
        """When ``channel``, which is used in ``direction`` now, is free for it."""
        free_at, last = self._free_at[channel], self._direction[channel]
        self._direction[channel] = direction
        if last in ("", direction):
            return free_at
        self._turns[channel] += 1
        return free_at + self._turn

    def save(self) -> object:
        """Every channel and the accounts."""
        account = (tuple(self._bursts["read"]), tuple(self._bursts["write"]), tuple(self._turns), {**self.moved_bytes})
        return tuple(self._free_at), tuple(self._direction), account

    def restore(self, saved: Any) -> None:
        """Goes back to what :meth:`save` gave."""
        free_at, direction, (reads, writes, turns, moved) = saved
        self._free_at, self._direction = list(free_at), list(direction)
        self._bursts, self._turns = {"read": list(reads), "write": list(writes)}, list(turns)
        self.moved_bytes = {**moved}

    def use(self, channel: int) -> ChannelUse:
        """What pseudo-channel number ``channel`` has done so far."""
        return ChannelUse(self._bursts["read"][channel], self._bursts["write"][channel], self._turns[channel])

    @property
    def peak_gbs(self) -> Fraction:
        """What all pseudo-channels move together; 0: no delay."""
        return self.parameters.num_pcs * self.parameters.pc_bw_gbs

    @property
    def burst_ticks(self) -> Fraction:
        """How long a burst takes, in picoseconds, not rounded."""
        return self._time.exact_ticks(self._burst)


class HbmAccess:
    """One transfer's use of an HBM controller; ``end``: the first address behind it.

    Every burst that the transfer touches is served once and whole: for a read when the first flit with bytes of it is
    asked for, for a write when the last one has come.
    """

    __slots__ = ("address", "direction", "end", "end_point", "flit_bytes")

    def __init__(self, controller: HbmController, direction: str, address: int, end: int, flit_bytes: int) -> None:
        self.end_point = controller
        self.direction = direction
        self.address = address
        self.end = end
        self.flit_bytes = flit_bytes

    def serve(self, flit: int, nbytes: int, at_ticks: int) -> int:
        """The tick at which the flit of that number is read, or written as far as it completes bursts."""
        if not nbytes:
            return at_ticks
        burst_bytes = self.end_point.parameters.burst_bytes
        begin = self.address + flit * self.flit_bytes
        end = begin + nbytes
        if self.direction == "read":
            first = begin // burst_bytes if not flit else -(-begin // burst_bytes)
            after = -(-end // burst_bytes)
        else:
            first = begin // burst_bytes
            after = end // burst_bytes if end < self.end else -(-end // burst_bytes)
        return self.end_point.serve(self.direction, range(first, after), nbytes, at_ticks)

    def serve_row(self, first_flit: int, nbytes: int, at_ticks: Moments) -> Moments:
        """What :meth:`serve` says, flit after flit, for as many from ``first_flit`` on as there are ``at_ticks``."""
        burst_bytes = self.end_point.parameters.burst_bytes
        begin = self.address + first_flit * self.flit_bytes
        done = None
        if nbytes and not (begin % burst_bytes or nbytes % burst_bytes):
            first, per_flit = begin // burst_bytes, nbytes // burst_bytes
            done = self.end_point.serve_row(self.direction, first, per_flit, at_ticks)
        if done is None:
            flits = enumerate(at_ticks.tolist(), first_flit)
            done = np.array([self.serve(flit, nbytes, at) for flit, at in flits], np.int64)
        return done
