"""The fields of ``kernbench.run/1``, as written by ``run --json``. Times are exact nanoseconds."""

from __future__ import annotations

import msgspec

from benches.exact_ns import Ns
from benches.learned_report.difference import LearnedReport
from benches.schedule_report.model import BlockReport
from benches.unroll_report import UnrollReport


class PartRecord(msgspec.Struct, omit_defaults=True):
    """One part; see :class:`benches.run_report.parts.PartUse`. ``busy`` and ``wait`` are ns.

    ``bytes``: what it has moved, of parts that move any.
    """

    requests: int
    busy: Ns
    wait: Ns
    utilisation: float
    bytes: int | None = None


class Inherited(msgspec.Struct):
    """``ns`` of a delay that come from a ``moment`` of instruction ``on``."""

    on: str
    moment: str
    ns: Ns


class DelayRecord(msgspec.Struct, omit_defaults=True):
    """By how much an instruction ends later than in PerfSim, and why: see :class:`simcore.explain.attribution.Delay`.

    ``own``, ``inherited`` and ``start`` sum to ``delay_ns``, and so do the values of ``total``, in which what is
    inherited is followed back to its causes.
    """

    name: str
    delay_ns: Ns
    own: dict[str, Ns]
    start: dict[str, Ns]
    total: dict[str, Ns]
    inherited: Inherited | None = None


class RunBlock(BlockReport, kw_only=True):
    """One block on the machine, with PerfSim's makespan beside the machine's.

    ``attribution`` sums to ``difference_ns``. On ideal memory: how much longer the machine's critical path is than
    PerfSim's in pieces that end with each cause. On real memory: what makes the instruction that ends last late.
    ``delays``: of every instruction, in program order.
    """

    perfsim_ns: Ns
    difference_ns: Ns
    attribution: dict[str, Ns]
    parts: dict[str, PartRecord]
    delays: list[DelayRecord] | None = None


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
    device: str | None = None
    topology: str | None = None


class DevicesReport(msgspec.Struct):
    """The result of several devices that ran at once, each from 0 on.

    ``makespan_ns`` is that of the last one, ``perfsim_ns`` the longest estimate; ``attribution`` is that of the device
    that ends last and sums to ``difference_ns``. ``parts``: what the devices share.
    """

    schema: str
    memory: str
    topology: str
    devices: list[RunReport]
    makespan_ns: Ns
    perfsim_ns: Ns
    difference_ns: Ns
    attribution: dict[str, Ns]
    parts: dict[str, PartRecord]
