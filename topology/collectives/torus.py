"""Two rings: first those of the rows of a grid, then those of its columns (or the other way round).

``grid`` has a list of ranks for each row. Each half is a ring algorithm over fewer ranks, so that w + h steps do what
takes one ring w * h.
"""

from __future__ import annotations

from collections.abc import Sequence

from topology.collectives.draft import Draft
from topology.collectives.ring import all_gather_ring, broadcast_chain, reduce_scatter_ring
from topology.collectives.send import Run, by_row, joined

Grid = Sequence[Sequence[int]]
"""Ranks, row by row."""

Names = tuple[str, str]
"""What the phases in the rows and those in the columns are called."""

ROWS_COLUMNS: Names = ("rows", "columns")


def all_reduce_torus(
    draft: Draft, grid: Grid, parts: Sequence[Run], names: Names = ROWS_COLUMNS, *, slotted: bool = True
) -> None:
    """``parts``: as many blocks as there are ranks. Rows, columns, and back the same way."""
    (rows, columns), height = names, len(grid)
    own = by_row(parts, height)
    by_column = [joined(blocks) for blocks in own]
    for row in grid:
        reduce_scatter_ring(draft, f"reduce_scatter_{rows}", row, by_column, slotted=slotted)
    for column, blocks in zip(_columns(grid), own, strict=True):
        reduce_scatter_ring(draft, f"reduce_scatter_{columns}", column, blocks, slotted=slotted)
    for column, blocks in zip(_columns(grid), own, strict=True):
        all_gather_ring(draft, f"all_gather_{columns}", column, blocks, slotted=slotted)
    for row in grid:
        all_gather_ring(draft, f"all_gather_{rows}", row, by_column, slotted=slotted)


def reduce_scatter_torus(
    draft: Draft, grid: Grid, blocks: Sequence[Run], names: Names = ROWS_COLUMNS, *, slotted: bool = True
) -> None:
    """Each rank ends with its block; ``blocks`` stand row by row. Columns first: a row's blocks are together."""
    (rows, columns), own_rows = names, by_row(blocks, len(grid[0]))
    for column in _columns(grid):
        whole = [joined(row) for row in own_rows]
        reduce_scatter_ring(draft, f"reduce_scatter_{columns}", column, whole, slotted=slotted)
    for row, own in zip(grid, own_rows, strict=True):
        reduce_scatter_ring(draft, f"reduce_scatter_{rows}", row, own, slotted=slotted)


def all_gather_torus(
    draft: Draft, grid: Grid, blocks: Sequence[Run], names: Names = ROWS_COLUMNS, *, slotted: bool = True
) -> None:
    """Each rank has its block; ``blocks`` stand row by row. Rows first, then whole rows in the columns."""
    (rows, columns), own_rows = names, by_row(blocks, len(grid[0]))
    for row, own in zip(grid, own_rows, strict=True):
        all_gather_ring(draft, f"all_gather_{rows}", row, own, slotted=slotted)
    for column in _columns(grid):
        all_gather_ring(draft, f"all_gather_{columns}", column, [joined(row) for row in own_rows], slotted=slotted)


def broadcast_torus(
    draft: Draft,
    grid: Grid,
    root: tuple[int, int],
    pieces: Sequence[Run],
    names: Names = ROWS_COLUMNS,
    *,
    slotted: bool = True,
) -> None:
    """``root``: row and column of the rank that has the data. Round its row, and from there round each column."""
    (rows, columns), (row, column) = names, root
    order = [(column + i) % len(grid[0]) for i in range(len(grid[0]))]
    down = [(row + i) % len(grid) for i in range(len(grid))]
    broadcast_chain(draft, f"broadcast_{rows}", [grid[row][x] for x in order], pieces, slotted=slotted)
    for x in order:
        broadcast_chain(draft, f"broadcast_{columns}", [grid[y][x] for y in down], pieces, slotted=slotted)


def _columns(grid: Grid) -> list[list[int]]:
    return [list(column) for column in zip(*grid, strict=True)]
