"""Reading and writing a corpus as CSV. Every bad row is reported, each as ``file:line``."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from simcore.errors import InputError, Problem, hint
from simcore.timing.corpus import METADATA, Column, Corpus, unit_of

SMALLEST, LARGEST = 1e-15, 1e15
"""Sizes of a corpus's numbers other than 0: whole cycles stay exact in a double, no square or ratio overflows."""

_HEADER = re.compile(r"\s*([^\[\]]*?)\s*(?:\[\s*([^\[\]]+?)\s*\])?\s*")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


Where = Sequence[tuple[str, str]]
"""Conditions on rows: the cell in a column is exactly this text."""


def read_corpus(path: str | os.PathLike[str], *, numeric: Collection[str] = (), where: Where = ()) -> Corpus:
    """The corpus in ``path``: comma-separated, a header of ``name`` or ``name [unit]``, one measurement a row.

    ``where`` picks rows; ``numeric`` names the columns that must exist and hold a number in every row that was picked.
    Raises InputError with every fault: missing, repeated or nameless columns, rows of another length, cells that are no
    number, conditions that no row meets.
    """
    file = os.fspath(path)
    return parse_corpus(_text(file), file, numeric=numeric, where=where)


def corpus_csv(corpus: Corpus) -> bytes:
    """``corpus`` as a CSV file, its cells as they were read."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(corpus.header)
    writer.writerows(zip(*(column.cells for column in corpus.columns), strict=True))
    return out.getvalue().encode()


def _text(file: str) -> str:
    try:
        return Path(file).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", file)]) from error
    except UnicodeDecodeError as error:
        raise InputError([Problem(f"not UTF-8 text: {error.reason}", file)]) from error


def parse_corpus(text: str, file: str, *, numeric: Collection[str] = (), where: Where = ()) -> Corpus:
    """As :func:`read_corpus`, from text that was read as ``file``."""
    rows = list(_rows(text, file))
    if not rows:
        raise InputError([Problem("the file is empty (expected a header and rows)", file)])
    header = rows[0][1]
    columns = [_heading(cell) for cell in header]
    names = [name for name, _ in columns]
    problems = list(_header_problems(names, file, numeric, where))
    good = []
    for line, cells in rows[1:]:
        if len(cells) == len(header):
            good.append((line, cells))
        else:
            problems.append(Problem(f"{len(cells)} cells in a row of {len(header)} columns", file, line))
    if len(rows) == 1:
        problems.append(Problem("no rows below the header", file, 1))
    for name, wanted in where:
        if name in names and good:
            place = names.index(name)
            known = sorted({row[place].strip() for _, row in good})
            good = [(line, row) for line, row in good if row[place].strip() == wanted]
            if not good:
                problems.append(Problem(f'no row has {name} = "{wanted}" {hint(wanted, known)}', file))
    lines = tuple(line for line, _ in good)
    made = []
    for place, (name, unit) in enumerate(columns):
        column = tuple(row[place].strip() for _, row in good)
        faults = [_number_fault(cell) for cell in column]
        if name in numeric:
            problems += [
                Problem(f"{name}: {fault}", file, line) for line, fault in zip(lines, faults, strict=True) if fault
            ]
        clean = bool(column) and not any(faults) and name not in METADATA
        values = np.array([float(cell) for cell in column]) if clean else None
        made.append(Column(name, unit or unit_of(name), column, values))
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    return Corpus(file, tuple(cell.strip() for cell in header), tuple(made), lines)


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line on which it begins."""
    reader = csv.reader(io.StringIO(text), strict=True)
    begin = 1
    try:
        for cells in reader:
            if cells:
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        raise InputError([Problem(f"not valid CSV: {error}", file, begin)]) from error


def _heading(cell: str) -> tuple[str, str | None]:
    match = _HEADER.fullmatch(cell)
    return (match[1], match[2]) if match else (cell.strip(), None)


def _header_problems(names: list[str], file: str, numeric: Iterable[str], where: Where) -> Iterator[Problem]:
    for place, name in enumerate(names, 1):
        if not name:
            yield Problem(f"column {place} has no name", file, 1)
        elif name in names[: place - 1]:
            yield Problem(f'the column "{name}" stands twice', file, 1)
    for name in dict.fromkeys((*numeric, *(name for name, _ in where))):
        if name not in names:
            yield Problem(f'no column "{name}" {hint(name, names)}', file, 1)
    for name in numeric:
        if name in METADATA and name in names:
            yield Problem(f'"{name}" says when a row was measured; it is no feature and no target', file, 1)


def _number_fault(cell: str) -> str | None:
    if not cell:
        return "the cell is empty (expected a number)"
    if not _NUMBER.fullmatch(cell):
        return f'"{cell}" is no number'
    size = abs(float(cell))
    if size == 0 or SMALLEST <= size <= LARGEST:
        return None
    return f"{cell} is out of range (allowed: 0, or {SMALLEST:g} to {LARGEST:g} in size)"
