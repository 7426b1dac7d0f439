"""What every timing must be able to do to be held against measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from benches.validate_report.timeline import Timeline
from simcore.program.program import Program
from simcore.timing.confidence import Confidence


class Predictor(Protocol):
    """A timing that is ready to predict. It sees the program, never the times that were measured."""

    @property
    def timing(self) -> str:
        """Its name, as given on the command line."""

    def predict(self, program: Program) -> Sequence[Timeline]:
        """The program's one block, run once for each phase of the PE's clock throttle (once if there is none)."""

    def confidence(self, program: Program) -> Confidence:
        """How far the prediction of ``program`` can be believed before it is held against a measurement."""


class Fitter(Protocol):
    """A timing whose constants come from profiles, so that it can be fitted without those it is then judged on."""

    @property
    def timing(self) -> str:
        """Its name, as given on the command line."""

    @property
    def effects(self) -> Sequence[str]:
        """The effects that can be switched off one at a time."""

    def fitted(self, profiles: Sequence[Program], *, without: str | None = None) -> Predictor:
        """The timing with its constants from ``profiles`` alone; ``without`` one of its effects."""
