"""A corpus: one row per measurement, raw facts only, from a CSV file whose header names facts and their units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from simcore.errors import InputError, Problem, hint
from simcore.timing.least_squares import Array

METADATA = ("measured_at",)
"""Columns that say when a row was measured: kept with the corpus, never a feature or a target."""

UNIT_OF_SUFFIX = {
    "cycles": "cycles",
    "cyc": "cycles",
    "ps": "ps",
    "ns": "ns",
    "us": "us",
    "ms": "ms",
    "s": "s",
    "seconds": "s",
    "bytes": "bytes",
    "words": "words",
}
"""Units that a column's name may be or end in (``span_cycles``), where its header gives none in brackets."""

NS_PER_UNIT = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a corpus: ``values`` (rows,) if every cell is a number, else None. ``unit`` None: not stated."""

    name: str
    unit: str | None
    cells: tuple[str, ...]
    values: Array | None


@dataclass(frozen=True, slots=True)
class Corpus:
    """The rows of one file. ``lines`` are their line numbers in it, ``header`` its header cells as written."""

    path: str
    header: tuple[str, ...]
    columns: tuple[Column, ...]
    lines: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns, in file order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """The column called ``name``. Raises InputError with the nearest name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError([Problem(f'no column "{name}" {hint(name, self.names)}', self.path, 1)])

    def numbers(self, name: str) -> Array:
        """The values of a numeric column. Raises InputError for a column of text."""
        values = self.column(name).values
        if values is None:
            raise InputError([Problem(f'the column "{name}" holds text, not numbers', self.path, 1)])
        return values

    def matrix(self, names: Sequence[str]) -> Array:
        """The named columns side by side: (rows, columns)."""
        return np.column_stack([self.numbers(name) for name in names]) if names else np.zeros((len(self), 0))

    def kept(self, rows: Sequence[int]) -> Corpus:
        """The corpus of only ``rows`` (indices)."""
        index = list(rows)
        columns = tuple(
            replace(
                column,
                cells=tuple(column.cells[k] for k in index),
                values=None if column.values is None else column.values[index],
            )
            for column in self.columns
        )
        return replace(self, columns=columns, lines=tuple(self.lines[k] for k in index))

    def where(self, name: str, text: str) -> Corpus:
        """Only the rows whose cell in column ``name`` is ``text``. Raises InputError if there is none."""
        cells = self.column(name).cells
        rows = [k for k, cell in enumerate(cells) if cell == text]
        if not rows:
            known = hint(text, sorted(set(cells)))
            raise InputError([Problem(f'no row has {name} = "{text}" {known}', self.path)])
        return self.kept(rows)

    def ranges(self, *, without: str) -> dict[str, tuple[float, float]]:
        """Lowest and highest value of every numeric column but ``without`` and the metadata."""
        return {
            column.name: (float(np.min(column.values)), float(np.max(column.values)))
            for column in self.columns
            if column.values is not None and column.name != without and column.name not in METADATA
        }


def unit_of(name: str) -> str | None:
    """The unit that the last word of a column's name states, if any; a column called just ``s`` states none."""
    return None if name == "s" else UNIT_OF_SUFFIX.get(name.rpartition("_")[2])


def corpus_of(columns: Mapping[str, Sequence[float]], path: str = "<corpus>") -> Corpus:
    """A corpus of numbers that were not read from a file; line k + 2 is row k, as in the file that it would be."""
    made = []
    for name, numbers in columns.items():
        values = np.asarray(numbers, dtype=np.float64)
        made.append(Column(name, unit_of(name), tuple(cell_text(float(v)) for v in values), values))
    rows = len(made[0].cells) if made else 0
    return Corpus(path, tuple(columns), tuple(made), tuple(range(2, rows + 2)))


def cell_text(value: float) -> str:
    """A number as a cell: the shortest text that reads back as the same double, without a point if it is whole."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
