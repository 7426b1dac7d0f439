"""The probe's result for people (ADR-0049 D4 to D6). Only ``[v]`` and ``[x]`` at the start of a line are stable."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from benches.probe.formula import TERMS
from benches.probe.model import CaseReport, Comparison, HopTime, ProbeReport
from benches.schedule_report.text import table_of

MARKS = {"PASS": "[v]", "FAIL": "[x]", "INFO": "   "}
TITLES = {
    "h2d": "H2D: the host writes",
    "d2h": "D2H: the host reads",
    "pe_dma": "PE DMA: a PE tile writes",
    "pe_dma_read": "PE DMA: a PE tile reads",
    "pe_dma_far": "PE DMA to the opposite corner",
    "cross_sip": "PE DMA to another package",
    "sram": "PE DMA to and from SRAM",
    "mcpu_write": "DMA of the M_CPU: writes",
    "mcpu_read": "DMA of the M_CPU: reads",
    "tcm": "TCM: fetch and store",
    "compute": "PE tile: one tile through fetch, engine and store",
    "pe_virtual": "PE DMA by virtual addresses",
    "turn_round": "PE DMA: a write, then a read of the same bytes",
    "launch": "kernel launch, from the host and back",
    "path": "from the first part of the graph",
    "memory_write": "writes to the memory",
    "memory_read": "reads from the memory",
}
_KIB = 1 << 10


def print_report(report: ProbeReport, console: Console) -> None:
    """Prints everything the report holds."""
    console.print(f"{report.topology}: {len(report.cases)} cases, {report.nbytes // _KIB} KiB each")
    for category in dict.fromkeys(case.category for case in report.cases):
        cases = [case for case in report.cases if case.category == category]
        console.print(f"\n{TITLES.get(category, category)}")
        _print_summary(cases, console)
        _print_terms(cases, console)
        if any(case.sweep for case in cases):
            _print_sweep(cases, console)
    console.print("\nchecks")
    for check in report.checks:
        console.print(f"{MARKS[check.status]} {check.name}: {check.detail}", soft_wrap=True)
    for unplaced in report.unplaced:
        console.print(f"    {unplaced.name} has no place: {unplaced.reason}", soft_wrap=True)
    if report.comparison is not None:
        _print_comparison(report.comparison, console)
    console.print("\nroutes (ns: wire and overheads up to a part; <BN: the slowest link follows)")
    for case in report.cases:
        _print_route(case, console)


def _print_summary(cases: Sequence[CaseReport], console: Console) -> None:
    table = table_of(
        "case",
        ">hops",
        ">actual ns",
        ">formula",
        ">ovhd",
        ">drain",
        ">wire",
        ">ovhd%",
        ">drain%",
        ">eff.bw",
        ">bn.bw",
        ">util%",
    )
    for c in cases:
        table.add_row(
            c.name,
            str(c.hops),
            f"{c.actual_ns:.2f}",
            f"{c.formula_ns:.2f}",
            f"{c.overhead_ns:.2f}",
            f"{c.drain_ns:.2f}",
            f"{c.wire_ns:.2f}",
            _or_dash(c.overhead_pct),
            _or_dash(c.drain_pct),
            _or_dash(c.eff_bw_gbs),
            _or_dash(c.bottleneck_bw_gbs),
            _or_dash(c.util_pct),
        )
    console.print(table)


def _print_terms(cases: Sequence[CaseReport], console: Console) -> None:
    """Actual - formula, term by term; only the terms that there are."""
    names = [name for name in TERMS if any(name in case.terms for case in cases)]
    if not names:
        return
    table = table_of("actual - formula, ns", *(f">{name}" for name in names), ">unexplained")
    for case in cases:
        table.add_row(
            case.name,
            *(f"{case.terms[name]:.3f}" if name in case.terms else "-" for name in names),
            f"{case.unexplained_ns:.3f}",
        )
    console.print(table)


def _print_sweep(cases: Sequence[CaseReport], console: Console) -> None:
    sizes = [point.nbytes for point in cases[0].sweep]
    table = table_of("utilisation %: simulated (formula)", *(f">{_size(size)}" for size in sizes))
    for case in cases:
        cells = [f"{_or_dash(point.actual_util_pct)} ({_or_dash(point.util_pct)})" for point in case.sweep]
        table.add_row(case.name, *cells)
    console.print(table)


def _print_comparison(rows: Sequence[Comparison], console: Console) -> None:
    console.print("\nbeside the published predecessor (ywkang/kernbench2, May 2026)")
    table = table_of("what", ">published ns", ">here", ">%", "verdict", "why")
    for row in rows:
        table.add_row(
            row.name, f"{row.published_ns:g}", f"{row.ours_ns:g}", f"{row.difference_pct:+.1f}", row.verdict, row.why
        )
    console.print(table)


def _print_route(case: CaseReport, console: Console) -> None:
    console.print(f"{case.name}: {len(case.path)} parts")
    for word, trace in (
        ("command", case.command_trace),
        ("payload", case.hop_trace),
        ("response", case.response_trace),
    ):
        if trace is not None:
            drain = f" drain:{case.drain_ns:.2f}ns" if word == "payload" else ""
            console.print(f"  {word}: {' -> '.join(_hop(hop) for hop in trace)}{drain}", soft_wrap=True)


def _hop(hop: HopTime) -> str:
    mark = f" <BN:{hop.to_next_gbs:g}GB/s>" if hop.bottleneck else ""
    return f"{hop.node} @{hop.t_ns:.2f}{mark}"


def _size(nbytes: int) -> str:
    return f"{nbytes >> 20} MiB" if nbytes >= 1 << 20 else f"{nbytes >> 10} KiB"


def _or_dash(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
