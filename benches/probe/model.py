"""The probe's result, as data: ``kernbench.probe/1``. Times in ns, bandwidths in GB/s, sizes in bytes."""

from __future__ import annotations

import msgspec

SCHEMA = "kernbench.probe/1"


class HopTime(msgspec.Struct):
    """A part on the way; ``t_ns``: wire and overheads up to it, its own included (ADR-0049 D6).

    ``to_next_gbs``: the rate of the link to the next part, None for the last part and for a wire without a rate;
    ``bottleneck``: that link is the first of the slowest ones.
    """

    node: str
    t_ns: float
    to_next_gbs: float | None
    bottleneck: bool


class SweepPoint(msgspec.Struct):
    """One size. ``util_pct`` by the formula, ``actual_util_pct`` as simulated; None without a bottleneck bandwidth."""

    nbytes: int
    actual_ns: float
    formula_ns: float
    util_pct: float | None
    actual_util_pct: float | None
    unexplained_ns: float


class CaseReport(msgspec.Struct):
    """One case. ``path``: of the payload; ``command_trace`` or ``response_trace``: the leg before or after it.

    ``formula_ns`` = ``wire_ns`` + ``overhead_ns`` + ``drain_ns``; ``unexplained_ns`` = ``actual_ns`` - ``formula_ns`` -
    all ``terms``. A share or a rate of a case that takes no time is None.
    """

    name: str
    category: str
    hops: int
    path: list[str]
    nbytes: int
    actual_ns: float
    formula_ns: float
    terms: dict[str, float]
    unexplained_ns: float
    wire_ns: float
    overhead_ns: float
    drain_ns: float
    overhead_pct: float | None
    drain_pct: float | None
    eff_bw_gbs: float | None
    bottleneck_bw_gbs: float | None
    util_pct: float | None
    hop_trace: list[HopTime]
    command_trace: list[HopTime] | None
    response_trace: list[HopTime] | None
    sweep: list[SweepPoint]


class Check(msgspec.Struct):
    """An invariant. ``status``: ``PASS``, ``FAIL``, or ``INFO`` for a remark that cannot fail."""

    name: str
    status: str
    detail: str


class Unplaced(msgspec.Struct):
    """A case for which the system has no place."""

    name: str
    reason: str


class Comparison(msgspec.Struct):
    """A number of the published predecessor beside ours. ``verdict``: ``same``, ``same shape`` or ``differs``."""

    name: str
    published_ns: float
    ours_ns: float
    difference_pct: float
    verdict: str
    why: str


class ProbeReport(msgspec.Struct):
    """``kernbench.probe/1``. ``comparison`` is None unless it was asked for."""

    schema: str
    topology: str
    nbytes: int
    cases: list[CaseReport]
    checks: list[Check]
    unplaced: list[Unplaced]
    comparison: list[Comparison] | None
