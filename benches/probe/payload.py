"""A payload in flits, and how long its last flit is under way over a chain of links (closed form).

Flits keep their order and each link serves one at a time, so the last flit is through when the heaviest chain of
services is: a chain begins with the release of some flit at the first link and goes on, link by link and flit by flit,
to the last flit at the last link. All flits but the last take the same time on a link, which leaves few candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from benches.probe.way import ZERO, Stretch


@dataclass(frozen=True, slots=True)
class Payload:
    """``nbytes`` in flits of ``flit_bytes``; nothing to carry is one flit of no bytes."""

    nbytes: int
    flit_bytes: int

    @property
    def flits(self) -> int:
        """How many."""
        return max(1, -(-self.nbytes // self.flit_bytes))

    @property
    def last_bytes(self) -> int:
        """Size of the last one."""
        return self.nbytes - (self.flits - 1) * self.flit_bytes

    def end_of(self, flit: int) -> int:
        """Bytes up to the end of that flit."""
        return min(self.nbytes, (flit + 1) * self.flit_bytes)


class Pipeline:
    """``payload`` on the links of ``stretch``, without their latencies."""

    def __init__(self, stretch: Stretch, payload: Payload) -> None:
        full = [wire.ns_per_byte * payload.flit_bytes for wire in stretch.wires]
        last = [wire.ns_per_byte * payload.last_bytes for wire in stretch.wires]
        self.final = payload.flits - 1
        self.whole_ns = sum(full, ZERO)
        """One flit over all links."""
        self.slowest_ns = max(full)
        """One flit on the slowest of them."""
        self._last_ns = sum(last, ZERO)
        # A chain may pass from the flit before the last one to the last one at any link. Up to there whole flits
        # wait for the slowest link so far; of the links with the same slowest one before them, the heaviest counts.
        self._crossings: dict[Fraction, Fraction] = {}
        before, slowest, behind = ZERO, ZERO, self._last_ns
        for whole, short in zip(full, last, strict=True):
            before, slowest = before + whole, max(slowest, whole)
            self._crossings[slowest] = max(self._crossings.get(slowest, ZERO), before + behind)
            behind -= short

    def arrival_ns(self, flit: int, since: int = 0) -> Fraction:
        """From the release of flit ``since`` at the first link to the end of ``flit`` on the last one: the heaviest
        chain between the two."""
        if flit < self.final:
            return self.whole_ns + (flit - since) * self.slowest_ns
        if since == self.final:
            return self._last_ns
        between = self.final - 1 - since
        return max(between * slowest + rest for slowest, rest in self._crossings.items())

    def windowed_ns(self, window: int, latency_ns: Fraction) -> Fraction:
        """From the release of the first flit to the end of the last one on the last link if flit j is let go when flit
        j - ``window`` has been delivered, which is ``latency_ns`` after its end there.

        A chain may also go from a delivery back to the first link, and is then a window of flits further. Up to the
        last time that it does so, whole flits wait for the slowest link; the rest has the last flit and one before it,
        or the last flit alone.
        """
        ends = [self.arrival_ns(self.final)]
        for flits, rest in ((self.final - 1, max(self._crossings.values())), (self.final, self._last_ns)):
            turns = flits // window
            # The end is linear in the number of times, so that the fewest or the most are the heaviest.
            for times in {1, turns} if turns > 0 else ():
                passes = times * (self.whole_ns + latency_ns) + (flits - times * window) * self.slowest_ns
                ends.append(passes + rest)
        return max(ends)

    def last_arrival_ns(self, releases: Sequence[Fraction]) -> Fraction:
        """The end of the last flit on the last link if flit j is at the first link from ``releases[j]`` on."""
        return max(at + self.arrival_ns(self.final, flit) for flit, at in enumerate(releases))
