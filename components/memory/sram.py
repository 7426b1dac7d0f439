"""SRAM: a scratchpad at the end of a path, with one port (ADR-0047).

First action: puts its port to idle. A flit that comes to it waits until the port is free and takes
``nbytes / bw_gbs``, whichever its direction. Only time is modelled: no data are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from components.fabric.exact_time import ExactTime
from components.memory.rows import FITS, Moments, ends_in_turn
from components.memory.terminal import Terminal, TerminalParameters
from components.quantities import Gbs
from components.registry import register
from simcore.kernel import Environment, Port


class SramParameters(TerminalParameters):
    """``bw_gbs``: what its port moves, reads and writes together; 0 means no delay."""

    bw_gbs: Gbs


@register("sram", "one_port", default=True)
class Sram(Terminal[SramParameters]):
    """A cube's SRAM."""

    def __init__(self, env: Environment, name: str, parameters: SramParameters, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self._time = ExactTime.for_rates([parameters.bw_gbs])
        self._per_byte = self._time.per_byte(parameters.bw_gbs)
        self._free_at = 0

    def access(self, direction: str, address: int, nbytes: int, flit_bytes: int) -> SramAccess:
        """For a transfer of ``nbytes`` from or to ``address``. Raises PartError for what no access can be."""
        self.check(direction, address, nbytes, flit_bytes)
        return SramAccess(self, direction)

    def serve(self, direction: str, nbytes: int, at_ticks: int) -> int:
        """The tick at which a flit of ``nbytes`` is read or written, if it is asked for at ``at_ticks``."""
        if not nbytes:
            return at_ticks
        self._free_at = max(self._time.moment(at_ticks), self._free_at) + nbytes * self._per_byte
        self.moved_bytes[direction] += nbytes
        return self._time.ticks(self._free_at)

    def serve_row(self, direction: str, nbytes: int, at_ticks: Moments) -> Moments | None:
        """When flits of ``nbytes`` that are asked for at ``at_ticks`` are over.

        None, and nothing has been served, where moments could leave 64 bits.
        """
        service = nbytes * self._per_byte
        latest = max(int(at_ticks[-1]) * self._time.per_tick, self._free_at)
        if latest + len(at_ticks) * service >= FITS:
            return None
        asked = (at_ticks * self._time.per_tick)[:, None]
        ends = ends_in_turn(asked, service, np.array([self._free_at]))[:, 0]
        self._free_at = int(ends[-1])
        self.moved_bytes[direction] += nbytes * len(at_ticks)
        ticks: Moments = -(-ends // self._time.per_tick)
        return ticks

    def save(self) -> object:
        """The port and the accounts."""
        return self._free_at, {**self.moved_bytes}

    def restore(self, saved: Any) -> None:
        """Goes back to what :meth:`save` gave."""
        self._free_at, moved = saved
        self.moved_bytes = {**moved}

    @property
    def peak_gbs(self) -> Fraction:
        """What the port moves; 0: no delay."""
        return self.parameters.bw_gbs

    def busy_ticks(self) -> Fraction:
        """Picoseconds for which the port has been taken, not rounded."""
        return self._time.exact_ticks(sum(self.moved_bytes.values()) * self._per_byte)


class SramAccess:
    """One transfer's use of an SRAM."""

    __slots__ = ("direction", "end_point")

    def __init__(self, sram: Sram, direction: str) -> None:
        self.end_point = sram
        self.direction = direction

    def serve(self, flit: int, nbytes: int, at_ticks: int) -> int:
        """The tick at which the flit is over."""
        return self.end_point.serve(self.direction, nbytes, at_ticks)

    def serve_row(self, first_flit: int, nbytes: int, at_ticks: Moments) -> Moments:
        """What :meth:`serve` says, flit after flit, for as many from ``first_flit`` on as there are ``at_ticks``."""
        done = self.end_point.serve_row(self.direction, nbytes, at_ticks) if nbytes else None
        if done is None:
            flits = enumerate(at_ticks.tolist(), first_flit)
            done = np.array([self.serve(flit, nbytes, at) for flit, at in flits], np.int64)
        return done
