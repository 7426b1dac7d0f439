"""The truth test: kernels of a real trn2 core predicted with constants from other kernels, held to the accuracy aims.

ADR-0076 has the figures; the bounds here are the aims, or closer where the model is closer.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from benches.validate_report.device import DeviceFitter
from benches.validate_report.join import Joined, join
from benches.validate_report.leave_out import ablation, by_family, leave_one_out
from benches.validate_report.model import HeldOut
from simcore.program.program import Program
from simcore.timing.device import fit_device_platform

RUNS = 32


@pytest.fixture(scope="module")
def joined(programs: dict[str, Program]) -> list[Joined]:
    return [join(program, program) for program in programs.values()]


@pytest.fixture(scope="module")
def left_out(joined: list[Joined]) -> HeldOut:
    """Each profile, fitted on the other three."""
    fitter = DeviceFitter("platform:trn2", runs=RUNS, measured_throttle=False)
    return leave_one_out(joined, fitter, lambda _: None)


@pytest.fixture(scope="module")
def with_clock(joined: list[Joined]) -> HeldOut:
    """The same at the PE clock that each profile recorded."""
    fitter = DeviceFitter("platform:trn2", runs=1, measured_throttle=True)
    return leave_one_out(joined, fitter, lambda _: None, measured_throttle=True)


def _reached(held_out: HeldOut) -> dict[str, float]:
    return {aim.name: aim.reached for aim in held_out.aims}


def test_each_profile_from_the_others_keeps_the_aims(left_out: HeldOut) -> None:
    reached = _reached(left_out)
    assert reached["mean absolute window error, %"] <= 1.0  # aim: 3
    assert reached["worst window error, %"] <= 2.0  # aim: 6
    assert reached["median absolute start error, ns"] <= 600  # aim: 1000
    assert left_out.summary.inside_band == 4  # aim: 3


def test_what_is_missed_is_missed_because_of_the_throttles_phase(left_out: HeldOut, with_clock: HeldOut) -> None:
    """A mean over phases drifts against one run: with the run's own PE clock the same aims are kept."""
    missed = {aim.name: aim.reached for aim in left_out.aims if not aim.met}
    assert missed.keys() <= {"the same, worst profile, ns", "worst PE busy error, %"}
    assert _reached(left_out)["the same, worst profile, ns"] <= 1300
    assert _reached(left_out)["worst PE busy error, %"] <= 6.5
    assert [aim.name for aim in with_clock.aims if not aim.met] == []


def test_with_the_measured_pe_clock_less_is_left(with_clock: HeldOut) -> None:
    reached = _reached(with_clock)
    assert reached["mean absolute window error, %"] <= 1.0  # aim: 1.5
    assert reached["worst window error, %"] <= 2.5
    assert reached["worst PE busy error, %"] <= 3.0  # aim: 6
    assert reached["the same, worst profile, ns"] <= 1000


def test_one_kernel_family_predicts_the_other(joined: list[Joined]) -> None:
    fitter = DeviceFitter("platform:trn2", runs=RUNS, measured_throttle=False)
    for held_out in by_family(joined, fitter, lambda _: None):
        reached = _reached(held_out)
        assert reached["mean absolute window error, %"] <= 2.5  # aim: 3
        assert reached["worst window error, %"] <= 3.0  # aim: 6
        assert reached["worst PE busy error, %"] <= 6.5
        assert reached["the same, worst profile, ns"] <= 1000


def test_every_large_effect_is_missed_when_it_is_left_out(joined: list[Joined]) -> None:
    rows = ablation(joined, DeviceFitter("platform:trn2", runs=2, measured_throttle=False), lambda _: None)
    error = {row.without: row.mean_abs_error_pct for row in rows}
    assert len(error) == 16
    large = ("half_speed", "full_speed", "fixed_parts", "first_packet_latency", "hbm_read_stalls", "sixteen_engines")
    assert min(error[effect] for effect in large) > 3.0 > error["nothing"]
    assert max(error, key=error.__getitem__) == "full_speed"


def test_a_prediction_knows_nothing_of_what_was_measured(programs: dict[str, Program]) -> None:
    program = programs["fused_fp32_s512"]
    platform = fit_device_platform([p for name, p in programs.items() if name != program.name])
    fitter = DeviceFitter("platform:trn2", runs=2, measured_throttle=False)
    predictor = fitter.with_constants_of(platform)
    seen, blind = predictor.predict(program), predictor.predict(replace(program, measured=None))
    for a, b in zip(seen, blind, strict=True):
        assert a.start.tolist() == b.start.tolist()
        assert a.end.tolist() == b.end.tolist()
        assert (a.window_ns, a.busy, a.cause) == (b.window_ns, b.busy, b.cause)


def test_a_devices_causes_lead_back_through_transfers(programs: dict[str, Program]) -> None:
    program = programs["fused_fp32_s512"]
    (run,) = DeviceFitter("p", runs=1, measured_throttle=False).fitted([program]).predict(program)
    names = program.blocks[0][1].columns.name_list()
    number = {name: k for k, name in enumerate(names)}
    transfer = number["I-41-0.transfer"]
    assert (names[run.on[transfer]], run.cause[transfer]) == ("I-41-0", "dependency")
    bound = {name: (run.cause[k], names[run.on[k]] if run.on[k] >= 0 else None) for name, k in number.items()}
    assert bound["I-17-0-wait-0"] == ("transfer", "I-6-0.transfer")
    assert all(run.start[run.on[k]] <= run.start[k] for k in range(len(names)) if run.on[k] >= 0)
