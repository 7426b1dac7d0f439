"""Cells of a mesh as files write them: ``r2c3``."""

from __future__ import annotations

import re

from simcore.program.faults import Path, kind_of, shown
from topology.mesh import Cell
from topology.text.blocks import Reader

_CELL = re.compile(r"r(\d{1,6})c(\d{1,6})")


def router(cell: Cell) -> str:
    """The name of a router inside its mesh."""
    return f"r{cell[0]}c{cell[1]}"


def read_cells(reader: Reader, raw: object, path: Path, w: int, h: int) -> list[Cell]:
    """The cells of a list; a cell outside the ``w`` x ``h`` mesh, or one that stands twice, is a finding."""
    if not isinstance(raw, list):
        reader.add(path, f"expected a list of routers such as r0c1, got {kind_of(raw)}")
        return []
    cells: list[Cell] = []
    for index, word in enumerate(raw):
        cell = read_cell(reader, word, (*path, index), w, h)
        if cell is not None and cell in cells:
            reader.add((*path, index), f"{word} stands twice in the list")
        elif cell is not None:
            cells.append(cell)
    return cells


def read_cell(reader: Reader, raw: object, path: Path, w: int, h: int) -> Cell | None:
    """The cell that ``raw`` names, in a mesh of ``w`` x ``h`` routers."""
    match = _CELL.fullmatch(raw) if isinstance(raw, str) else None
    if match is None:
        got = shown(raw) if isinstance(raw, str) else kind_of(raw)
        reader.add(path, f"expected a router such as r0c1, got {got}")
        return None
    cell = int(match[1]), int(match[2])
    if cell[0] >= h or cell[1] >= w:
        reader.add(path, f"{raw} is outside the {w} x {h} mesh (allowed: r0c0 to r{h - 1}c{w - 1})")
        return None
    return cell
