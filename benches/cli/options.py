"""Arguments that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ProgramFile = Annotated[
    Path, typer.Argument(metavar="PROGRAM", help="Program file: stream, BIR JSON, neuron-profile JSON or columns.")
]
Timing = Annotated[
    str,
    typer.Option(
        help="Where costs come from: hwm (the oracles), public (AWS's cycles) or learned:DIR (calibrate train); of run "
        "and validate also platform:NAME|DIR, a device (trn2 is shipped)."
    ),
]
Arch = Annotated[str | None, typer.Option(help="Run on another generation: trn1, trn2, trn3 or the codename.")]
Phases = Annotated[
    int, typer.Option(min=1, max=1024, help="Runs of --timing platform:, over phases of the PE clock's throttle.")
]
JsonTarget = Annotated[
    str | None, typer.Option("--json", metavar="PATH", help="Write the result as JSON (- for standard output).")
]
Events = Annotated[bool, typer.Option("--events", help="List every event.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show the critical path, idle times and lower bounds.")]
Unroll = Annotated[
    bool, typer.Option("--unroll", help="Run every loop trip_count times: prologue, steady interval, epilogue.")
]


def is_given(context: typer.Context, name: str) -> bool:
    """Whether the call states the parameter called ``name``, rather than leaving it at its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT", "PROMPT")
