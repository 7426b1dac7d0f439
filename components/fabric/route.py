"""A route: what a path of links costs, in the fabric's exact time, and where transfers on it are held as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from components.fabric.exact_time import ExactTime

if TYPE_CHECKING:
    from components.fabric.hop import Hop
    from components.fabric.link import LinkBase
    from simcore.kernel import Part


@dataclass(frozen=True, slots=True)
class Track:
    """One link as transfers see it; times in units of the fabric's exact time.

    ``per_byte`` and ``service`` (of a whole flit) on the link; ``latency``: from the end of the service to the next
    queue, or to the delivery; ``credit_return``: from a flit's leaving the buffer to its room being the sender's again.
    """

    link: LinkBase[Any]
    per_byte: int
    service: int
    latency: int
    credit_return: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """The tracks between two parts that hold a transfer as a whole; ``overhead``: of the first part, before all."""

    overhead: int
    tracks: tuple[Track, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """The parts on a path, source and destination included, and its stretches: most have one."""

    hops: tuple[Hop, ...]
    stretches: tuple[Stretch, ...]

    @classmethod
    def along(cls, path: Sequence[LinkBase[Any]], flit_bytes: int, time: ExactTime) -> Route:
        """The route of ``path``, whose links follow each other."""
        hops = [hop for link in path[:1] if (hop := link.source) is not None]
        stretches: list[Stretch] = []
        tracks: list[Track] = []
        overhead = time.moment(hops[0].overhead_ticks)
        for link in path:
            hop = link.destination
            assert hop is not None
            hops.append(hop)
            ends = link is path[-1]
            holds = hop.reassembles and not ends
            latency = time.moment(link.latency_ticks + (0 if holds else hop.overhead_ticks))
            per_byte = link.exact_rate(time)
            credit_return = time.moment(link.credit_return_ticks)
            tracks.append(Track(link, per_byte, per_byte * flit_bytes, latency, credit_return))
            if ends or holds:
                stretches.append(Stretch(overhead, tuple(tracks)))
                tracks, overhead = [], time.moment(hop.overhead_ticks)
        return cls(tuple(hops), tuple(stretches))

    def pipeline_depth(self) -> int:
        """The smallest window, in flits, with which a lone transfer keeps the slowest link of each stretch busy.

        A window of w flits comes round once in the time that a flit takes over the stretch; it is enough if the slowest
        link serves no more than w flits in that time.
        """
        return max(_depth(stretch.tracks) for stretch in self.stretches)


def check_path(path: Sequence[LinkBase[Any]], connected: Sequence[LinkBase[Any]], fabric: Part[Any]) -> None:
    """Raises PartError unless ``path`` is one or more of the ``connected`` links of ``fabric``, each once, in a row."""
    if not path:
        raise fabric.error("a path without links has no route")
    for link in path:
        if not 0 <= link.number < len(connected) or connected[link.number] is not link:
            raise link.error(f"is not connected in {fabric.name}")
    for link, following in pairwise(path):
        hop, start = link.destination, following.source
        assert hop is not None and start is not None
        if hop is not start:
            raise following.error(f"starts at {start.name}, but the link before it on a path ends at {hop.name}")
    for i, link in enumerate(path):
        if link in path[:i]:
            raise link.error("stands twice on one path")


def _depth(tracks: Sequence[Track]) -> int:
    over_all = sum(track.service + track.latency for track in tracks)
    slowest = max(track.service for track in tracks)
    return max(1, -(-over_all // slowest)) if slowest else 1
