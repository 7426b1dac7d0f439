"""``kernbench crosscheck``: both models over the same programs, instruction by instruction."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benches.cli.options import Arch, JsonTarget, Timing

if TYPE_CHECKING:
    from benches.crosscheck import CrosscheckResult

app = typer.Typer(add_completion=False)


@app.command()
def crosscheck(
    programs: Annotated[
        list[Path],
        typer.Argument(metavar="PROGRAM", help="Program files: stream, BIR JSON, neuron-profile JSON or columns."),
    ],
    timing: Timing = "hwm",
    arch: Arch = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A change made in both models: ring:10=8, ring:12=unbounded, overlap:dma=0, coupling=off, "
            "barriers=off, collective_share=max_stream, cost:PE=0.5x. May be repeated.",
        ),
    ] = None,
    unroll: Annotated[bool, typer.Option("--unroll", help="Run every loop trip_count times, in both models.")] = False,
    json: JsonTarget = None,
) -> None:
    """Compare PerfSim and the machine, with and without anti-dependencies; exit code 1 if they differ anywhere."""
    from benches.cli.output import console, emit_json
    from benches.crosscheck.report import print_report, report_of
    from benches.exact_ns import with_exact_times
    from simcore.errors import InputError, Problem

    results: list[tuple[str, CrosscheckResult]] = []
    problems: dict[Problem, None] = {}
    for path in programs:
        try:
            results.append((str(path), _checked(path, arch, timing, settings or [], unroll=unroll)))
        except InputError as error:
            # A fault of the call itself would else be told once per program.
            problems.update(dict.fromkeys(error.problems))
    if problems:
        raise InputError(list(problems))
    if json is not None:
        emit_json(with_exact_times(report_of(results)), json)
    else:
        print_report(results, console())
    if not all(result.equal for _, result in results):
        raise typer.Exit(1)


def _checked(path: Path, arch: str | None, timing: str, settings: list[str], *, unroll: bool) -> CrosscheckResult:
    from benches.crosscheck import crosscheck
    from benches.crosscheck.core import refuse_perfsim_only
    from simcore.explain.settings import scenario_of
    from simcore.program.read import load_program

    program = load_program(path)
    if unroll:
        from simcore.program.unroll import unroll as unrolled

        program = unrolled(program).program
    scenario = scenario_of(settings, program)
    options = scenario.options()
    refuse_perfsim_only(options, include_anti_deps=scenario.include_anti_deps)
    return crosscheck(
        program,
        arch=scenario.arch or arch,
        timing=scenario.timing or timing,
        options=options,
        changes=scenario.changes,
        oracle=scenario.oracle(),
    )
