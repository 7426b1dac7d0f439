"""``kernbench run --timing platform:NAME|DIR``: a program on a device platform."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from benches.cli.options import is_given


def run_on_device(
    program: Path,
    platform: str,
    *,
    memory: str,
    phases_given: bool,
    refused: Mapping[str, object],
    runs: int,
    phase_ns: float | None,
    events: bool,
    explain: bool,
    json: str | None,
) -> None:
    """Runs one program and prints or writes the report. ``refused`` are options that a device has no use for."""
    from benches.cli.output import check_targets, console, emit_json
    from benches.device_report.build import device_report
    from benches.device_report.text import print_device_report
    from simcore.errors import InputError, Problem
    from simcore.program.read import load_program
    from topology.platforms import load_device_platform

    problems = [
        Problem("goes with a cost table, not with --timing platform:", name) for name, value in refused.items() if value
    ]
    if memory != "ideal":
        text = f'"{memory}": a platform has its own DMA engines and its own device memory (allowed: ideal)'
        problems.append(Problem(text, "--memory"))
    if phases_given and phase_ns is not None:
        problems.append(Problem("is of one run (allowed: one of --phases and --phase-ns)", "--phase-ns"))
    if problems:
        raise InputError(problems)
    check_targets({"--json": json})
    report = device_report(
        load_program(program),
        load_device_platform(platform),
        runs=runs,
        phase_ns=phase_ns,
        events=events,
        explain=explain,
    )
    if json is not None:
        emit_json(report, json)
    else:
        print_device_report(report, console())


def refuse_phases(context: typer.Context, *names: str) -> None:
    """Raises InputError if the call states any of the parameters ``names``: no other timing has phases."""
    from simcore.errors import InputError, Problem

    given = [f"--{name.replace('_', '-')}" for name in names if is_given(context, name)]
    if given:
        raise InputError([Problem("goes with --timing platform:NAME or platform:DIR only", option) for option in given])
