"""What a memory at the end of a way adds, in closed form, from its parameters in the graph (ADR-0047).

HBM: burst k lies on channel k mod ``num_pcs``, and each channel serves its bursts one after the other. A burst that
comes at time t keeps its channel busy, with those after it there, until t plus their number times the burst; the
transfer is over when the latest of these ends is. SRAM: the same with one channel and flits instead of bursts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benches.probe.payload import Payload
from benches.probe.way import ZERO
from simcore.errors import ModelBug
from topology.system import NodeSpec

Round = Callable[[Fraction], Fraction]
"""To whole ticks, or not at all."""


@dataclass(frozen=True, slots=True)
class Hbm:
    """A slice: ``burst_ns`` for a burst, by address on one of ``channels``; the transfer begins at ``address``."""

    channels: int
    burst_bytes: int
    burst_ns: Fraction
    address: int

    def first_ns(self, payload: Payload) -> Fraction:
        """Before the first flit can leave: a burst, or more if the flit touches a channel twice."""
        return self.read_ns(payload, ZERO, _exact)[0]

    def last_ns(self, payload: Payload) -> Fraction:
        """What is left to do when the last flit has come, at least: one burst."""
        return self.burst_ns if payload.nbytes else ZERO

    def spacing_ns(self, flit_bytes: int) -> Fraction:
        """Between two flits of many, if all channels are busy."""
        return self.burst_ns * flit_bytes / self.burst_bytes / self.channels

    def written_ns(self, payload: Payload, arrivals: Sequence[Fraction], rounded: Round) -> Fraction:
        """When all is written, if flit j comes at ``arrivals[j]``."""
        ends = self.channel_ends_ns(payload, arrivals, rounded)
        return rounded(max(ends.values())) if ends else arrivals[-1]

    def channel_ends_ns(self, payload: Payload, arrivals: Sequence[Fraction], rounded: Round) -> dict[int, Fraction]:
        """When each channel has written its last burst; without those that write none."""
        ends: dict[int, Fraction] = {}
        if payload.nbytes:
            begin, end = self.address, self.address + payload.nbytes
            after = -(-end // self.burst_bytes)
            for burst in range(begin // self.burst_bytes, after):
                flit = (min((burst + 1) * self.burst_bytes, end) - 1 - begin) // payload.flit_bytes
                to_serve = -(-(after - burst) // self.channels)
                over, channel = rounded(arrivals[flit]) + to_serve * self.burst_ns, burst % self.channels
                ends[channel] = max(ends.get(channel, over), over)
        return ends

    def read_ns(
        self, payload: Payload, start: Fraction, rounded: Round, ready: Mapping[int, Fraction] | None = None
    ) -> list[Fraction]:
        """When each flit has been read, if all are asked for at ``start``, and channels are free from ``ready`` on."""
        if not payload.nbytes:
            return [start]
        first, at = self.address // self.burst_bytes, rounded(start)
        found: list[Fraction] = []
        done, burst = at, first
        for flit in range(payload.flits):
            last = (self.address + payload.end_of(flit) - 1) // self.burst_bytes
            while burst <= last:
                begins = max(at, (ready or {}).get(burst % self.channels, at))
                done = max(done, begins + ((burst - first) // self.channels + 1) * self.burst_ns)
                burst += 1
            found.append(rounded(done))
        return found


@dataclass(frozen=True, slots=True)
class OnePort:
    """An SRAM: ``ns_per_byte`` on its port."""

    ns_per_byte: Fraction

    def first_ns(self, payload: Payload) -> Fraction:
        """Before the first flit can leave: that flit."""
        return self.ns_per_byte * payload.end_of(0)

    def last_ns(self, payload: Payload) -> Fraction:
        """What is left to do when the last flit has come, at least: that flit."""
        return self.ns_per_byte * payload.last_bytes

    def spacing_ns(self, flit_bytes: int) -> Fraction:
        """Between two flits of many."""
        return self.ns_per_byte * flit_bytes

    def written_ns(self, payload: Payload, arrivals: Sequence[Fraction], rounded: Round) -> Fraction:
        """When all is written, if flit j comes at ``arrivals[j]``."""
        return rounded(
            max(
                rounded(at) + self.ns_per_byte * (payload.nbytes - flit * payload.flit_bytes)
                for flit, at in enumerate(arrivals)
            )
        )

    def read_ns(self, payload: Payload, start: Fraction, rounded: Round) -> list[Fraction]:
        """When each flit has been read, if all are asked for at ``start``."""
        return [rounded(rounded(start) + self.ns_per_byte * payload.end_of(flit)) for flit in range(payload.flits)]


Memory = Hbm | OnePort


def memory_at(node: NodeSpec, address: int) -> Memory:
    """The memory that ``node`` is, for a transfer that begins at its byte ``address``."""
    given = node.parameters
    if node.kind == "sram":
        return OnePort(_per_byte(given["bw_gbs"]))
    if node.kind == "hbm_controller":
        burst_bytes, channels = given["burst_bytes"], given["num_pcs"]
        if isinstance(burst_bytes, int) and isinstance(channels, int):
            return Hbm(channels, burst_bytes, _per_byte(given["pc_bw_gbs"]) * burst_bytes, address)
    raise ModelBug(f"{node.name} ({node.kind}) is no memory that the formula knows")


def _exact(moment_ns: Fraction) -> Fraction:
    return moment_ns


def _per_byte(rate_gbs: object) -> Fraction:
    if not isinstance(rate_gbs, int | Fraction):
        raise ModelBug(f"a rate was read as {rate_gbs!r}")
    return 1 / Fraction(rate_gbs) if rate_gbs else ZERO
