"""The device model beside hardware: each of four profiles predicted with constants from the other three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

import numpy as np
import pytest

from components.device.run import DeviceRun
from components.device.simulate import simulate_on_device, simulate_runs
from simcore.program.program import Program
from simcore.program.read import load_program
from simcore.timing.device import DevicePlatform, Effect, fit_device_platform

PROFILES = ("baseline_fp32_s1024", "baseline_fp32_s512", "fused_bf16_s512", "fused_fp32_s512")


@dataclass(frozen=True)
class LeftOut:
    """One profile, the platform of the others, and its predicted runs."""

    program: Program
    platform: DevicePlatform
    runs: Sequence[DeviceRun]

    @property
    def measured_ns(self) -> int:
        assert self.program.measured is not None
        return self.program.measured.window_ns

    def error_pct(self, window_ns: float) -> float:
        return 100 * (window_ns - self.measured_ns) / self.measured_ns


@pytest.fixture(scope="module")
def programs(shared: Path) -> list[Program]:
    return [load_program(shared / "data" / "trn2-profiles" / f"{name}.json.gz") for name in PROFILES]


@pytest.fixture(scope="module")
def left_out(programs: list[Program]) -> list[LeftOut]:
    found = []
    for program in programs:
        platform = fit_device_platform([other for other in programs if other is not program])
        found.append(LeftOut(program, platform, simulate_runs(program.blocks[0][1], platform)))
    return found


def test_windows_are_predicted_within_one_percent_on_average_and_two_at_worst(left_out: list[LeftOut]):
    errors = [abs(p.error_pct(fmean(run.window_ps for run in p.runs) / 1000)) for p in left_out]
    assert fmean(errors) < 1
    assert max(errors) < 2


def test_every_measured_window_lies_inside_the_band(left_out: list[LeftOut]):
    for profile in left_out:
        low, high = np.percentile([run.window_ps / 1000 for run in profile.runs], (5, 95))
        assert low <= profile.measured_ns <= high, profile.program.name


def test_with_the_measured_throttle_given_windows_are_within_one_and_a_half_percent(left_out: list[LeftOut]):
    errors = []
    for profile in left_out:
        block, measured = profile.program.blocks[0][1], profile.program.measured
        run = simulate_on_device(block, profile.platform, measured_throttle=measured)
        errors.append(abs(profile.error_pct(run.window_ps / 1000)))
    assert fmean(errors) < 1
    assert max(errors) < 1.5


def test_the_pe_is_busy_within_seven_percent_and_four_on_average(left_out: list[LeftOut]):
    errors = []
    for profile in left_out:
        assert profile.program.measured is not None
        measured = profile.program.measured.engine_busy_ns()["PE"]
        errors.append(abs(fmean(run.engine_busy_ps()["PE"] for run in profile.runs) / 1000 - measured) / measured)
    assert max(errors) < 0.07
    assert fmean(errors) < 0.04


def test_starts_are_predicted_within_a_microsecond(left_out: list[LeftOut]):
    errors = []
    for profile in left_out:
        measured = profile.program.measured
        assert measured is not None
        first: dict[str, int] = {}
        for row in measured.instructions:
            first.setdefault(row.program_name, row.start_ns - measured.window_start_ns)
        for number, instruction in enumerate(profile.runs[0].instructions):
            predicted = fmean(run.instructions[number].start_ps for run in profile.runs) / 1000
            errors.append(abs(predicted - first[instruction.name]))
    assert median(errors) < 1000


def test_once_the_first_loads_have_come_every_pass_of_the_pe_comes_within_ten_nanoseconds(programs: list[Program]):
    """The measured throttle given, the PE keeps its distance to the measurement from one pass to the next."""
    program = next(p for p in programs if p.name == "fused_bf16_s512")
    platform = fit_device_platform([other for other in programs if other is not program])
    measured = program.measured
    assert measured is not None
    run = simulate_on_device(program.blocks[0][1], platform, measured_throttle=measured)
    last: dict[str, int] = {}
    for row in measured.instructions:
        last[row.program_name] = max(last.get(row.program_name, 0), row.end_ns - measured.window_start_ns)
    errors = [
        i.end_ps / 1000 - last[i.name] for i in run.instructions if i.name.startswith("I-59-") and "wait" not in i.name
    ]
    assert len(errors) == 16
    assert max(errors) - min(errors) < 10


@pytest.mark.parametrize(
    ("effect", "worth_pct"),
    [
        (Effect.full_speed, 15),
        (Effect.half_speed, 6),
        (Effect.fixed_parts, 5),
        (Effect.first_packet_latency, 5),
        (Effect.software_preparation, 4),
        (Effect.hbm_read_stalls, 4),
        (Effect.sixteen_engines, 2),
        (Effect.completion_tail, 2),
        (Effect.shared_engines, 1.5),
        (Effect.packet_overhead, 1),
    ],
)
def test_leaving_an_effect_out_costs_accuracy(left_out: list[LeftOut], effect: Effect, worth_pct: float):
    errors = []
    for profile in left_out:
        runs = simulate_runs(profile.program.blocks[0][1], profile.platform, runs=8, without=frozenset({effect}))
        errors.append(abs(profile.error_pct(fmean(run.window_ps for run in runs) / 1000)))
    assert fmean(errors) > worth_pct


def test_a_run_is_the_same_every_time(left_out: list[LeftOut]):
    again = simulate_on_device(left_out[3].program.blocks[0][1], left_out[3].platform, draw=0)
    assert again == left_out[3].runs[0]
