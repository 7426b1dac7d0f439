"""In the package along rows and a column to one rank, between those of the packages, and back the same way.

The five phases of the published predecessor (ywkang/kernbench2): row reduce, column reduce, exchange between the
packages, column broadcast, row broadcast. Data go as a whole from rank to rank. Between the packages they go round a
ring, round the rings of a torus, or, in a mesh, along rows and a column again.
"""

from __future__ import annotations

from collections.abc import Sequence

from topology.collectives.draft import Draft
from topology.collectives.layout import Grid
from topology.collectives.lines import Lines
from topology.collectives.ring import all_gather_ring, broadcast_chain, reduce_scatter_ring
from topology.collectives.send import Run, by_row, joined
from topology.collectives.torus import all_gather_torus, all_reduce_torus, broadcast_torus, reduce_scatter_torus

EXCHANGE = ("exchange_rows", "exchange_columns")
"""Phases between packages are called after these."""


class Hierarchy:
    """``root``: row and column of the rank of each package at which its data meet."""

    def __init__(self, grid: Grid, root: tuple[int, int]) -> None:
        packages = grid.packages
        count = packages.w * packages.h
        self._packages = [Lines(grid.in_package(package), root, ("rows", "columns")) for package in range(count)]
        roots = [lines.grid[root[0]][root[1]] for lines in self._packages]
        self._roots = [roots[y * packages.w : (y + 1) * packages.w] for y in range(packages.h)]
        self._ring = roots
        self._topology = packages.topology

    def all_reduce(self, draft: Draft, blocks: Sequence[Run]) -> None:
        """``blocks``: as many as there are packages; everybody has all of them."""
        for lines in self._packages:
            lines.reduce(draft, draft.all_parts)
        if self._topology == "ring_1d":
            reduce_scatter_ring(draft, "exchange_reduce_scatter", self._ring, blocks, slotted=False)
            all_gather_ring(draft, "exchange_all_gather", self._ring, blocks, slotted=False)
        elif self._topology == "torus_2d":
            all_reduce_torus(draft, self._roots, blocks, EXCHANGE, slotted=False)
        else:
            lines = self._between((len(self._roots) // 2, len(self._roots[0]) // 2))
            lines.reduce(draft, draft.all_parts)
            lines.broadcast(draft, draft.all_parts)
        for lines in self._packages:
            lines.broadcast(draft, draft.all_parts)

    def reduce_scatter(self, draft: Draft, blocks: Sequence[Run]) -> None:
        """``blocks``: that of each rank."""
        owned, whole = self._by_package(blocks)
        for lines in self._packages:
            lines.reduce(draft, draft.all_parts)
        if self._topology == "ring_1d":
            reduce_scatter_ring(draft, "exchange_reduce_scatter", self._ring, whole, slotted=False)
        elif self._topology == "torus_2d":
            reduce_scatter_torus(draft, self._roots, whole, EXCHANGE, slotted=False)
        else:
            lines = self._between((len(self._roots) // 2, len(self._roots[0]) // 2))
            lines.reduce(draft, draft.all_parts)
            lines.scatter(draft, whole)
        for lines, own in zip(self._packages, owned, strict=True):
            lines.scatter(draft, own)

    def all_gather(self, draft: Draft, blocks: Sequence[Run]) -> None:
        """``blocks``: that of each rank."""
        owned, whole = self._by_package(blocks)
        for lines, own in zip(self._packages, owned, strict=True):
            lines.gather(draft, own)
        if self._topology == "ring_1d":
            all_gather_ring(draft, "exchange_all_gather", self._ring, whole, slotted=False)
        elif self._topology == "torus_2d":
            all_gather_torus(draft, self._roots, whole, EXCHANGE, slotted=False)
        else:
            lines = self._between((len(self._roots) // 2, len(self._roots[0]) // 2))
            lines.gather(draft, whole)
            lines.broadcast(draft, draft.all_parts)
        for lines in self._packages:
            lines.broadcast(draft, draft.all_parts)

    def broadcast(self, draft: Draft) -> None:
        """From the root of the first package."""
        parts = draft.all_parts
        if self._topology == "ring_1d":
            broadcast_chain(draft, "exchange_broadcast", self._ring, [parts], slotted=False)
        elif self._topology == "torus_2d":
            broadcast_torus(draft, self._roots, (0, 0), [parts], EXCHANGE, slotted=False)
        else:
            self._between((0, 0)).broadcast(draft, parts)
        for lines in self._packages:
            lines.broadcast(draft, parts)

    def _between(self, at: tuple[int, int]) -> Lines:
        return Lines(self._roots, at, EXCHANGE, slotted=False)

    def _by_package(self, blocks: Sequence[Run]) -> tuple[list[Sequence[Run]], list[Run]]:
        """The blocks of each package's ranks, and each package's as one."""
        size = len(blocks) // len(self._packages)
        owned = by_row(blocks, size)
        return owned, [joined(own) for own in owned]
