"""``kernbench perfsim``: the analytic estimate of a program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.command()
def perfsim(
    program: Annotated[Path, typer.Argument(help="Program file: stream, BIR JSON, neuron-profile JSON or columns.")],
    timing: Annotated[str, typer.Option(help="Where costs come from: hwm (the oracles) or public (AWS's cycles).")] = "hwm",
    arch: Annotated[str | None, typer.Option(help="Run on another generation: trn1, trn2, trn3 or the codename.")] = None,
    events: Annotated[bool, typer.Option("--events", help="List every event.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show the critical path, idle times and lower bounds.")] = False,
    json: Annotated[str | None, typer.Option(metavar="PATH", help="Write the result as JSON (- for standard output).")] = None,
    trace_dir: Annotated[Path | None, typer.Option(help="Write a Chrome trace per block into this folder.")] = None,
    package: Annotated[bool, typer.Option("--package", help="Pack the traces of --trace-dir as file.perf-sim.")] = False,
    metrics: Annotated[Path | None, typer.Option(help="Write PostSchedEstLatency into this metric store (JSON).")] = None,
) -> None:
    """Estimate how long a program takes, with and without anti-dependencies, and what each engine does meanwhile."""
    from benches.cli.output import emit_json, note
    from benches.perfsim_report.build import report_of
    from benches.perfsim_report.measured import measured_beside
    from simcore.errors import InputError, Problem
    from simcore.perfsim.estimate import prepare, run
    from simcore.program.read import load_program

    if package and trace_dir is None:
        raise InputError([Problem("needs --trace-dir (the folder whose traces it packs)", "--package")])
    loaded = load_program(program)
    prepared = prepare(loaded, arch=arch, timing=timing)
    with_anti, without_anti = run(prepared), run(prepared, include_anti_deps=False)
    measured = measured_beside(loaded, program) if prepared.arch == loaded.arch else None
    report = report_of(with_anti, without_anti, events=events, explain=explain, measured=measured)
    if trace_dir is not None:
        from benches.perfsim_report.traces import write_traces

        write_traces(with_anti, trace_dir)
    if package and trace_dir is not None:
        from simcore.trace.package import package as pack

        if pack(trace_dir, trace_dir / "file.perf-sim") is None:
            note(f"{trace_dir}: no perf_sim.*.json to pack; no package written")
    if metrics is not None:
        from benches.perfsim_report.traces import write_metrics

        write_metrics(with_anti, metrics)
    if json is not None:
        emit_json(report, json)
    if json is None:
        _print(report, events)


def _print(report: object, events: bool) -> None:
    from benches.cli.output import console
    from benches.perfsim_report.model import PerfSimReport
    from benches.perfsim_report.text import print_events, print_report

    assert isinstance(report, PerfSimReport)
    print_report(report, console())
    if events:
        print_events(report, console())
