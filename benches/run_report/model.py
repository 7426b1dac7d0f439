"""The fields of ``kernbench.run/1``, as written by ``run --json``. Times are exact nanoseconds."""

from __future__ import annotations

import msgspec

from benches.exact_ns import Ns
from benches.learned_report.difference import LearnedReport
from benches.schedule_report.model import BlockReport
from benches.unroll_report import UnrollReport


class PartRecord(msgspec.Struct):
    """One part of the core; see :class:`benches.run_report.parts.PartUse`. ``busy`` and ``wait`` are ns."""

    requests: int
    busy: Ns
    wait: Ns
    utilisation: float


class RunBlock(BlockReport, kw_only=True):
    """One block on the machine, with PerfSim's makespan beside the machine's.

    ``attribution``: how much longer the machine's critical path is than PerfSim's in pieces that end with each cause;
    it sums to ``difference_ns``.
    """

    perfsim_ns: Ns
    difference_ns: Ns
    attribution: dict[str, Ns]
    parts: dict[str, PartRecord]


class RunReport(msgspec.Struct, omit_defaults=True):
    """The whole result. ``makespan_ns`` to ``parts`` add up the blocks, which run one after another, loops once.

    ``whole_program_ns`` counts every trip of every loop. ``provenance`` is the share of the critical paths that rests
    on each kind of number.
    """

    schema: str
    program: str
    arch: str
    arch_version: int
    oracle: str | None
    timing: str
    memory: str
    blocks: list[RunBlock]
    makespan_ns: Ns
    perfsim_ns: Ns
    difference_ns: Ns
    attribution: dict[str, Ns]
    parts: dict[str, PartRecord]
    whole_program_ns: Ns
    provenance: dict[str, float]
    not_costed: dict[str, int]
    notes: list[str]
    unroll: UnrollReport | None = None
    learned: LearnedReport | None = None
