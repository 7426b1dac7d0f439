"""``kernbench perfsim``: the analytic estimate of a program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benches.cli.options import Arch, Events, Explain, JsonTarget, ProgramFile, Timing, Unroll

app = typer.Typer(add_completion=False)


@app.command()
def perfsim(
    program: ProgramFile,
    timing: Timing = "hwm",
    arch: Arch = None,
    events: Events = False,
    explain: Explain = False,
    unroll: Unroll = False,
    json: JsonTarget = None,
    trace_dir: Annotated[Path | None, typer.Option(help="Write a Chrome trace per block into this folder.")] = None,
    package: Annotated[
        bool, typer.Option("--package", help="Pack the traces of --trace-dir as file.perf-sim.")
    ] = False,
    metrics: Annotated[
        Path | None, typer.Option(help="Write PostSchedEstLatency into this metric store (JSON), beside what it holds.")
    ] = None,
    flat_metrics: Annotated[
        bool, typer.Option("--flat-metrics", help="Write the metric store in its flat form.")
    ] = False,
    learned_log: Annotated[
        Path | None,
        typer.Option("--learned-log", metavar="FILE", help="Write each cost that learned:DIR changes, as CSV."),
    ] = None,
) -> None:
    """Estimate how long a program takes, with and without anti-dependencies, and what each engine does meanwhile."""
    from benches.cli.output import check_targets, console, emit_json, note
    from benches.perfsim_report.build import report_of
    from benches.perfsim_report.measured import measured_beside
    from simcore.errors import InputError, Problem
    from simcore.oracle.timing_names import learned_folder
    from simcore.perfsim.estimate import prepare, run
    from simcore.program.read import load_program

    if package and trace_dir is None:
        raise InputError([Problem("needs --trace-dir (the folder whose traces it packs)", "--package")])
    if flat_metrics and metrics is None:
        raise InputError([Problem("needs --metrics (the store whose form it says)", "--flat-metrics")])
    if learned_log is not None and learned_folder(timing) is None:
        raise InputError([Problem("needs --timing learned:DIR (whose costs it compares)", "--learned-log")])
    check_targets({"--json": json, "--metrics": metrics, "--learned-log": learned_log})
    loaded = load_program(program)
    prepared = prepare(loaded, arch=arch, timing=timing)
    unrolling = None
    if unroll:
        from benches.unroll_report import Unrolling

        unrolling = Unrolling.of(prepared)
        prepared = unrolling.prepared
    with_anti, without_anti = run(prepared), run(prepared, include_anti_deps=False)
    measured = measured_beside(loaded, program) if prepared.arch == loaded.arch else None
    loops = None if unrolling is None else unrolling.report([b.schedule for b in with_anti.blocks])
    report = report_of(with_anti, without_anti, events=events, explain=explain, measured=measured, unroll=loops)
    if trace_dir is not None:
        from simcore.trace.chrome import write_traces

        write_traces(with_anti, trace_dir)
    if package and trace_dir is not None:
        from simcore.trace.package import PACKAGE_NAME
        from simcore.trace.package import package as pack

        if pack(trace_dir, trace_dir / PACKAGE_NAME) is None:
            note(f"{trace_dir}: no trace to pack, so no {PACKAGE_NAME} was written")
    if metrics is not None:
        from simcore.trace.metrics import metrics_of
        from simcore.trace.metrics_file import Form, write_metrics

        write_metrics(metrics, metrics_of(with_anti), Form.FLAT if flat_metrics else None)
    if learned_log is not None:
        from benches.cli.output import write_whole
        from benches.learned_report.difference import learned_log as log_of

        write_whole(log_of(with_anti.blocks), str(learned_log))
    if json is not None:
        emit_json(report, json)
    else:
        from benches.perfsim_report.text import print_report

        print_report(report, console())
