"""``kernbench validate``: a timing's predictions beside what profiles measured on hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benches.cli.options import JsonTarget, Phases, is_given

app = typer.Typer(add_completion=False)


@app.command()
def validate(
    context: typer.Context,
    profiles: Annotated[
        list[Path] | None, typer.Argument(metavar="PROFILE...", help="neuron-profile JSON of runs on hardware.")
    ] = None,
    timing: Annotated[
        str,
        typer.Option(metavar="T", help="hwm, public, platform:NAME or platform:DIR (trn2 is shipped), learned:DIR."),
    ] = "hwm",
    program: Annotated[
        Path | None,
        typer.Option(metavar="PROGRAM", help="Predict this program instead of the one the (only) profile shows."),
    ] = None,
    leave_one_out: Annotated[
        bool, typer.Option("--leave-one-out", help="Predict each profile, and each family, fitted on the others.")
    ] = False,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Leave one out again with each effect of the platform switched off.")
    ] = False,
    phases: Phases = 32,
    measured_throttle: Annotated[
        bool, typer.Option("--measured-throttle", help="Take the PE clock from the profile (for diagnosis only).")
    ] = False,
    trn1: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="Check totals of trn1 kernels against the documented costs instead."),
    ] = None,
    json: JsonTarget = None,
) -> None:
    """Hold predictions against measurements: windows, engines, instructions, transfers, and where errors come from."""
    from benches.cli.output import check_targets, console, emit_json, progress
    from benches.cli.run_on_device import refuse_phases
    from simcore.errors import InputError, Problem
    from simcore.oracle.timing_names import platform_of

    if trn1 is not None or platform_of(timing) is None:
        refuse_phases(context, "phases")
    elif measured_throttle and is_given(context, "phases"):
        raise InputError([Problem("one run, at the measured clock, has none (allowed: either)", "--phases")])
    check_targets({"--json": json})
    if trn1 is not None:
        if profiles or program is not None or leave_one_out or ablation or measured_throttle:
            raise InputError([Problem("is a check of its own (allowed beside it: --json)", "--trn1")])
        from benches.validate_report.trn1.read import read_kernels
        from benches.validate_report.trn1.report import print_report as print_bound
        from benches.validate_report.trn1.report import report_of as bound_report

        bound = bound_report(read_kernels(trn1), trn1.name)
        if json is not None:
            emit_json(bound, json)
        else:
            print_bound(bound, console())
        if not bound.holds:
            raise typer.Exit(1)
        return
    from benches.validate_report.run import Request, run_validation

    request = Request(
        profiles=tuple(profiles or ()),
        timing=timing,
        program=program,
        leave_one_out=leave_one_out,
        ablation=ablation,
        phases=phases,
        measured_throttle=measured_throttle,
    )
    try:
        report = run_validation(request, progress)
    finally:
        progress("")
    if json is not None:
        emit_json(report, json)
    else:
        from benches.validate_report.text import print_report

        print_report(report, console())
