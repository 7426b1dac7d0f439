"""The CSV of measured trn1 kernels: the columns that the bound check needs, every fault with its line."""

from __future__ import annotations

from pathlib import Path

from benches.validate_report.trn1.bound import MeasuredKernel
from simcore.errors import InputError, Problem
from simcore.timing.corpus import Corpus
from simcore.timing.corpus_csv import read_corpus

NS_PER_MS = 1e6
BYTES = ("hbm_read_bytes", "hbm_write_bytes", "sbuf_write_bytes")
SHARES = tuple(f"{engine}_engine_active_time_percent" for engine in ("scalar", "vector", "gpsimd"))
"""Fractions, in spite of their name."""

OPERATIONS = ("hardware_flops", "transpose_flops")
"""Empty where a kernel has none."""


def read_kernels(path: Path) -> list[MeasuredKernel]:
    """The kernels in ``path``. Raises InputError with every missing column and every cell that cannot be."""
    corpus = read_corpus(path, numeric=("latency_ms", *BYTES, *SHARES))
    cells = {column.name: column.cells for column in corpus.columns}
    problems = [
        Problem(f'no column "{name}"', str(path), 1) for name in ("problem", "shape", *OPERATIONS) if name not in cells
    ]
    if problems:
        raise InputError(problems)
    numbers = {
        name: _column(corpus, name, cells[name], problems) for name in ("latency_ms", *BYTES, *SHARES, *OPERATIONS)
    }
    for k, line in enumerate(corpus.lines):
        problems += _faults({name: column[k] for name, column in numbers.items()}, str(path), line)
    if problems:
        raise InputError(sorted(problems, key=lambda p: p.line or 0))
    return [
        MeasuredKernel(
            problem=cells["problem"][k],
            shape=cells["shape"][k],
            latency_ns=numbers["latency_ms"][k] * NS_PER_MS,
            hbm_read_bytes=int(numbers["hbm_read_bytes"][k]),
            hbm_write_bytes=int(numbers["hbm_write_bytes"][k]),
            sbuf_write_bytes=int(numbers["sbuf_write_bytes"][k]),
            hardware_flops=int(numbers["hardware_flops"][k]),
            transpose_flops=int(numbers["transpose_flops"][k]),
            scalar_active=numbers[SHARES[0]][k],
            vector_active=numbers[SHARES[1]][k],
            gpsimd_active=numbers[SHARES[2]][k],
        )
        for k in range(len(corpus.lines))
    ]


def _column(corpus: Corpus, name: str, cells: tuple[str, ...], problems: list[Problem]) -> list[float]:
    found = []
    for cell, line in zip(cells, corpus.lines, strict=True):
        try:
            found.append(float(cell) if cell else 0.0)
        except ValueError:
            problems.append(Problem(f'{name}: "{cell}" is no number', corpus.path, line))
            found.append(0.0)
    return found


def _faults(row: dict[str, float], file: str, line: int) -> list[Problem]:
    faults = [Problem(f"{name}: {value:g} is negative", file, line) for name, value in row.items() if value < 0]
    faults += [Problem(f"{n}: {row[n]:g} (allowed: a fraction, 0 to 1)", file, line) for n in SHARES if row[n] > 1]
    if row["latency_ms"] == 0:
        faults.append(Problem("latency_ms: 0 (allowed: above 0)", file, line))
    if not any(row[name] for name in SHARES):
        faults.append(Problem(f"no engine was active ({', '.join(SHARES)} are all 0)", file, line))
    if row["sbuf_write_bytes"] < row["hbm_read_bytes"]:
        message = "sbuf_write_bytes: fewer than hbm_read_bytes, though all that is read from HBM is written to SBUF"
        faults.append(Problem(message, file, line))
    if row["hardware_flops"] < row["transpose_flops"]:
        faults.append(Problem("hardware_flops: fewer than transpose_flops, which they contain", file, line))
    return faults
