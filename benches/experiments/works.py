"""Kinds of work: what an experiment may run. Each kind is a model of its set-up that knows what it measures.

A new kind is a module with a class derived from :class:`Work`, and a line in :data:`KINDS`.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as FilePath
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from benches.experiments.findings import Findings
from simcore.errors import InputError
from simcore.program.program import Program

KINDS: dict[str, str] = {
    "closed_loop": "benches.experiments.closed_loop:ClosedLoop",
    "on_device": "benches.experiments.device_work:OnDeviceWork",
    "on_memory": "benches.experiments.memory_work:MemoryWork",
    "program": "benches.experiments.program_work:ProgramWork",
    "requests": "benches.experiments.requests_work:RequestsWork",
}
"""Module and class of each kind, imported when an experiment first asks for it."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One result, read as ``name(variant)``, or ``name(variant, what)`` if there is one ``per`` something.

    ``words`` say what it is, for whoever reads it wrongly.
    ``detail``: a report shows it only where a claim reads it; what there is one of is in the JSON all the same.
    """

    name: str
    words: str
    per: str | None = None
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run gave: ``single`` by metric (None: this run gives no such number), ``several`` by metric and what."""

    single: dict[str, Fraction | None]
    several: dict[str, Mapping[str, Fraction]]


@dataclass(slots=True)
class Home:
    """Where an experiment lives: its file as messages name it, and the folder that its own paths start from."""

    file: str
    folder: FilePath
    programs: dict[str, Program] = field(default_factory=dict)
    """Programs that have been loaded, by the path that the experiment gives."""


Run = Callable[[], Measured]


class Work(BaseModel, ABC):
    """The set-up of one variant. A subclass adds its fields and what it measures."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    metrics: ClassVar[tuple[Metric, ...]]

    work: str

    @abstractmethod
    def ready(self, home: Home, findings: Findings) -> Run | None:
        """The run of this set-up, or None and what only the whole set-up shows to be wrong."""

    def numbers(self) -> dict[str, Fraction]:
        """The set-up's own numbers, by field."""
        values = ((name, getattr(self, name)) for name in type(self).model_fields)
        return {
            name: Fraction(value)
            for name, value in values
            if isinstance(value, int | Fraction) and not isinstance(value, bool)
        }


def work_kind(name: str) -> type[Work]:
    """The class of a kind in :data:`KINDS`."""
    module, _, class_name = KINDS[name].partition(":")
    kind: type[Work] = getattr(importlib.import_module(module), class_name)
    return kind


def as_finding(error: InputError) -> str:
    """The text of another reader's error, for a place in the experiment file."""
    return "; ".join(f"{p.where}: {p.message}" if p.where else p.message for p in error.problems)
