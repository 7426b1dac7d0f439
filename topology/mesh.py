"""A mesh of routers, some of which may be left out, and the way through it: along the row first, then the column."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

Cell = tuple[int, int]
"""Row (0 is the northernmost) and column (0 is the westernmost) of a router."""

NORTH, SOUTH, WEST, EAST = (-1, 0), (1, 0), (0, -1), (0, 1)
_STEPS = (EAST, WEST, NORTH, SOUTH)
_LETTER = {NORTH: "N", SOUTH: "S", WEST: "W", EAST: "E"}


@dataclass(slots=True)
class MeshShape:
    """A ``w`` x ``h`` grid without its ``holes``. Meshes of one shape share it, and with it the ways already found."""

    w: int
    h: int
    holes: frozenset[Cell]
    _ways: dict[tuple[Cell, Cell], tuple[Cell, ...]] = field(default_factory=dict, repr=False)
    _headings: dict[tuple[Cell, Cell], str] = field(default_factory=dict, repr=False)

    def __contains__(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.h and 0 <= cell[1] < self.w and cell not in self.holes

    def cells(self) -> Iterator[Cell]:
        """Every router's cell, row by row."""
        for row in range(self.h):
            for column in range(self.w):
                if (row, column) not in self.holes:
                    yield row, column

    def neighbours(self, cell: Cell) -> Iterator[Cell]:
        """The cells that a link joins to ``cell``: east, west, north, south."""
        for step in _STEPS:
            other = (cell[0] + step[0], cell[1] + step[1])
            if other in self:
                yield other

    def way(self, src: Cell, dst: Cell) -> tuple[Cell, ...]:
        """The cells from ``src`` to ``dst``, both included; empty if the holes leave none.

        Row first, then column, where no hole is in the way. Otherwise the shortest way that never leaves the southward
        direction again, which cannot close a cycle of channels (the turn model, mirrored, of C. J. Glass and L. M. Ni,
        ISCA 1992); among equals the first that goes east, west, north, south. Only where there is no such way,
        the shortest of all.
        """
        key = (src, dst)
        if key not in self._ways:
            self._ways[key] = self._straight(src, dst) or self._around(src, dst, True) or self._around(src, dst, False)
        return self._ways[key]

    def headings(self, src: Cell, dst: Cell) -> str:
        """The steps of :meth:`way`, one of ``N``, ``S``, ``W``, ``E`` each."""
        key = (src, dst)
        if key not in self._headings:
            steps = pairwise(self.way(src, dst))
            self._headings[key] = "".join(_LETTER[b[0] - a[0], b[1] - a[1]] for a, b in steps)
        return self._headings[key]

    def _straight(self, src: Cell, dst: Cell) -> tuple[Cell, ...]:
        (row, column), cells = src, [src]
        while column != dst[1]:
            column += 1 if dst[1] > column else -1
            cells.append((row, column))
        while row != dst[0]:
            row += 1 if dst[0] > row else -1
            cells.append((row, column))
        return tuple(cells) if all(cell in self for cell in cells) else ()

    def _around(self, src: Cell, dst: Cell, south_last: bool) -> tuple[Cell, ...]:
        start = (src, (0, 0))
        came_from: dict[tuple[Cell, Cell], tuple[Cell, Cell] | None] = {start: None}
        todo = deque([start])
        while todo:
            state = todo.popleft()
            cell, heading = state
            if cell == dst:
                return _walked_back(came_from, state)
            for step in _STEPS:
                back = (-heading[0], -heading[1])
                if (heading != (0, 0) and step == back) or (south_last and heading == SOUTH and step != SOUTH):
                    continue
                after = ((cell[0] + step[0], cell[1] + step[1]), step)
                if after[0] in self and after not in came_from:
                    came_from[after] = state
                    todo.append(after)
        return ()


def _walked_back(
    came_from: Mapping[tuple[Cell, Cell], tuple[Cell, Cell] | None], state: tuple[Cell, Cell] | None
) -> tuple[Cell, ...]:
    cells = []
    while state is not None:
        cells.append(state[0])
        state = came_from[state]
    return tuple(reversed(cells))


def leaves_south(headings: str) -> bool:
    """Whether a way with these steps turns from the southward direction into another."""
    return bool(headings[headings.find("S") :].strip("S")) if "S" in headings else False


@dataclass(frozen=True, eq=False)
class RouterMesh:
    """A mesh in a system: its routers are called ``<name>.r<row>c<column>``."""

    name: str
    shape: MeshShape

    @cached_property
    def router(self) -> dict[Cell, str]:
        """The router in each cell."""
        return {(row, column): f"{self.name}.r{row}c{column}" for row, column in self.shape.cells()}

    @cached_property
    def cell(self) -> dict[str, Cell]:
        """The cell of each router."""
        return {router: cell for cell, router in self.router.items()}

    def route(self, src: str, dst: str) -> tuple[str, ...]:
        """The routers from ``src`` to ``dst``, both included."""
        return tuple([self.router[cell] for cell in self.shape.way(self.cell[src], self.cell[dst])])
