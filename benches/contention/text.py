"""A bench's report for people."""

from __future__ import annotations

from rich.console import Console

from benches.contention.report import PASS, BenchReport, RowReport
from benches.schedule_report.text import table_of


def print_report(report: BenchReport, console: Console) -> None:
    """Prints the parameters, a row for each quantity, and what they show."""
    console.print(f"{report.bench}: {report.purpose}", soft_wrap=True)
    given = " ".join(f"{name}={value}" for name, value in report.parameters.items())
    if given:
        console.print(given, soft_wrap=True)
    console.print()
    table = table_of("quantity", ">measured", ">analytic", ">error", ">tolerance", "unit", "verdict")
    for row in report.rows:
        error, tolerance = _percent(row.error, row), _percent(row.tolerance, row)
        table.add_row(
            row.quantity, _number(row.measured), _number(row.analytic), error, tolerance, row.unit, row.verdict
        )
    console.print(table)
    console.print()
    failed = sum(row.verdict != PASS for row in report.rows)
    told = "all hold" if not failed else f"{failed} of {len(report.rows)} {'fails' if failed == 1 else 'fail'}"
    console.print(f"{report.verdict}: {told}. {report.says}", soft_wrap=True)
    console.print(f"analytic: {report.analysis}", soft_wrap=True)
    console.print(f"tolerance: {report.tolerance_because}", soft_wrap=True)


def _percent(number: int | float, row: RowReport) -> str:
    """``number`` of the row's analytic value; in the unit where that is 0."""
    if not number:
        return "0"
    if not row.analytic:
        return _number(number)
    percent = 100 * number / row.analytic
    return f"{percent:.2f} %" if abs(percent) >= 0.005 else f"{percent:.1g} %"


def _number(number: int | float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.7g}"
