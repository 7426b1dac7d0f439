"""The invariants of ADR-0049 D5, and those that sweep and terms add; each only where there is something to see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from benches.probe.model import CaseReport, Check

MONOTONIC = ("h2d", "d2h", "path", "memory_write", "memory_read")
"""Categories in which more hops must take longer; those of a free graph where the bottleneck is the same."""


def checks_of(cases: Sequence[CaseReport]) -> list[Check]:
    """Every invariant that these cases can show."""
    by_name = {case.name: case for case in cases}
    return [
        *_monotonic(cases),
        *_read_not_faster(by_name),
        *_best_before_worst(by_name),
        *_local_and_remote(by_name),
        *_sweeps(cases),
        *_above_formula(cases),
        *_explained(cases),
    ]


def _check(name: str, holds: bool, detail: str) -> Check:
    return Check(name, "PASS" if holds else "FAIL", detail)


def _monotonic(cases: Sequence[CaseReport]) -> Iterator[Check]:
    for category in MONOTONIC:
        groups: dict[float | None, list[CaseReport]] = {}
        for case in cases:
            if case.category == category:
                groups.setdefault(case.bottleneck_bw_gbs, []).append(case)
        chains = [sorted(group, key=lambda case: case.hops) for group in groups.values()]
        pairs = [(a, b) for chain in chains for a, b in pairwise(chain) if a.hops < b.hops]
        if pairs:
            wrong = [f"{b.name} {b.actual_ns:g} after {a.name} {a.actual_ns:g}" for a, b in pairs if not _longer(a, b)]
            times = " < ".join(f"{case.actual_ns:g}" for case in chains[0])
            yield _check(f"{category}-monotonic", not wrong, "; ".join(wrong) or f"{times} ns")


def _longer(a: CaseReport, b: CaseReport) -> bool:
    return a.actual_ns < b.actual_ns


def _read_not_faster(by_name: dict[str, CaseReport]) -> Iterator[Check]:
    pairs = [
        (write, by_name[f"d2h-{name.removeprefix('h2d-')}"])
        for name, write in by_name.items()
        if write.category == "h2d" and f"d2h-{name.removeprefix('h2d-')}" in by_name
    ]
    if pairs:
        wrong = [f"{r.name} {r.actual_ns:g} < {w.name} {w.actual_ns:g}" for w, r in pairs if r.actual_ns < w.actual_ns]
        yield _check("d2h-not-below-h2d", not wrong, "; ".join(wrong) or f"{len(pairs)} pairs")


def _best_before_worst(by_name: dict[str, CaseReport]) -> Iterator[Check]:
    best, worst = by_name.get("pe-cross-cube-hbm-best"), by_name.get("pe-cross-cube-hbm-worst")
    if best is not None and worst is not None:
        detail = f"{best.actual_ns:g} against {worst.actual_ns:g} ns"
        yield _check("pe-dma-best-below-worst", best.actual_ns < worst.actual_ns, detail)


def _local_and_remote(by_name: dict[str, CaseReport]) -> Iterator[Check]:
    local, remote = by_name.get("pe-local-hbm"), by_name.get("pe-cross-cube-hbm-best")
    if local is not None and remote is not None:
        detail = f"bottleneck {_gbs(local)} local, {_gbs(remote)} remote"
        yield Check("pe-dma-local-and-remote", "INFO", detail)


def _gbs(case: CaseReport) -> str:
    return f"{case.bottleneck_bw_gbs:g} GB/s" if case.bottleneck_bw_gbs is not None else "none"


def _sweeps(cases: Sequence[CaseReport]) -> Iterator[Check]:
    pairs = [(case, a, b) for case in cases for a, b in pairwise(case.sweep)]
    if pairs:
        wrong = [f"{c.name}: {b.nbytes} bytes in {b.actual_ns:g} ns" for c, a, b in pairs if b.actual_ns < a.actual_ns]
        yield _check("sweep-monotonic", not wrong, "; ".join(wrong) or f"{len(pairs)} steps")


def _above_formula(cases: Sequence[CaseReport]) -> Iterator[Check]:
    """No transfer is faster than wire, overheads and the slowest link allow."""
    if cases:
        wrong = [c.name for c in cases if c.actual_ns < c.formula_ns]
        wrong += [f"{c.name} ({p.nbytes} bytes)" for c in cases for p in c.sweep if p.actual_ns < p.formula_ns]
        yield _check("not-below-formula", not wrong, "; ".join(wrong) or f"{len(cases)} cases and their sweeps")


def _explained(cases: Sequence[CaseReport]) -> Iterator[Check]:
    """The terms are all of the difference."""
    if cases:
        wrong = [f"{c.name} {c.unexplained_ns:g} ns" for c in cases if c.unexplained_ns]
        wrong += [f"{c.name} {p.unexplained_ns:g} ns at {p.nbytes}" for c in cases for p in c.sweep if p.unexplained_ns]
        yield _check("nothing-unexplained", not wrong, "; ".join(wrong) or f"{len(cases)} cases and their sweeps")
