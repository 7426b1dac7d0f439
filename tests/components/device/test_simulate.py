"""Blocks on a device: starts by control, semaphores and datapath; transfers; what the model does not know."""

from __future__ import annotations

from typing import Any

import pytest

from components.device.run import DeviceRun
from components.device.simulate import simulate_on_device, simulate_runs
from components.device.work import Cause
from simcore.errors import InputError
from simcore.timing.confidence import Level
from simcore.timing.device import DevicePlatform, Effect
from simcore.timing.device.constants import Constant, Obtained
from simcore.timing.device.lowering import Kind
from tests.simcore.perfsim.blocks import block_of, loaded
from topology.platforms import load_device_platform


@pytest.fixture(scope="module")
def trn2() -> DevicePlatform:
    return load_device_platform("trn2")


def operand(space: str, elements: int, **more: Any) -> dict[str, Any]:
    return {"space": space, "partitions": 128, "elements": elements, "dtype": "float32", **more}


def copy(name: str, *waits: str, engine: str = "DVE", elements: int = 512) -> dict[str, Any]:
    return {
        "name": name,
        "opcode": "TensorCopy",
        "engine": engine,
        "ins": [operand("PSUM", elements, bank=0)],
        "outs": [operand("SB", elements, addr=0)],
        "dependencies": [[producer, "Flow"] for producer in waits],
    }


def load(
    name: str, engine: str, *waits: str, space: str = "DRAM", dge: str = "hwdge", elements: int = 512
) -> dict[str, Any]:
    there, here = operand(space, elements), operand("SB", elements, addr=0)
    reads = space == "DRAM"
    moves = {
        "name": f"{name}.transfer",
        "opcode": "Load",
        "engine": "DMA",
        "ins": [there if reads else here],
        "outs": [here if reads else operand("DRAM", elements)],
        "dge_type": dge,
    }
    return {
        "name": name,
        "opcode": "DMATrigger",
        "engine": engine,
        "transfer": moves,
        "dependencies": [[producer, "Flow"] for producer in waits],
    }


def run(platform: DevicePlatform, *instructions: dict[str, Any], **given: Any) -> DeviceRun:
    ((_, block),) = loaded(block_of(*instructions)).blocks
    return simulate_on_device(block, platform, **given)


def starts(of: DeviceRun) -> dict[str, int]:
    return {i.name: i.start_ps for i in of.instructions}


def test_two_operations_in_a_row_are_an_interval_apart(trn2: DevicePlatform):
    ran = run(trn2, copy("a"), copy("b"))
    fixed = next(c for c in trn2.operations if c.key == ("DVE", "TensorCopy", "PSUM", "float32", False))
    assert fixed.interval_ns is not None
    assert starts(ran)["b"] == round(1000 * (512 / 0.96 + fixed.interval_ns.value))
    assert ran.instructions[1].cause is Cause.engine
    assert ran.instructions[1].on == "a"
    assert ran.instructions[0].end_ps == round(1000 * (512 / 0.96 + fixed.latency_ns.value))


def test_a_dependent_operation_waits_for_the_end_and_two_latencies(trn2: DevicePlatform):
    ran = run(trn2, copy("a"), copy("b", "a", engine="Activation"))
    dve, activation = (next(e for e in trn2.engines if e.engine == name) for name in ("DVE", "Activation"))
    waits = dve.end_to_set_ns.ps + activation.set_to_start_ns.ps
    assert starts(ran)["b"] - ran.instructions[0].end_ps == waits
    assert ran.instructions[1].cause is Cause.dependency


def test_an_instruction_that_only_waits_does_not_stand_behind_a_long_operation(trn2: DevicePlatform):
    wait = {"name": "w", "opcode": "EventSemaphore", "engine": "DVE"}
    ran = run(trn2, copy("a", elements=4000), wait)
    assert starts(ran)["w"] < 100_000 < ran.instructions[0].end_ps
    assert ran.instructions[1].cause is Cause.control


def test_a_transfer_takes_its_way_to_the_first_packet_and_its_packets(trn2: DevicePlatform):
    ran = run(trn2, load("l", "SP"), without={Effect.hbm_read_stalls, Effect.start_stagger, Effect.start_offsets})
    first, last = ran.transfers["l.transfer"]
    dma = trn2.dma
    packet_ps = round(1000 * (dma.packet_ns.value + 2048 / dma.packet_gbs.value))
    assert first == dma.first_packet_ns.hardware_read.ps
    assert last - first == 8 * packet_ps


def test_who_waits_for_a_transfer_hears_of_it_after_the_tail(trn2: DevicePlatform):
    ran = run(trn2, load("l", "SP"), copy("c", "l.transfer"))
    wake = next(e for e in trn2.engines if e.engine == "DVE").set_to_start_ns.ps
    after = trn2.dma.completion_packet_ns.ps + trn2.dma.tail_ns.hardware_read.ps + wake
    assert starts(ran)["c"] - ran.transfers["l.transfer"][1] == after
    assert ran.instructions[1].cause is Cause.transfer


def test_queues_share_the_dma_engines(trn2: DevicePlatform):
    both = [load("s", "SP", space="SB"), load("a", "Activation", space="SB")]
    together = run(trn2, *both)
    apart = run(trn2, *both, without={Effect.shared_engines})
    first, last = apart.transfers["a.transfer"]
    assert together.transfers["a.transfer"][1] - together.transfers["a.transfer"][0] > 1.5 * (last - first)


def test_a_read_that_begins_anew_stalls(trn2: DevicePlatform):
    stalls, none = run(trn2, load("l", "SP")), run(trn2, load("l", "SP"), without={Effect.hbm_read_stalls})
    assert stalls.transfers["l.transfer"][1] - none.transfers["l.transfer"][1] > 300_000


def test_gpsimd_prepares_a_transfer_before_it_triggers_it(trn2: DevicePlatform):
    ran = run(trn2, load("a", "Pool", dge="swdge"), load("b", "Pool", dge="swdge"), copy("c"))
    engine = next(e for e in trn2.engines if e.engine == "Pool")
    assert starts(ran)["a"] == engine.start_ns.ps + trn2.dma.software_preparation_ns.ps
    assert starts(ran)["b"] - starts(ran)["a"] == trn2.dma.software_interval_ns.ps
    assert ran.instructions[1].cause is Cause.preparation


def test_a_transfer_that_nobody_triggers_runs_in_a_queue_of_its_own(trn2: DevicePlatform):
    moves = {
        "name": "d",
        "opcode": "Load",
        "engine": "DMA",
        "ins": [operand("DRAM", 512)],
        "outs": [operand("SB", 512, addr=0)],
        "dge_type": "hwdge",
    }
    ran = run(trn2, moves, copy("c", "d"))
    assert starts(ran)["c"] > ran.transfers["d"][1]


def test_what_no_profile_shows_is_costed_by_its_engine_and_counted(trn2: DevicePlatform):
    iota = {"name": "i", "opcode": "Iota", "engine": "Pool", "outs": [operand("SB", 512, addr=0)]}
    tensor = {
        "name": "t",
        "opcode": "TensorTensor",
        "engine": "DVE",
        "ins": [operand("SB", 512, addr=0), operand("SB", 512, addr=4096)],
        "outs": [operand("SB", 512, addr=8192)],
    }
    ran = run(trn2, copy("a"), iota, tensor)
    assert [i.confidence for i in ran.instructions] == [Level.INTERPOLATED, Level.UNCALIBRATED, Level.UNCALIBRATED]
    assert ran.confidence_counts() == {"UNCALIBRATED": 2, "INTERPOLATED": 1}
    lasts = ran.instructions[2].end_ps - ran.instructions[2].start_ps
    assert lasts > 1000 * 2 * 512 / 0.96


def _assumed(constant: Constant) -> Constant:
    return constant.model_copy(update={"obtained": Obtained.assumed, "points": 0, "low": None, "high": None})


def test_a_trigger_is_trusted_as_far_as_the_times_of_its_transfer(trn2: DevicePlatform):
    first = trn2.dma.first_packet_ns
    read = first.model_copy(update={"hardware_read": _assumed(first.hardware_read)})
    none = first.model_copy(update={name: _assumed(getattr(first, name)) for name in type(first).model_fields})
    for path, level in ((first, Level.INTERPOLATED), (read, Level.EXTRAPOLATED), (none, Level.UNCALIBRATED)):
        platform = trn2.model_copy(update={"dma": trn2.dma.model_copy(update={"first_packet_ns": path})})
        assert run(platform, load("a", "SP")).instructions[0].confidence is level


def test_a_read_without_any_observed_stall_is_uncalibrated(trn2: DevicePlatform):
    calm = trn2.hbm.model_copy(update={"first": (), "first_short": ()})
    ran = run(trn2.model_copy(update={"hbm": calm}), load("a", "SP"), load("b", "Activation", space="SB"))
    assert [i.confidence for i in ran.instructions] == [Level.UNCALIBRATED, Level.INTERPOLATED]


def test_a_matmul_whose_gap_no_profile_shows_is_extrapolated(trn2: DevicePlatform):
    classes = tuple(c.model_copy(update={"gap_full_ns": _assumed(c.gap_full_ns)}) for c in trn2.pe.classes)
    platform = trn2.model_copy(update={"pe": trn2.pe.model_copy(update={"classes": classes})})
    product = {
        "name": "m",
        "opcode": "Matmult",
        "engine": "PE",
        "ins": [operand("SB", 512, addr=0), operand("SB", 128, addr=4096)],
        "outs": [operand("PSUM", 512, bank=0)],
    }
    assert run(trn2, product).instructions[0].confidence is Level.INTERPOLATED
    assert run(platform, product).instructions[0].confidence is Level.EXTRAPOLATED


def test_a_given_cost_replaces_every_other(trn2: DevicePlatform):
    ran = run(trn2, {**copy("a"), "cost": 777}, copy("b"))
    assert ran.instructions[0].end_ps == 777_000
    assert starts(ran)["b"] == 777_000
    assert ran.instructions[0].confidence is Level.EXACT


def test_runs_cover_the_phases_and_differ_in_their_stalls(trn2: DevicePlatform):
    ((_, block),) = loaded(block_of(load("l", "SP"), copy("c", "l.transfer"))).blocks
    runs = simulate_runs(block, trn2, runs=8)
    assert [r.phase_ns for r in runs] == pytest.approx([k * trn2.throttle.window_ns.value / 8 for k in range(8)])
    assert len({r.window_ps for r in runs}) > 3


def test_a_loop_and_a_collective_are_refused_by_name(trn2: DevicePlatform):
    loop = {"name": "loop", "opcode": "Loop", "engine": "SP", "trip_count": 2, "body": [copy("a")]}
    send = {"name": "cc", "opcode": "CollectiveCompute", "engine": "Pool", "stream_id": 0, "cost": 100}
    with pytest.raises(InputError) as refused:
        run(trn2, loop, send)
    text = str(refused.value)
    assert "instruction loop" in text and "instruction cc" in text


def test_a_phase_outside_a_window_is_refused(trn2: DevicePlatform):
    with pytest.raises(InputError, match="a phase of 4000 ns"):
        run(trn2, copy("a"), phase_ns=4000.0)


def test_a_transfer_that_nobody_waits_for_ends_after_the_window(trn2: DevicePlatform):
    ran = run(trn2, load("l", "SP"))
    assert ran.window_ps == ran.instructions[0].end_ps == trn2.dma.trigger_ns.ps
    assert ran.finish_ps == ran.transfers["l.transfer"][1] > ran.window_ps
    assert run(trn2, copy("a")).finish_ps == run(trn2, copy("a")).window_ps


def test_busy_times_leave_out_pure_waits(trn2: DevicePlatform):
    wait = {"name": "w", "opcode": "EventSemaphore", "engine": "SP"}
    ran = run(trn2, wait, copy("a"))
    busy = ran.engine_busy_ps()
    assert busy["SP"] == 0
    assert busy["DVE"] == ran.instructions[1].end_ps - ran.instructions[1].start_ps


def test_a_transfer_that_does_not_say_what_it_moves_is_refused(trn2: DevicePlatform):
    bare = {"name": "a", "opcode": "Load", "engine": "DMA", "cost": 2000}
    with pytest.raises(InputError, match="instruction a: no operand says how much it moves"):
        run(trn2, bare)


def test_an_instruction_of_the_dma_lane_that_moves_nothing_waits(trn2: DevicePlatform):
    (nothing,) = run(trn2, {"name": "a", "opcode": "NoOp", "engine": "DMA"}).instructions
    assert nothing.kind is Kind.wait


def test_a_transfer_of_more_packets_than_can_be_followed_is_refused(trn2: DevicePlatform):
    with pytest.raises(InputError, match=r"instruction a\.transfer: a transfer of 12500000 packets \(allowed: at most"):
        run(trn2, load("a", "SP", elements=10**8))


def test_a_program_longer_than_can_be_followed_is_refused_by_its_longest_instruction(trn2: DevicePlatform):
    with pytest.raises(
        InputError, match=r"instruction long: lasts 1e\+12 ns of a program of 292968\d+ throttle windows"
    ):
        run(trn2, copy("a"), {"name": "long", "opcode": "Matmult", "engine": "PE", "cost": 10**12})


def test_the_faults_of_a_long_program_are_counted_where_they_are_not_listed(trn2: DevicePlatform):
    barriers = [{"name": f"b{n}", "opcode": "NoOp", "engine": "ALL"} for n in range(25)]
    with pytest.raises(InputError) as refused:
        run(trn2, *barriers)
    assert len(refused.value.problems) == 21
    assert refused.value.problems[-1].message == "and 5 more like these"
