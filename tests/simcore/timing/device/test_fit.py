"""The fit: what stands behind its constants, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.program.program import Program
from simcore.program.read import load_program
from simcore.timing.device import DevicePlatform, fit_device_platform
from simcore.timing.device.constants import Obtained
from tests.simcore.perfsim.blocks import block_of, loaded


@pytest.fixture(scope="module")
def program(shared: Path) -> Program:
    return load_program(shared / "data" / "trn2-profiles" / "fused_fp32_s512.json.gz")


@pytest.fixture(scope="module")
def platform(program: Program) -> DevicePlatform:
    return fit_device_platform([program])


def test_one_profile_makes_a_platform(platform: DevicePlatform):
    assert platform.profiles == ("fused_fp32_s512",)
    assert platform.arch == "gen3"
    assert platform.table_load_ns.value == 1283


def test_a_documented_fast_mode_is_recognised(shared: Path):
    fit = fit_device_platform([load_program(shared / "data" / "trn2-profiles" / "baseline_fp32_s512.json.gz")])
    (scaling,) = (c for c in fit.operations if c.key == ("DVE", "TensorScalarPtr", "SB", "float32", True))
    (reduction,) = (c for c in fit.operations if c.key == ("DVE", "TensorReduce", "SB", "float32", False))
    assert scaling.speedup == 2
    assert reduction.speedup == 1


def test_a_float32_matmul_is_two_passes_and_its_transpose_one_of_two_cycles_a_row(platform: DevicePlatform):
    plain, transpose = sorted(platform.pe.classes, key=lambda c: c.transpose)
    assert (plain.passes, plain.cycles_per_documented.value) == (2, 1.0)
    assert (transpose.passes, transpose.cycles_per_documented.value) == (1, 2.0)


def test_the_packet_law_is_near_the_documented_peak(platform: DevicePlatform):
    assert platform.dma.packet_gbs.value == pytest.approx(27.2, rel=0.01)
    assert 3 < platform.dma.packet_ns.value < 8


def test_the_throttle_needs_three_eighths_of_a_window(platform: DevicePlatform):
    assert platform.throttle.needed_share.value == 0.375
    assert platform.throttle.window_ns.value == pytest.approx(4096 / 1.2, abs=0.001)


def test_what_the_profile_does_not_show_says_so(platform: DevicePlatform):
    write = platform.dma.first_packet_ns.hardware_write
    assert write.obtained is Obtained.assumed
    assert write.points == 0
    assert "no profile shows this path" in write.source
    assert platform.dma.behind_read_ns.obtained is Obtained.assumed


def test_the_order_of_profiles_does_not_matter(shared: Path, program: Program):
    other = load_program(shared / "data" / "trn2-profiles" / "fused_bf16_s512.json.gz")
    assert fit_device_platform([program, other]) == fit_device_platform([other, program])


def test_no_profile_is_refused():
    with pytest.raises(InputError, match="no profile to fit to"):
        fit_device_platform([])


def test_a_program_without_measurements_is_refused():
    with pytest.raises(InputError, match="holds no measurements"):
        fit_device_platform([loaded(block_of({"name": "a", "opcode": "NoOp", "engine": "SP"}))])


def test_packets_that_were_not_told_apart_are_refused(program: Program):
    assert program.measured is not None
    lost = replace(program, measured=replace(program.measured, packets=()))
    with pytest.raises(InputError, match=r'the table "dma": no packets of I-49-0\.transfer'):
        fit_device_platform([lost])


def test_profiles_of_two_generations_are_refused(program: Program):
    with pytest.raises(InputError, match="profiles of 2 generations: core_v4, gen3"):
        fit_device_platform([program, replace(program, arch="core_v4")])
