"""The bound check as a result for machines and as a table for people."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.console import Console

from benches.schedule_report.text import table_of
from benches.validate_report.trn1.bound import KernelBound, MeasuredKernel, bound_of

SCHEMA = "kernbench.trn1-bound/1"

CHECKED = (
    "PE: rows by hardware_flops and transpose_flops at 2 and 1 cycles, against the latency",
    "DMA: HBM bytes at 16 x 27.2 bytes/ns, against the latency (in practice: at 16 x 17)",
    "Vector, Scalar, GpSimd together: one cycle per float32 element written, against their active cycles",
)
NOT_CHECKED = (
    "activity of PE and DMA: no column",
    "which of the three elementwise engines did what: the bytes are not split by engine",
    "fixed costs, waits, single instructions: the rows are totals of a run",
)


class BoundRow(msgspec.Struct):
    """One kernel; the shares are documented lower bound / measured, ``practical_dma_share`` is no bound."""

    problem: str
    shape: str
    measured_ns: float
    pe_bound_ns: float
    pe_share: float
    dma_bound_ns: float
    dma_share: float
    practical_dma_share: float
    element_bound_cycles: float
    active_cycles: float
    element_share: float
    holds: bool


class BoundReport(msgspec.Struct):
    """The whole check."""

    schema: str
    source: str
    checked: list[str]
    not_checked: list[str]
    kernels: list[BoundRow]
    holds: bool


def report_of(kernels: Sequence[MeasuredKernel], source: str) -> BoundReport:
    """The bounds of ``kernels``, which were read from ``source``."""
    rows = [_row(bound_of(kernel)) for kernel in kernels]
    return BoundReport(SCHEMA, source, list(CHECKED), list(NOT_CHECKED), rows, all(row.holds for row in rows))


def _row(bound: KernelBound) -> BoundRow:
    return BoundRow(
        problem=bound.problem,
        shape=bound.shape,
        measured_ns=round(bound.latency_ns, 3),
        pe_bound_ns=round(bound.pe_ns, 3),
        pe_share=round(bound.pe_share, 4),
        dma_bound_ns=round(bound.dma_peak_ns, 3),
        dma_share=round(bound.dma_share, 4),
        practical_dma_share=round(bound.dma_practical_ns / bound.latency_ns, 4),
        element_bound_cycles=bound.element_cycles,
        active_cycles=round(bound.active_cycles, 1),
        element_share=round(bound.element_share, 4),
        holds=bound.holds,
    )


def print_report(report: BoundReport, console: Console) -> None:
    """Prints the check; a share above 1 breaks a bound."""
    console.print(f"{len(report.kernels)} kernels on trn1: documented lower bound / measured")
    table = table_of(
        "kernel", "shape", ">measured us", ">PE", ">DMA at peak", ">DMA in practice", ">elementwise", "holds"
    )
    for row in report.kernels:
        shares = (row.pe_share, row.dma_share, row.practical_dma_share, row.element_share)
        cells = (f"{share:.2f}" for share in shares)
        table.add_row(row.problem, row.shape, f"{row.measured_ns / 1000:.1f}", *cells, "yes" if row.holds else "NO")
    console.print(table)
    for title, lines in (("checked", report.checked), ("not in the file", report.not_checked)):
        for line in lines:
            console.print(f"{title}: {line}", soft_wrap=True)
