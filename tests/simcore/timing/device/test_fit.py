"""The fit: what stands behind its constants, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

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


def _refused(*programs: Program) -> list[str]:
    with pytest.raises(InputError) as refused:
        fit_device_platform(programs)
    return [problem.message for problem in refused.value.problems]


def _measured(program: Program, **changes: Any) -> Program:
    assert program.measured is not None
    return replace(program, measured=replace(program.measured, **changes))


def test_packets_that_were_not_told_apart_are_refused(program: Program):
    assert program.measured is not None
    told = [replace(packet, transfer=None) for packet in program.measured.packets]
    assert _refused(_measured(program, packets=tuple(told))) == [
        'the table "dma": the packets of I-49-0.transfer, I-7-0.transfer, I-5-0.transfer, I-6-0.transfer, '
        "I-41-0.transfer could not be told apart"
    ]


def test_all_tables_that_lack_what_a_fit_needs_are_named_at_once(program: Program):
    assert _refused(_measured(program, packets=(), semaphores=(), throttle=())) == [
        'the tables "dma" and "dma_queues_info" show no packet of a queue that the kernel triggers',
        'the table "semaphore_update" shows no update, though instructions raise semaphores',
        'the table "ham" records no PE clock, and the kernel uses the PE',
    ]


def test_a_pe_clock_at_neither_full_nor_half_speed_is_refused(program: Program):
    assert program.measured is not None
    states = tuple(replace(state, k=6) for state in program.measured.throttle)
    assert _refused(_measured(program, throttle=states)) == [
        'the table "ham": the PE clock at 6 of 8 steps (the device model knows all of them and half)'
    ]


def test_packets_on_more_dma_engines_than_a_core_has_are_refused(program: Program):
    assert program.measured is not None
    first = min(packet.engine for packet in program.measured.packets)
    moved = tuple(replace(p, engine=first + 20 if p.engine == first else p.engine) for p in program.measured.packets)
    assert _refused(_measured(program, packets=moved)) == [
        f'the table "dma": packets on DMA engines {first + 1} to {first + 20} (a core has 16)'
    ]


def test_a_run_that_is_given_twice_is_refused_whatever_its_name(program: Program):
    again = replace(program, name="another", file="another.json")
    assert _refused(program, again) == [
        f"the same run as {again.file}: its observations would count twice (allowed: each run once)"
    ]


def test_packets_that_take_no_time_leave_the_documented_rate(program: Program):
    assert program.measured is not None
    start = {p.transfer: p.start_ns for p in reversed(program.measured.packets)}
    at_once = tuple(replace(packet, start_ns=start[packet.transfer]) for packet in program.measured.packets)
    dma = fit_device_platform([_measured(program, packets=at_once)]).dma
    assert (dma.packet_gbs.value, dma.packet_gbs.obtained) == (27.2, Obtained.documented)


def test_times_that_give_a_constant_no_device_has_are_refused(program: Program):
    assert program.measured is not None
    slow = tuple(replace(row, duration_ns=10**9) for row in program.measured.instructions)
    (said,) = _refused(_measured(program, instructions=slow))[:1]
    assert said.startswith("the times give a constant that no device has: ")
    assert "allowed: at most a millisecond" in said


def test_profiles_of_two_generations_are_refused(program: Program):
    with pytest.raises(InputError, match="profiles of 2 generations: core_v4, gen3"):
        fit_device_platform([program, replace(program, arch="core_v4")])
