"""``kernbench run``: programs, or a bench, on the simulated machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benches.cli.options import Arch, Events, Explain, JsonTarget, Phases, Timing, Unroll, is_given
from benches.cli.run_bench import run_bench_instead

app = typer.Typer(add_completion=False)


@app.command()
def run(
    context: typer.Context,
    program: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PROGRAM...", help="Program file: stream, BIR JSON, neuron-profile JSON or columns; one per device."
        ),
    ] = None,
    timing: Timing = "hwm",
    memory: Annotated[
        str,
        typer.Option(
            help="What memory adds to the costs: ideal (nothing; then the machine equals PerfSim), or fabric (what "
            "transfers take over the links of --topology, at its memories and at the core's SBUF)."
        ),
    ] = "ideal",
    topology: Annotated[
        str | None, typer.Option(metavar="FILE|NAME", help="The system that the programs, or the bench, run on.")
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(metavar="CORE[,CORE..]|all", help="Which cores of the system run the programs."),
    ] = None,
    collective: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How devices that run together do their collectives over the fabric: ring (if nothing is said), torus "
            "or hierarchical.",
        ),
    ] = None,
    arch: Arch = None,
    events: Events = False,
    explain: Explain = False,
    unroll: Unroll = False,
    json: JsonTarget = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a Chrome trace of all blocks, with dependency arrows.")
    ] = None,
    bench: Annotated[
        str | None, typer.Option(metavar="NAME", help="Run a bench of contention instead; kernbench list names them.")
    ] = None,
    phases: Phases = 32,
    phase_ns: Annotated[
        float | None,
        typer.Option("--phase-ns", min=0.0, help="One run of --timing platform:, this far into a throttle window."),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="PARAM=VALUE", help="A parameter of the bench (repeatable).")
    ] = None,
) -> None:
    """Simulate programs on the machine: what each part did, and how that differs from PerfSim's estimate."""
    if run_bench_instead(context, program[0] if program else None, bench, settings or [], topology, json):
        return
    assert program
    from simcore.oracle.timing_names import platform_of

    if (platform := platform_of(timing)) is not None:
        from benches.cli.run_on_device import run_on_device

        run_on_device(
            program[0],
            platform,
            memory=memory,
            phases_given=is_given(context, "phases"),
            refused={
                "--topology": topology,
                "--device": device,
                "--collective": collective,
                "--arch": arch,
                "--unroll": unroll,
                "--trace": trace,
                "PROGRAM": program[1:],
            },
            runs=phases,
            phase_ns=phase_ns,
            events=events,
            explain=explain,
            json=json,
        )
        return
    from benches.cli.output import check_targets, console, emit_json, note
    from benches.cli.run_on_device import refuse_phases
    from benches.exact_ns import with_exact_times
    from benches.run_report.build import FABRIC, IDEAL, report_of
    from benches.run_report.execute import run_machine
    from simcore.errors import InputError, Problem, hint
    from simcore.perfsim.estimate import prepare
    from simcore.perfsim.estimate import run as estimate
    from simcore.program.read import load_program

    if memory not in (IDEAL, FABRIC):
        raise InputError([Problem(f'unknown memory "{memory}" {hint(memory, [IDEAL, FABRIC])}', "--memory")])
    refuse_phases(context, "phases", "phase_ns")
    check_targets({"--json": json, "--trace": trace})
    if memory == FABRIC:
        from benches.cli.run_on_fabric import run_programs

        run_programs(
            [prepare(load_program(file), arch=arch, timing=timing) for file in program],
            topology,
            device,
            collective,
            events=events,
            explain=explain,
            unroll=unroll,
            json=json,
            trace=trace,
        )
        return
    beside = {
        "--topology": topology,
        "--device": device,
        "--collective": collective,
        "PROGRAM": program[1] if len(program) > 1 else None,
    }
    misplaced = [Problem(f"goes with --memory {FABRIC}", name) for name, value in beside.items() if value is not None]
    if misplaced:
        raise InputError(misplaced)
    loaded = load_program(program[0])
    prepared = prepare(loaded, arch=arch, timing=timing)
    unrolling = None
    if unroll:
        from benches.unroll_report import Unrolling

        unrolling = Unrolling.of(prepared)
        prepared = unrolling.prepared
    analytic, analytic_without_anti = estimate(prepared), estimate(prepared, include_anti_deps=False)
    machine, without_anti = run_machine(analytic), run_machine(analytic_without_anti)
    loops = None if unrolling is None else unrolling.report([block.schedule for block in machine])
    report = report_of(
        machine, without_anti, analytic, analytic_without_anti, events=events, explain=explain, unroll=loops
    )
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
