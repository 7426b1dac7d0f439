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
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw each flow's throughput in time, and how busy each link is."),
    ] = None,
    json: JsonTarget = None,
) -> None:
    """Simulate flows that share links, and compare each with its max-min fair share and with itself alone."""
    from benches.cli.output import check_targets, console, emit_json, write_whole
    from benches.flows.read import read_traffic
    from benches.flows.report import report_of

    check_targets({"--json": json, "--plot": plot})
    given = read_traffic(traffic)
    report = report_of(given)
    if plot is not None:
        from benches.flows.plot import plot_of

        write_whole(plot_of(given, report).encode(), str(plot))
    if json is not None:
        emit_json(report, json)
    else:
        from benches.flows.text import print_report

        print_report(report, console())
