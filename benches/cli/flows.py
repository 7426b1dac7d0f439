"""``kernbench flows``: many flows at once, beside what fair sharing says (ADR-0061)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benches.cli.options import JsonTarget

app = typer.Typer(add_completion=False)


@app.command()
def flows(
    traffic: Annotated[Path, typer.Argument(metavar="TRAFFIC", help="Traffic file: a system or a graph, and flows.")],
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE.svg", help="Draw each flow's throughput in time, and how busy each link is."),
    ] = None,
    json: JsonTarget = None,
) -> None:
    """Simulate flows that share links, and compare each with its max-min fair share and with itself alone."""
    from benches.cli.output import check_targets, console, emit_json
    from benches.flows.read import read_traffic
    from benches.flows.report import report_of
    from simcore.staged_files import StagedFiles

    check_targets({"--json": json, "--plot": plot})
    given = read_traffic(traffic)
    report = report_of(given)
    # The report is written before the picture appears, so that neither is there without the other.
    with StagedFiles() as staged:
        if plot is not None:
            from benches.flows.plot import plot_of

            with staged.open(plot) as file:
                file.write(plot_of(given, report).encode())
        if json is not None:
            emit_json(report, json, staged)
        else:
            from benches.flows.text import print_report

            print_report(report, console())
