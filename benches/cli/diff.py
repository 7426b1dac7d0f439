"""``kernbench diff``: two results beside each other, and why they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benches.cli.options import Arch, JsonTarget, Timing

app = typer.Typer(add_completion=False)

_SIDE = "Result of perfsim or run (--events --json), or a program, which is estimated."


@app.command()
def diff(
    a: Annotated[Path, typer.Argument(metavar="A", help=_SIDE)],
    b: Annotated[Path, typer.Argument(metavar="B", help=_SIDE)],
    timing: Timing = "hwm",
    arch: Arch = None,
    device: Annotated[
        str | None, typer.Option(metavar="CORE", help="Which one to compare, of a run of several devices.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 if anything differs.")] = False,
    json: JsonTarget = None,
) -> None:
    """Compare two results instruction by instruction: what moved, by how much, and which causes make it up."""
    from benches.cli.output import console, emit_json
    from benches.diff_report.build import diff_of
    from benches.diff_report.read import read_side
    from benches.diff_report.text import print_diff
    from benches.exact_ns import with_exact_times
    from simcore.errors import InputError, Problem

    sides, problems = [], list[Problem]()
    for path in (a, b):
        try:
            sides.append(read_side(path, timing=timing, arch=arch, device=device))
        except InputError as error:
            problems += error.problems
    if not problems and device is not None and not any((s.place or "").startswith(f"{device} of ") for s in sides):
        problems.append(Problem(f'neither result is of several devices, one of them "{device}"', "--device"))
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    report = diff_of(*sides)
    if json is not None:
        emit_json(with_exact_times(report), json)
    else:
        print_diff(report, console())
    if strict and not report.equal:
        raise typer.Exit(1)
