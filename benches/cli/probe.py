"""``kernbench probe``: lone transfers through a system, simulated and by formula (ADR-0049)."""

from __future__ import annotations

from typing import Annotated

import typer

from benches.cli.options import JsonTarget

app = typer.Typer(add_completion=False)

Topology = Annotated[str, typer.Option(metavar="FILE|NAME", help="A topology file, or the name of a shipped system.")]


@app.command()
def probe(
    topology: Topology = "kernbench_2x4x4",
    case: Annotated[str, typer.Option(metavar="NAME", help="Run one case only.")] = "all",
    further: Annotated[
        bool, typer.Option("--all", help="Also SRAM, TCM, the M_CPU's DMA, another package, kernel launches.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also the published numbers of the predecessor beside ours.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="End with exit code 1 if a check fails.")] = False,
    json: JsonTarget = None,
) -> None:
    """Time lone transfers between the parts of a system and compare them with wire + overhead + drain."""
    from benches.cli.output import console, emit_json
    from benches.probe.build import run_probe
    from topology.loader import load_system

    report = run_probe(load_system(topology), case=case, further=further, with_published=compare)
    if json is not None:
        emit_json(report, json)
    else:
        from benches.probe.text import print_report

        print_report(report, console())
    if strict and any(check.status == "FAIL" for check in report.checks):
        raise typer.Exit(1)
