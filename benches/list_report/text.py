"""What there is, as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console

from benches.list_report.model import ListReport
from benches.schedule_report.text import table_of


def print_report(report: ListReport, console: Console) -> None:
    """Prints a table for each section that was asked for."""
    if report.benches is not None:
        parameters = [" ".join(f"{p.name}={p.default}" for p in row.parameters) for row in report.benches]
        rows = [(row.name, row.purpose) for row in report.benches]
        _print(console, "benches (kernbench run --bench NAME)", ("name", "purpose"), rows)
        given = zip([row.name for row in report.benches], parameters, strict=True)
        _print(console, "their parameters (--set PARAM=VALUE)", ("name", "parameters and defaults"), given)
    if report.systems is not None:
        rows = [(row.name, row.summary) for row in report.systems]
        _print(console, "systems (--topology NAME)", ("name", "summary"), rows)
    if report.experiments is not None:
        found = [(row.adr, row.id, row.title) for row in report.experiments]
        _print(console, "experiments (kernbench experiment ADR)", ("ADR", "id", "title"), found)
    if report.kernels is not None:
        kernels = [
            (row.name, row.arch, str(row.instructions), "yes" if row.measured else "no", row.file)
            for row in report.kernels
        ]
        _print(console, "kernels (programs)", ("name", "arch", ">instructions", "measured", "file"), kernels)
    if report.parts is not None:
        parts = [
            (row.kind, row.impl + (" *" if row.is_default else ""), " ".join(row.parameters)) for row in report.parts
        ]
        _print(console, "parts (* default of its kind)", ("kind", "impl", "parameters"), parts)
    if report.timings is not None:
        timings = [(row.option, row.word, row.means) for row in report.timings]
        _print(console, "timings and laws", ("option", "word", "means"), timings)
    for note in report.notes:
        console.print(f"note: {note}", soft_wrap=True)


def _print(console: Console, title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = table_of(*headings)
    for row in rows:
        table.add_row(*row)
    console.print(title, style="bold")
    console.print(table)
    console.print()
