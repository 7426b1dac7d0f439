"""SBUF: the scratchpad of a core as programs on real memory use it, a read and a write channel (ADR-0062).

First action: puts both channels to idle. An instruction books a channel for each operand and knows at once when it has
it; a transfer that ends or starts here books it flit by flit. The channels are those of the TCM (ADR-0040): one slot
each, requests of one direction one after the other, a read beside a write. Only time is modelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

from pydantic import BaseModel, ConfigDict

from components.fabric.fabric import Fabric
from components.memory.booked import BookedChannel
from components.memory.request import check_request
from components.quantities import Gbs
from components.registry import register
from simcore.kernel import Environment, Part, Port
from simcore.units import service_ticks


class SbufParameters(BaseModel):
    """``*_bw_gbs``: rate of each direction, 0: no delay."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    read_bw_gbs: Gbs
    write_bw_gbs: Gbs


@register("sbuf", "dual_channel", default=True)
class Sbuf(Part[SbufParameters]):
    """The scratchpad of one core. It counts bookings; ``moved_bytes`` holds each direction's account.

    Log row: ``book`` (who, direction, bytes, in how many ps it begins and ends).
    """

    def __init__(self, env: Environment, name: str, parameters: SbufParameters, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        read, write = self.booked_channels()
        self.channels = {"read": read, "write": write}
        self.moved_bytes = {"read": 0, "write": 0}
        self.requests = {"read": 0, "write": 0}
        # The sizes of a program's operands repeat, and an exact division costs as much as a timeout.
        self._ticks = {
            "read": lru_cache(4096)(partial(service_ticks, bw_gbs=parameters.read_bw_gbs)),
            "write": lru_cache(4096)(partial(service_ticks, bw_gbs=parameters.write_bw_gbs)),
        }
        self._fabric: Fabric | None = None

    def booked_channels(self) -> tuple[BookedChannel, BookedChannel]:
        """The channels that reads and writes take."""
        return BookedChannel(), BookedChannel()

    def join(self, fabric: Fabric) -> None:
        """From now on ``fabric`` has transfers that start or end here."""
        self._fabric = fabric

    def stream(self, direction: str, sizes: tuple[int, ...], earliest: int, who: str) -> tuple[int, int]:
        """Books operands of ``sizes`` bytes, one after the other, from tick ``earliest`` on.

        Gives the ticks at which the first is begun with and at which the last is through.
        """
        if self._fabric is not None:
            self._fabric.before_outside_use(self)
        now = self.env.now
        first, until = -1, earliest
        for nbytes in sizes:
            check_request(self.error, f"operand of {who}", direction, earliest, nbytes)
            begin, until = self._book(direction, nbytes, now, until)
            first = begin if first < 0 else first
            if self.record is not None:
                self.record((now, self.name, "book", who, direction, nbytes, begin - now, until - now))
        return (first, until) if sizes else (earliest, earliest)

    def ticks(self, direction: str, nbytes: int) -> int:
        """What it takes to move ``nbytes`` in many flits, if nobody else moves any."""
        return -(-self._ticks[direction](nbytes) // self.channels[direction].slots)

    def access(self, direction: str) -> SbufAccess:
        """For a transfer that starts (``read``) or ends (``write``) here."""
        check_request(self.error, "transfer", direction, 0, 0)
        return SbufAccess(self, direction)

    def serve(self, direction: str, nbytes: int, at_ticks: int) -> int:
        """The tick at which a flit of ``nbytes`` that comes at ``at_ticks`` is read or written."""
        return self._book(direction, nbytes, at_ticks, at_ticks)[1]

    def save(self) -> object:
        """Both channels and the accounts."""
        counts = (self.accepted, self.completed, {**self.moved_bytes}, {**self.requests})
        return (*(self.channels[way].save() for way in ("read", "write")), *counts)

    def restore(self, saved: Any) -> None:
        """Goes back to what :meth:`save` gave."""
        read, write, self.accepted, self.completed, moved, requests = saved
        self.channels["read"].restore(read)
        self.channels["write"].restore(write)
        self.moved_bytes, self.requests = {**moved}, {**requests}

    def _book(self, direction: str, nbytes: int, asked: int, earliest: int) -> tuple[int, int]:
        ticks = self._ticks[direction](nbytes)
        begin = earliest
        if self._has_rate(direction):
            begin = self.channels[direction].book(asked, earliest, ticks)
        self.accepted += 1
        self.completed += 1
        self.requests[direction] += 1
        self.moved_bytes[direction] += nbytes
        return begin, begin + ticks

    def _has_rate(self, direction: str) -> bool:
        p = self.parameters
        return bool(p.read_bw_gbs if direction == "read" else p.write_bw_gbs)


@register("sbuf", "shared_channel")
class SharedChannelSbuf(Sbuf):
    """Alternative A1 of ADR-0040: reads and writes take one channel, one at a time."""

    def booked_channels(self) -> tuple[BookedChannel, BookedChannel]:
        """One channel of one slot, twice."""
        shared = BookedChannel()
        return shared, shared


@register("sbuf", "two_banks")
class TwoBankSbuf(Sbuf):
    """Alternative A2 of ADR-0040: two requests of a direction are served at a time, each at the full rate."""

    def booked_channels(self) -> tuple[BookedChannel, BookedChannel]:
        """A channel of two slots for each direction."""
        return BookedChannel(2), BookedChannel(2)


class SbufAccess:
    """One transfer's use of an SBUF."""

    __slots__ = ("direction", "end_point")

    def __init__(self, sbuf: Sbuf, direction: str) -> None:
        self.end_point = sbuf
        self.direction = direction

    def serve(self, flit: int, nbytes: int, at_ticks: int) -> int:
        """The tick at which the flit is over."""
        return self.end_point.serve(self.direction, nbytes, at_ticks)
