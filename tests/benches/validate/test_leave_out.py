"""Leaving profiles out: who is fitted on whom, the summary, the aims; with a timing whose errors are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from benches.validate_report.join import Joined, join
from benches.validate_report.leave_out import ablation, aims_of, by_family, family_of, leave_one_out
from benches.validate_report.model import Summary
from benches.validate_report.observed import observe
from benches.validate_report.timeline import Timeline
from simcore.program.program import Program
from simcore.timing.confidence import Confidence, Level


class Scaled:
    """Predicts the measured run, its window too long by a given share at either end of a band."""

    timing = "scaled"

    def __init__(self, low: float, high: float) -> None:
        self.shares = low, high

    def predict(self, program: Program) -> Sequence[Timeline]:
        assert program.measured is not None
        seen = observe(program.blocks[0][1].columns, program.measured)
        return [replace(seen, window_ns=seen.window_ns * (1 + share)) for share in self.shares]

    def confidence(self, program: Program) -> Confidence:
        return Confidence(Level.EXACT)


class ScaledFitter:
    """Too long by 1 % per profile that it was fitted on, and by what leaving out an effect adds."""

    timing = "scaled"
    effects = ("small", "large")

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], str | None]] = []

    def fitted(self, profiles: Sequence[Program], *, without: str | None = None) -> Scaled:
        self.calls.append(([p.name for p in profiles], without))
        share = len(profiles) / 100 + {"small": 0.01, "large": -0.05, None: 0.0}[without]
        return Scaled(share - 0.02, share + 0.02)


@pytest.fixture
def joined(programs: dict[str, Program]) -> list[Joined]:
    return [join(program, program) for program in programs.values()]


def test_each_profile_is_predicted_from_all_the_others(joined: list[Joined]) -> None:
    fitter, shown = ScaledFitter(), list[str]()
    held_out = leave_one_out(joined, fitter, shown.append)
    names = [j.program.name for j in joined]
    assert fitter.calls == [([n for n in names if n != left], None) for left in names]
    assert [p.fitted_on for p in held_out.profiles] == [call[0] for call in fitter.calls]
    assert [p.error_pct for p in held_out.profiles] == [3.0] * 4
    summary = held_out.summary
    assert (summary.mean_abs_error_pct, summary.bias_pct, summary.worst_error_pct) == (3.0, 3.0, 3.0)
    assert (summary.inside_band, summary.worst_pe_busy_error_pct, summary.median_abs_start_error_ns) == (0, 0, 0)
    assert shown == [f"{name}, fitted on the others" for name in names]


def test_each_family_is_predicted_from_the_others(joined: list[Joined]) -> None:
    fitter = ScaledFitter()
    baseline, fused = by_family(joined, fitter, lambda _: None)
    assert (baseline.held_out, fused.held_out) == ("baseline, fitted on fused", "fused, fitted on baseline")
    assert [call[0] for call in fitter.calls] == [
        ["fused_bf16_s512", "fused_fp32_s512"],
        ["baseline_fp32_s1024", "baseline_fp32_s512"],
    ]
    assert [p.name for p in baseline.profiles] == ["baseline_fp32_s1024", "baseline_fp32_s512"]
    assert [p.error_pct for p in baseline.profiles + fused.profiles] == [2.0] * 4


def test_one_family_alone_cannot_be_held_out(joined: list[Joined]) -> None:
    assert by_family(joined[:2], ScaledFitter(), lambda _: None) == []
    assert family_of("fused_fp32_s512") == "fused"
    assert family_of("softmax") == "softmax"


def test_the_ablation_leaves_one_out_for_every_effect_and_puts_the_worst_first(joined: list[Joined]) -> None:
    fitter = ScaledFitter()
    rows = ablation(joined, fitter, lambda _: None)
    assert [(r.without, r.mean_abs_error_pct, r.bias_pct) for r in rows] == [
        ("nothing", 3.0, 3.0),
        ("small", 4.0, 4.0),
        ("large", 2.0, -2.0),
    ]
    assert [call[1] for call in fitter.calls] == [None] * 4 + ["small"] * 4 + ["large"] * 4


def _summary(**changes: float) -> Summary:
    fields = {
        "profiles": 4,
        "mean_abs_error_pct": 3.0,
        "bias_pct": 0.0,
        "worst_error_pct": -6.0,
        "worst_profile": "p",
        "inside_band": 3,
        "worst_pe_busy_error_pct": -6.0,
        "median_abs_start_error_ns": 1000.0,
        "worst_median_abs_start_error_ns": 1000.0,
        **changes,
    }
    return Summary(**fields)


def _missed(summary: Summary, bands: Sequence[tuple[float, float]] = ((1, 2),), *, measured: bool = False) -> list[str]:
    return [aim.name for aim in aims_of(summary, bands, measured_throttle=measured) if not aim.met]


def test_every_aim_can_be_met_and_missed() -> None:
    assert _missed(_summary()) == []
    assert _missed(_summary(mean_abs_error_pct=3.01)) == ["mean absolute window error, %"]
    assert _missed(_summary(worst_error_pct=-6.01)) == ["worst window error, %"]
    assert _missed(_summary(worst_pe_busy_error_pct=6.01)) == ["worst PE busy error, %"]
    assert _missed(_summary(median_abs_start_error_ns=1000.1)) == ["median absolute start error, ns"]
    assert _missed(_summary(worst_median_abs_start_error_ns=1000.1)) == ["the same, worst profile, ns"]
    assert _missed(_summary(inside_band=2)) == ["share of windows inside the band"]
    assert _missed(_summary(inside_band=2), bands=((2, 2),)) == []  # one run has no band
    assert _missed(_summary(mean_abs_error_pct=1.51), measured=True) == ["mean absolute window error, %"]
