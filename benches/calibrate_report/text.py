"""The reports of ``kernbench calibrate`` as text for people."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from benches.calibrate_report.model import FitReport, ModelRow, PlatformReport, ShowReport, Unidentified

FEW_KNOTS = 8
"""Knots of a table that are listed; of more only the number is said."""


def print_fit(report: FitReport, console: Console) -> None:
    """A fit: the law, how well it meets its rows, what it cannot tell."""
    unit = report.unit or "cycles, as its header gives no unit"
    law = f"{report.target} ({unit}) of {', '.join(report.features)} as {report.form}"
    console.print(f"{law}, from {report.corpus}", soft_wrap=True)
    console.print(f"  {law_text(report.form, report.coefficients)}", soft_wrap=True)
    if report.unroll_r2 is not None:
        scores = ", ".join(f"{unroll}: {_r2(r2)}" for unroll, r2 in report.unroll_r2.items())
        console.print(f"  unroll {report.unroll} fits best (R2 by factor {scores})")
    confirmed = f"{report.n_points} rows, {report.n_distinct_points} different, {report.n_free_parameters} parameters"
    console.print(f"  {confirmed}; R2 {_r2(report.r2)}; confidence inside its range {report.confidence}")
    left_out = report.loo_max_rel_error_pct
    console.print(
        f"  worst error {report.max_rel_error_pct:.2f} % at its rows"
        + (f", {left_out:.2f} % at rows left out" if left_out is not None else "")
        + f"; bias {report.bias_pct:+.3f} % ({report.side})"
    )
    if report.holdout is not None:
        held = report.holdout
        outside = f"; {held.extrapolated} of them EXTRAPOLATED" if held.extrapolated else ""
        console.print(
            f"  holdout: {held.n_points} rows, worst error {held.max_rel_error_pct:.2f} %, "
            f"bias {held.bias_pct:+.3f} % ({held.side}){outside}"
        )
    console.print(f"  measured {ranges_text(report.ranges, report.features)}", soft_wrap=True)
    if report.degenerate_fit:
        console.print("  no more different rows than parameters: meeting them proves nothing")
    if report.measured_as_zero:
        console.print(f"  {report.measured_as_zero} rows were measured as 0 and have no relative error")
    if report.below_zero:
        console.print(f"  at {report.below_zero} rows the law is below 0, which counts as 0")
    _print_unidentified(report.not_identifiable, console)
    if report.stored is not None:
        console.print(f"  stored in {report.stored}")


def print_show(report: ShowReport, console: Console) -> None:
    """What a platform holds."""
    console.print(platform_line(report.platform, report.part, report.clock_hz))
    if report.models:
        console.print(_models(report.models))
    else:
        console.print("no fitted model")
    for name in report.uncalibrated:
        console.print(f"{name}: collected, not fitted: UNCALIBRATED")


def print_platform(report: PlatformReport, console: Console) -> None:
    """Every law fitted again, row by row."""
    console.print(platform_line(report.platform, report.part, report.clock_hz))
    for check in report.models:
        row = check.model
        verdict = {True: "follows from its rows", False: "DOES NOT FOLLOW from its rows", None: "no rows were kept"}
        console.print(f"\n{row.name} ({row.form}, {row.confidence}): {verdict[check.follows]}")
        console.print(f"  {law_text(row.form, row.coefficients)}", soft_wrap=True)
        console.print(f"  measured {ranges_text(row.ranges, row.features)}", soft_wrap=True)
        if check.bias_pct is not None:
            console.print(f"  bias {check.bias_pct:+.3f} % ({check.side})")
        _print_unidentified(check.not_identifiable, console)
        if check.points:
            names = list(check.points[0].facts)
            table = _table(*(f">{name}" for name in names), ">measured", ">predicted", ">error %")
            for point in check.points:
                error = "" if point.error_pct is None else f"{point.error_pct:+.2f}"
                facts = [f"{value:g}" for value in point.facts.values()]
                table.add_row(*facts, f"{point.measured:g}", f"{point.predicted:g}", error)
            console.print(table)
    for name in report.uncalibrated:
        console.print(f"\n{name}: collected, not fitted: UNCALIBRATED")


def law_text(form: str, coefficients: dict[str, Any]) -> str:
    """A law's numbers on one line."""
    if form == "table":
        return _knots(zip(coefficients["x"], coefficients["y"], strict=True), len(coefficients["x"]))
    if form == "lookup":
        points = (", ".join(f"{value:g}" for value in point) for point in coefficients["points"])
        return _knots(zip(points, coefficients["values"], strict=True), len(coefficients["points"]))
    return ", ".join(f"{name} {value:.6g}" for name, value in coefficients.items())


def _knots(pairs: Any, count: int) -> str:
    shown = [f"{x} -> {y:g}" if isinstance(x, str) else f"{x:g} -> {y:g}" for x, y in pairs][:FEW_KNOTS]
    return "; ".join(shown) + (f" and {count - FEW_KNOTS} more" if count > FEW_KNOTS else "")


def _models(rows: tuple[ModelRow, ...]) -> Table:
    table = _table("model", "form", "law", ">rows", ">R2", ">worst %", ">left out %", "confidence", "from")
    for row in rows:
        left_out = "" if row.loo_max_rel_error_pct is None else f"{row.loo_max_rel_error_pct:.2f}"
        law = _short_law(row) + ("" if row.identifiable else " (not identifiable)")
        cells = (row.name, row.form, law, str(row.n_points), _r2(row.r2), f"{row.max_rel_error_pct:.2f}", left_out)
        table.add_row(*cells, row.confidence, f"{row.obtained}, {row.corpus}")
    return table


def _short_law(row: ModelRow) -> str:
    if row.form in ("table", "lookup"):
        return f"{len(row.coefficients['x' if row.form == 'table' else 'points'])} values"
    return law_text(row.form, row.coefficients)


def _print_unidentified(reasons: tuple[Unidentified, ...], console: Console) -> None:
    for reason in reasons:
        names = " and ".join(reason.coefficients)
        console.print(f"  not identifiable: {names} ({reason.reason} in every row)", soft_wrap=True)
        console.print(f"    {reason.advice}", soft_wrap=True)


def platform_line(path: str, part: str | None, clock_hz: int | float | None) -> str:
    """What a platform is, on one line."""
    clock = "clock not stated" if clock_hz is None else f"{clock_hz / 1e6:g} MHz"
    return f"{path}: {part or 'part not stated'}, {clock}; all timing in cycles"


def ranges_text(ranges: dict[str, tuple[float, float]], features: tuple[str, ...]) -> str:
    """What was measured: the range of each feature, and how many other facts have one (JSON lists them)."""
    listed = ", ".join(f"{name} {ranges[name][0]:g}..{ranges[name][1]:g}" for name in features if name in ranges)
    others = len([name for name in ranges if name not in features])
    return listed + (f" (and {others} other facts)" if others else "")


def _r2(r2: float | None) -> str:
    return "-" if r2 is None else f"{r2:.6f}".rstrip("0").rstrip(".")


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading.lstrip(">"), justify="right" if heading.startswith(">") else "left", overflow="fold")
    return table
