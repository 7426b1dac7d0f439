"""What a reader hands on: the record of a program, remarks for the user, and measurements if the format has them."""

from __future__ import annotations

from dataclasses import dataclass, field

from simcore.program.instruction import ProgramRecord
from simcore.program.measured import Measurement


@dataclass(slots=True)
class Loaded:
    """Result of one format's reader. ``notes`` are sentences for the report: a missing pairing, a choice made."""

    record: ProgramRecord
    notes: list[str] = field(default_factory=list)
    measured: Measurement | None = None
