"""Shortest paths over part of a system's links, with one stated winner among equals."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from fractions import Fraction

from topology.system import LinkSpec

Distance = tuple[int, int]
"""Weight, in the greatest unit that measures every link exactly, and number of links."""


class ShortestPaths:
    """Shortest paths by ``routing_weight_mm``, else ``length_mm``; of equals the one with fewer links.

    Of those that are still equal, the one that goes to the earliest part at the first place where they differ; parts
    count in the order in which ``links`` first name them.
    """

    def __init__(self, links: Iterable[LinkSpec]) -> None:
        kept = list(links)
        unit = math.lcm(*{link.weight_mm.denominator for link in kept})
        self._number: dict[str, int] = {}
        self._after: dict[str, list[tuple[str, int]]] = {}
        self._before: dict[str, list[tuple[str, int]]] = {}
        for link in kept:
            for name in (link.src, link.dst):
                if name not in self._number:
                    self._number[name] = len(self._number)
                    self._after[name], self._before[name] = [], []
            weight = _whole(link.weight_mm * unit)
            self._after[link.src].append((link.dst, weight))
            self._before[link.dst].append((link.src, weight))
        for successors in self._after.values():
            successors.sort(key=lambda pair: self._number[pair[0]])
        self._to: dict[str, dict[str, Distance]] = {}

    def path(self, src: str, dst: str) -> tuple[str, ...]:
        """The parts from ``src`` to ``dst``, both included; empty if there is no way."""
        if src == dst:
            return (src,)
        if src not in self.distances_to(dst):
            return ()
        path = [src]
        while path[-1] != dst:
            path.append(self.next_to(dst, path[-1]))
        return tuple(path)

    def next_to(self, dst: str, name: str) -> str:
        """Where the path from ``name``, which can reach ``dst``, goes first: the same, wherever it began."""
        distance = self.distances_to(dst)
        weight, links = distance[name]
        return next(n for n, w in self._after[name] if distance.get(n) == (weight - w, links - 1))

    def distances_to(self, dst: str) -> dict[str, Distance]:
        """How far every part that can reach ``dst`` is from it."""
        if dst not in self._to:
            self._to[dst] = self._search(dst)
        return self._to[dst]

    def _search(self, dst: str) -> dict[str, Distance]:
        if dst not in self._number:
            return {}
        found: dict[str, Distance] = {}
        heap = [(0, 0, self._number[dst], dst)]
        while heap:
            weight, links, _, name = heapq.heappop(heap)
            if name in found:
                continue
            found[name] = weight, links
            for before, w in self._before[name]:
                if before not in found:
                    heapq.heappush(heap, (weight + w, links + 1, self._number[before], before))
        return found


def _whole(value: Fraction) -> int:
    assert value.denominator == 1
    return value.numerator
