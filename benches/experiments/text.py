"""The report for people: a table of variants and metrics, then each claim with both sides of what it compares."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from rich.console import Console
from rich.table import Table

from benches.experiments.report import ClaimReport, ComparedReport, ExperimentReport, Report, VariantReport

MAX_DECIMALS = 6
"""A number with more is shown to six significant digits."""


GAP = 2
"""Blanks between columns."""

Column = tuple[str, list[str]]


def print_report(report: Report, console: Console) -> None:
    """Prints all experiments, and what came of their claims."""
    for experiment in report.experiments:
        _print_experiment(experiment, console)
        console.print()
    claims = [claim for experiment in report.experiments for claim in experiment.claims]
    failed = sum(not claim.holds for claim in claims)
    told = f"{failed} {'fails' if failed == 1 else 'fail'}" if failed else "all hold"
    console.print(f"{_count(len(report.experiments), 'experiment')}, {_count(len(claims), 'claim')}: {told}")


def _print_experiment(experiment: ExperimentReport, console: Console) -> None:
    of = f" (ADR-{experiment.adr})" if experiment.adr else ""
    console.print(f"{experiment.id}{of}: {experiment.title}", soft_wrap=True)
    console.print(experiment.file, soft_wrap=True)
    _print_table(experiment, console)
    for claim in experiment.claims:
        _print_claim(claim, console)


def _print_claim(claim: ClaimReport, console: Console) -> None:
    console.print(f"{'PASS' if claim.holds else 'FAIL'}  {claim.says}", soft_wrap=True)
    of_each = claim.verdicts[0].variant is not None
    if of_each:
        console.print(f"      {_one_line(claim.formula)}", soft_wrap=True)
    width = max(len(verdict.variant or "") for verdict in claim.verdicts)
    for verdict in claim.verdicts:
        if of_each:
            failed = "" if verdict.holds else "  <- fails"
            told = "; ".join(map(_values, verdict.compared))
            console.print(f"        {verdict.variant:{width}}  {told}{failed}", soft_wrap=True)
        else:
            for compared in verdict.compared:
                written = f"{compared.left} {compared.operator} {compared.right}"
                console.print(f"      {_one_line(written)}: {_values(compared)}", soft_wrap=True)


def _print_table(experiment: ExperimentReport, console: Console) -> None:
    """Variants and metrics, the longer of the two downwards, in as many tables as the width needs."""
    rows = [[_cell(variant, *row) for row in experiment.rows] for variant in experiment.variants]
    names = [variant.name for variant in experiment.variants]
    metrics = [metric if what is None else f"{metric} {what}" for metric, what in experiment.rows]
    if len(names) > len(metrics):
        headings = [metric if what is None else f"{metric}\n{what}" for metric, what in experiment.rows]
        down, columns = names, list(zip(headings, map(list, zip(*rows, strict=True)), strict=True))
    else:
        down, columns = metrics, list(zip(names, rows, strict=True))
    for part in _parts(columns, console.width - max(map(len, down))):
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
        table.add_column("", no_wrap=True)
        for heading, _ in part:
            table.add_column(heading, justify="right", no_wrap=True)
        for name, *cells in zip(down, *(cells for _, cells in part), strict=True):
            table.add_row(name, *cells)
        console.print(table)


def _parts(columns: list[Column], room: int) -> Iterator[list[Column]]:
    """The columns in groups that each fit into ``room`` characters; one that is too wide stands alone."""
    part: list[Column] = []
    left = room
    for heading, cells in columns:
        width = GAP + max(map(len, [*heading.split("\n"), *cells]))
        if part and width > left:
            yield part
            part, left = [], room
        part.append((heading, cells))
        left -= width
    if part:
        yield part


def _cell(variant: VariantReport, metric: str, what: str | None) -> str:
    value = variant.metrics[metric] if what is None else variant.by[metric].get(what)
    return "-" if value is None else _number(Fraction(value))


def _values(compared: ComparedReport) -> str:
    """Both sides in full: as decimals, or as fractions with about what they are."""
    left, right = (Fraction(side) for side in compared.exact)
    told = f"{_exact(left)} {compared.operator} {_exact(right)}"
    about = " and ".join(dict.fromkeys(_number(side) for side in (left, right) if not _is_short(side)))
    return f"{told} (about {about})" if about else told


def _exact(value: Fraction) -> str:
    return _number(value) if _is_short(value) else str(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    if _is_short(value):
        return f"{float(value):.{MAX_DECIMALS}f}".rstrip("0")
    return f"{float(value):.6g}"


def _is_short(value: Fraction) -> bool:
    return bool((value * 10**MAX_DECIMALS).denominator == 1)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
