"""``kernbench whatif``: the estimate again, with something changed."""

from __future__ import annotations

from typing import Annotated

import typer

from benches.cli.options import Arch, JsonTarget, ProgramFile, Timing

app = typer.Typer(add_completion=False)


@app.command()
def whatif(
    program: ProgramFile,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A change: cost:PE=0.5x, cost:Matmult=300, cost:name:mm=0, ring:10=8, ring:12=unbounded, "
            "overlap:dma=0, coupling=off, anti_deps=off, psum_banks=off, engine_order=off, barriers=off, "
            "collective_share=max_stream, arch=trn3, timing=public. May be repeated.",
        ),
    ] = None,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Rank engines, opcodes and constraints by what they would give.")
    ] = False,
    timing: Timing = "hwm",
    arch: Arch = None,
    json: JsonTarget = None,
) -> None:
    """Estimate a program again with changed costs, depths, couplings or chip, from exact re-runs."""
    from benches.cli.output import console, emit_json
    from benches.whatif_report import print_whatif, whatif_report
    from simcore.errors import InputError, Problem
    from simcore.explain.settings import scenario_of
    from simcore.program.read import load_program

    if not settings and not sensitivity:
        raise InputError([Problem("nothing to ask: give --set KEY=VALUE or --sensitivity", "whatif")])
    loaded = load_program(program)
    scenario = scenario_of(settings or [], loaded)
    report = whatif_report(loaded, scenario, settings or [], arch=arch, timing=timing, sensitivity=sensitivity)
    if json is not None:
        emit_json(report, json)
    else:
        print_whatif(report, console())
