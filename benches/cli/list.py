"""``kernbench list``: what there is to run, to build from and to cost with."""

from __future__ import annotations

from typing import Annotated

import typer

from benches.cli.options import JsonTarget

app = typer.Typer(add_completion=False)


@app.command("list")
def list_all(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="WHAT", help="Only benches, systems, experiments, kernels, parts or timings; else everything."
        ),
    ] = None,
    json: JsonTarget = None,
) -> None:
    """List benches with their parameters, shipped systems, experiments, kernels, registered parts and timings."""
    from benches.cli.output import check_targets, console, emit_json
    from benches.list_report.build import SECTIONS, report_of
    from simcore.errors import InputError, Problem, hint

    if what is not None and what not in SECTIONS:
        raise InputError([Problem(f'nothing is called "{what}" {hint(what, SECTIONS)}', "WHAT")])
    check_targets({"--json": json})
    report = report_of(SECTIONS if what is None else (what,))
    if json is not None:
        emit_json(report, json)
    else:
        from benches.list_report.text import print_report

        print_report(report, console())
