"""``kernbench run``: a program on the simulated machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.command()
def run(
    program: Annotated[Path, typer.Argument(help="Program file: stream, BIR JSON, neuron-profile JSON or columns.")],
    timing: Annotated[
        str, typer.Option(help="Where costs come from: hwm (the oracles) or public (AWS's cycles).")
    ] = "hwm",
    memory: Annotated[
        str, typer.Option(help="What memory adds to the costs: ideal (nothing; then the machine equals PerfSim).")
    ] = "ideal",
    arch: Annotated[
        str | None, typer.Option(help="Run on another generation: trn1, trn2, trn3 or the codename.")
    ] = None,
    events: Annotated[bool, typer.Option("--events", help="List every event.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the critical path, idle times and lower bounds.")
    ] = False,
    json: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write the result as JSON (- for standard output).")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a Chrome trace of all blocks, with dependency arrows.")
    ] = None,
) -> None:
    """Simulate a program on the machine: what each part did, and how that differs from PerfSim's estimate."""
    from benches.cli.output import console, emit_json, note
    from benches.exact_ns import with_exact_times
    from benches.run_report.build import IDEAL, report_of
    from benches.run_report.execute import run_machine
    from simcore.errors import InputError, Problem, hint
    from simcore.perfsim.estimate import prepare
    from simcore.perfsim.estimate import run as estimate
    from simcore.program.read import load_program

    if memory != IDEAL:
        raise InputError([Problem(f'unknown memory "{memory}" {hint(memory, [IDEAL])}', "--memory")])
    prepared = prepare(load_program(program), arch=arch, timing=timing)
    analytic, analytic_without_anti = estimate(prepared), estimate(prepared, include_anti_deps=False)
    machine, without_anti = run_machine(analytic), run_machine(analytic_without_anti)
    report = report_of(machine, without_anti, analytic, analytic_without_anti, events=events, explain=explain)
    if trace is not None:
        from benches.run_report.trace import write_trace

        written = write_trace(trace, prepared.program.name, machine)
        if len(written) > 1:
            note(f"the trace fills {len(written)} files: {', '.join(map(str, written))}")
    if json is not None:
        emit_json(with_exact_times(report), json)
    else:
        from benches.run_report.text import print_report

        print_report(report, console())
