"""The report as tables for people."""

from __future__ import annotations

from rich.console import Console

from benches.learned_report.difference import print_learned
from benches.perfsim_report.model import MeasuredComparison, PerfSimReport
from benches.schedule_report.text import ns_text, print_block, print_rests_on, table_of
from benches.unroll_report import print_unroll


def print_report(report: PerfSimReport, console: Console) -> None:
    """Prints everything the report holds."""
    oracle = f"{report.oracle} oracle" if report.timing == "hwm" else f"{report.timing} timing"
    console.print(f"{report.program} on {report.arch} ({oracle})")
    for block in report.blocks:
        print_block(block, console, titled=len(report.blocks) > 1)
    if len(report.blocks) != 1 or report.whole_program_ns != report.blocks[0].makespan_ns:
        console.print(f"whole program with all trips: {ns_text(report.whole_program_ns)}")
    if report.unroll is not None:
        print_unroll(report.unroll, console)
    if report.measured is not None:
        _print_measured(report.measured, console)
    if report.learned is not None:
        print_learned(report.learned, console)
    print_rests_on(report.provenance, report.not_costed, console)
    for note in report.notes:
        console.print(f"note: {note}", soft_wrap=True)


def _print_measured(measured: MeasuredComparison, console: Console) -> None:
    console.print("beside the measured run:")
    table = table_of("", ">measured ns", ">estimated ns", ">difference")
    rows: list[tuple[str, int | None, int]] = [("kernel window", measured.measured_ns, measured.predicted_ns)]
    rows += [(f"{name} busy", e.measured_busy_ns, e.predicted_busy_ns) for name, e in measured.engines.items()]
    for name, seen, predicted in rows:
        difference = f"{(predicted - seen) / seen:+.1%}" if seen else ""
        table.add_row(name, "-" if seen is None else str(seen), str(predicted), difference)
    console.print(table)
