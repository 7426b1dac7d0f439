"""Finding what hardware measured for a program: in the profile it was read from, or in the summary beside its file."""

from __future__ import annotations

from pathlib import Path

from simcore.program.measured import MeasuredSummary, load_summary, summary_path
from simcore.program.program import Program


def measured_beside(program: Program, path: Path) -> MeasuredSummary | None:
    """The measured figures of ``program``, read from ``path``; None if there are none."""
    if program.measured is not None:
        return program.measured.summary(program.name)
    beside = summary_path(path)
    return load_summary(beside) if beside.is_file() else None
