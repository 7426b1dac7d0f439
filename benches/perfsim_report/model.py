"""The fields of ``kernbench.perfsim/1``, as written by ``perfsim --json``. Times are integer nanoseconds."""

from __future__ import annotations

import msgspec

from benches.learned_report.difference import LearnedReport
from benches.schedule_report.model import BlockReport
from benches.unroll_report import UnrollReport


class EngineComparison(msgspec.Struct):
    """Busy time of one engine, measured and estimated."""

    measured_busy_ns: int | None
    predicted_busy_ns: int


class MeasuredComparison(msgspec.Struct):
    """The estimate beside what hardware did."""

    measured_ns: int
    predicted_ns: int
    error_pct: float
    engines: dict[str, EngineComparison]


class PerfSimReport(msgspec.Struct, omit_defaults=True):
    """The whole result. ``provenance`` gives the share of the critical paths that rests on each kind of number."""

    schema: str
    program: str
    arch: str
    arch_version: int
    oracle: str | None
    timing: str
    blocks: list[BlockReport]
    whole_program_ns: int
    metrics: dict[str, int]
    provenance: dict[str, float]
    not_costed: dict[str, int]
    notes: list[str]
    measured: MeasuredComparison | None = None
    unroll: UnrollReport | None = None
    learned: LearnedReport | None = None
