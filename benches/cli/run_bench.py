"""``kernbench run --bench``: a bench of contention, measured, worked out and judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from benches.cli.options import is_given

if TYPE_CHECKING:
    from simcore.errors import Problem

OF_BENCHES = frozenset({"bench", "settings", "topology", "json"})
"""What goes with ``--bench``, by the names of the command's parameters."""
ONLY_BENCHES = frozenset({"settings"})
"""What goes with nothing else."""


def run_bench_instead(
    context: typer.Context,
    program: Path | None,
    bench: str | None,
    settings: Sequence[str],
    topology: str | None,
    json: str | None,
) -> bool:
    """Runs ``bench`` if the call asks for one, and says whether it does.

    Raises InputError for a call that asks for a program and a bench, or for neither, and for options of one beside the
    other; leaves with exit code 1 if what was measured is not what was worked out.
    """
    from simcore.errors import InputError

    problems = _clashes(context, program, bench)
    if problems:
        raise InputError(problems)
    if bench is None:
        return False
    from benches.cli.output import check_targets, console, emit_json
    from benches.contention.registry import find_bench
    from benches.contention.report import run_bench

    check_targets({"--json": json})
    found = find_bench(bench)
    report = run_bench(found, found.values(settings, topology))
    if json is not None:
        emit_json(report, json)
    else:
        from benches.contention.text import print_report

        print_report(report, console())
    if not report.passes:
        raise typer.Exit(1)
    return True


def _clashes(context: typer.Context, program: Path | None, bench: str | None) -> list[Problem]:
    """What cannot be together in one call; options by the names that were written."""
    from simcore.errors import Problem

    given = {
        parameter.name: _written(parameter)
        for parameter in context.command.params
        if parameter.name is not None and is_given(context, parameter.name)
    }
    if bench is None:
        problems = [Problem("goes with --bench only", option) for name, option in given.items() if name in ONLY_BENCHES]
        if program is None:
            message = "missing (give a program file, or --bench NAME; kernbench list names them)"
            problems.append(Problem(message, "PROGRAM"))
        return problems
    return [
        Problem(f"does not go with --bench (allowed beside it: {_allowed(context)})", option)
        for name, option in given.items()
        if name not in OF_BENCHES
    ]


def _allowed(context: typer.Context) -> str:
    return ", ".join(_written(p) for p in context.command.params if p.name in OF_BENCHES - {"bench"})


def _written(parameter: Any) -> str:
    """An option as it is written, an argument as the help calls it."""
    written: str = max(parameter.opts, key=len)
    return written if parameter.param_type_name == "option" else written.upper()
