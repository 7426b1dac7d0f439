"""The report as tables for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from benches.schedule_report.text import table_of
from benches.validate_report.model import (
    AblationRow,
    ErrorOrigin,
    HeldOut,
    ProfileReport,
    Summary,
    ValidateReport,
)

CHAIN_SHOWN = 4
"""Instructions of a chain that are shown, from the jump on."""


def print_report(report: ValidateReport, console: Console) -> None:
    """Prints everything the report holds, the longest lists cut."""
    plural = "s" if len(report.profiles) > 1 else ""
    clock = ""
    if report.measured_throttle:
        clock = ", the measured PE clock"
    elif report.phases > 1:
        clock = f", {report.phases} phases of the PE clock's throttle"
    console.print(f"{report.timing} beside {len(report.profiles)} measured kernel{plural}{clock}")
    _print_windows(report.profiles, report.summary, console)
    for profile in report.profiles:
        _print_profile(profile, console)
    for held_out in ([report.leave_one_out] if report.leave_one_out else []) + (report.families or []):
        _print_held_out(held_out, console)
    if report.ablation is not None:
        _print_ablation(report.ablation, console)


def _print_windows(profiles: Sequence[ProfileReport], summary: Summary, console: Console) -> None:
    table = table_of(
        "kernel",
        ">measured ns",
        ">predicted ns",
        ">5 % ns",
        ">95 % ns",
        ">error %",
        "inside",
        ">PE busy %",
        ">start ns",
        "confidence",
    )
    for p in profiles:
        low, high = p.band_ns
        pe = p.engines["PE"].error_pct if "PE" in p.engines else None
        spread = (f"{low:.0f}", f"{high:.0f}", "yes" if p.inside_band else "no") if low < high else ("-", "-", "-")
        table.add_row(
            p.name,
            str(p.measured_ns),
            f"{p.predicted_ns:.0f}",
            *spread[:2],
            f"{p.error_pct:+.2f}",
            spread[2],
            "-" if pe is None else f"{pe:+.2f}",
            f"{p.median_abs_start_error_ns:.0f}",
            p.confidence,
        )
    console.print(table)
    console.print(
        f"mean absolute error {summary.mean_abs_error_pct:.2f} %, bias {summary.bias_pct:+.2f} %, worst "
        f"{summary.worst_error_pct:+.2f} % ({summary.worst_profile}); median absolute start error "
        f"{summary.median_abs_start_error_ns:.0f} ns",
        soft_wrap=True,
    )


def _print_profile(p: ProfileReport, console: Console) -> None:
    console.print(f"\n{p.name}: {p.instructions} instructions joined")
    table = table_of("engine", ">measured busy ns", ">predicted busy ns", ">error %")
    for name, e in p.engines.items():
        error = "-" if e.error_pct is None else f"{e.error_pct:+.1f}"
        table.add_row(name, f"{e.measured_busy_ns:.0f}", f"{e.predicted_busy_ns:.0f}", error)
    console.print(table)
    table = table_of(
        "opcode",
        "engine",
        "dtype",
        ">count",
        ">start error ns",
        ">median |start| ns",
        ">lasts ns",
        ">error ns",
        ">mean |error| ns",
    )
    for c in p.classes:
        numbers = (c.mean_start_error_ns, c.median_abs_start_error_ns, c.measured_mean_duration_ns)
        more = (c.mean_duration_error_ns, c.mean_abs_duration_error_ns)
        cells = (f"{numbers[0]:+.0f}", f"{numbers[1]:.0f}", f"{numbers[2]:.0f}", f"{more[0]:+.0f}", f"{more[1]:.0f}")
        table.add_row(c.opcode, c.engine, c.dtype, str(c.count), *cells)
    console.print(table)
    if p.transfers is not None:
        t = p.transfers
        console.print(
            f"transfers: {t.count} compared; start {t.mean_start_error_ns:+.0f} ns (median size "
            f"{t.median_abs_start_error_ns:.0f}), span {t.mean_span_error_ns:+.0f} of "
            f"{t.measured_mean_span_ns:.0f} ns, end (median size) {t.median_abs_end_error_ns:.0f} ns",
            soft_wrap=True,
        )
    if p.greatest_error is not None:
        _print_origin(p.greatest_error, console)
    for note in p.notes:
        console.print(f"note: {note}", soft_wrap=True)


def _print_origin(origin: ErrorOrigin, console: Console) -> None:
    console.print(f"greatest start error: {origin.instruction} {origin.error_ns:+.0f} ns", soft_wrap=True)
    jump = origin.jump
    console.print(
        f"  arises at {jump.name} ({jump.opcode} on {jump.engine}, {jump.predicted_cause}): {jump.added_ns:+.0f} ns; "
        f"{origin.behind}",
        soft_wrap=True,
    )
    at = [step.name for step in origin.predicted_chain].index(jump.name)
    onwards = [step.name for step in origin.predicted_chain[at : at + CHAIN_SHOWN]]
    rest = len(origin.predicted_chain) - at - len(onwards)
    console.print(f"  then {' -> '.join(onwards)}" + (f" and {rest} more" if rest else ""), soft_wrap=True)
    if origin.part_at is not None:
        console.print(f"  going back, the chains part at {origin.part_at}", soft_wrap=True)


def _print_held_out(held_out: HeldOut, console: Console) -> None:
    console.print(f"\nheld out: {held_out.held_out}")
    _print_windows(held_out.profiles, held_out.summary, console)
    table = table_of("aim", ">limit", ">reached", "met")
    for aim in held_out.aims:
        table.add_row(aim.name, f"{aim.limit:g}", f"{aim.reached:g}", "yes" if aim.met else "NO")
    console.print(table)


def _print_ablation(rows: Sequence[AblationRow], console: Console) -> None:
    console.print("\nleave-one-out error with each effect switched off")
    table = table_of("without", ">mean |error| %", ">bias %", ">worst %")
    for row in rows:
        errors = f"{row.mean_abs_error_pct:.2f}", f"{row.bias_pct:+.2f}", f"{row.worst_error_pct:+.2f}"
        table.add_row(row.without, *errors)
    console.print(table)
