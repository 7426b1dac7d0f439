"""``kernbench experiment``: runs the experiment of a decision record, or of a file, and judges its claims."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.command()
def experiment(
    target: Annotated[
        str,
        typer.Argument(metavar="FILE|ADR|all", help="A file, a record's number such as 0040, or all."),
    ],
    json: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write the result as JSON (- for standard output).")
    ] = None,
) -> None:
    """Run every variant of an experiment, show what was measured, and judge each claim: exit code 1 if one fails."""
    from benches.cli.output import console, emit_json
    from benches.experiments.catalogue import experiment_files
    from benches.experiments.experiment import load_experiments, run_experiment
    from benches.experiments.report import report_of

    report = report_of([run_experiment(experiment) for experiment in load_experiments(experiment_files(target))])
    if json is not None:
        emit_json(report, json)
    else:
        from benches.experiments.text import print_report

        print_report(report, console())
    if not report.holds:
        raise typer.Exit(1)
