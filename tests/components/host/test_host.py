"""Messages of the host on a small machine: what each costs, who does what, what is refused (ADR-0048)."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import pytest

from components.host.messages import (
    Completion,
    KernelLaunchMsg,
    KernelRef,
    MemoryReadMsg,
    MemoryWriteMsg,
    MmuMapMsg,
    MmuUnmapMsg,
    PeDmaMsg,
    ScalarArg,
    Shard,
    TensorArg,
)
from components.pe.commands import Busy, DmaRead, GemmCommand
from simcore.errors import InputError
from simcore.kernel import undrained
from tests.components.host.small_machine import SLICE, SmallMachine

IDS = {"correlation_id": "c", "request_id": "r"}
WRITE = MemoryWriteMsg(**IDS, dst_sip=0, dst_cube=0, dst_pe=0, dst_pa=0, nbytes=16_384)
READ = MemoryReadMsg(**IDS, src_sip=0, src_cube=0, src_pe=0, src_pa=0, nbytes=16_384)
LAUNCH = KernelLaunchMsg(**IDS, sip=0, kernel_ref=KernelRef("k"))
MAP = MmuMapMsg(**IDS, sip=0, virtual=0, physical=0, nbytes=4096)

FAR = 5 * Fraction(1, 2) + 2 * 8
"""Latency from the endpoint to an HBM of cube 0: five links and two UCIe ports."""
ENDPOINT = 5


# --- memory ------------------------------------------------------------------------------------------------------


def test_a_host_write_costs_latency_bytes_a_flit_a_hop_and_the_last_burst_and_is_answered_after_the_way_back():
    machine = SmallMachine()
    response = machine.ask(WRITE)
    delivered = ENDPOINT + FAR + 64 + 4 + 8
    (request,) = response.requests
    assert request.outward.ended_ticks == 1000 * delivered == 99_500
    assert response.total_ns == delivered + FAR + ENDPOINT == 123
    assert response.completion == Completion(True)
    assert response.message is WRITE
    assert machine.hbm(0, 0).moved_bytes == {"read": 0, "write": 16_384}
    assert undrained(machine.env) == ()


def test_a_host_read_sends_a_command_and_the_data_come_back():
    response = SmallMachine().ask(READ)
    assert response.total_ns == ENDPOINT + FAR + 8 + 64 + 4 + FAR + ENDPOINT
    (request,) = response.requests
    assert request.outward.nbytes == 0
    assert request.outward.ended_ticks == 1000 * (ENDPOINT + FAR)


def test_a_farther_cube_costs_the_links_in_between_there_and_back():
    near, far = SmallMachine().ask(WRITE), SmallMachine().ask(replace(WRITE, dst_cube=1, dst_pa=2 * SLICE))
    assert far.total_ns - near.total_ns == 1 + 2 * Fraction(1, 2)


def test_targets_are_the_same_place_of_every_slice_that_is_named():
    machine = SmallMachine()
    response = machine.ask(replace(WRITE, dst_pa=0x1000, nbytes=512, target_cubes="all", target_pe="all"))
    assert [request.address for request in response.requests] == [0x1000 + i * SLICE for i in range(4)]
    assert [machine.hbm(cube, pe).moved_bytes["write"] for cube in (0, 1) for pe in (0, 1)] == [512] * 4
    response = machine.ask(replace(READ, src_cube=1, src_pe=1, src_pa=3 * SLICE + 64, target_cubes=(1, 0, 1)))
    assert [request.address for request in response.requests] == [SLICE + 64, 3 * SLICE + 64]
    response = machine.ask(replace(READ, src_cube=1, src_pa=2 * SLICE, target_pe=1))
    assert [request.address for request in response.requests] == [3 * SLICE]


def test_a_pe_dma_message_goes_straight_to_that_dma_with_a_physical_address():
    machine = SmallMachine()
    message = PeDmaMsg(**IDS, src_sip=0, src_cube=1, src_pe=0, dst_pa=2 * SLICE, nbytes=16_384)
    response = machine.ask(message)
    assert response.total_ns == 2 * Fraction(1, 2) + 64 + 1 + 8 + 2 * Fraction(1, 2)
    assert machine.hbm(1, 0).moved_bytes["write"] == 16_384
    far = machine.ask(replace(message, dst_pa=0))
    assert far.total_ns == response.total_ns + 1 + 2 * Fraction(1, 2)


# --- orders ------------------------------------------------------------------------------------------------------


def busy(ns: int):
    return lambda message, cube, pe: (Busy(Fraction(ns + 100 * cube + 10 * pe)),)


def test_a_launch_goes_from_cpu_to_cpu_and_its_reports_come_back_the_same_way():
    machine = SmallMachine({"k": busy(7)})
    machine.ask(LAUNCH)
    assert machine.rows("decode", "start", "report") == [
        "16 io_cpu decode c/r 2",
        "39.5 c0.m_cpu decode c/r 2",
        "40 c1.m_cpu decode c/r 2",
        "42.5 c1.pe0.pe_cpu start c/r",
        "42.5 c1.pe1.pe_cpu start c/r",
        "42.5 c0.pe0.pe_cpu start c/r",
        "42.5 c0.pe1.pe_cpu start c/r",
        "60 c0.m_cpu report c/r 2",
        "160 c1.m_cpu report c/r 2",
        "179 io_cpu report c/r 4",
    ]
    assert machine.env.now == 179_000 + 1000 + 5000
    assert undrained(machine.env) == ()


@pytest.mark.parametrize("slow_wire_ns", [0.5, 20, 63, 113.25])
def test_all_pes_begin_at_once_exactly_when_the_farthest_of_them_can(slow_wire_ns):
    machine = SmallMachine({"k": busy(0)}, slow_wire_ns=slow_wire_ns)
    response = machine.ask(LAUNCH)
    decoded_by_io_cpu, to_m_cpu, m_cpu, pe_cpu = 16, 16 + Fraction(5, 2) + Fraction(1, 2), 5, 2
    farthest = decoded_by_io_cpu + to_m_cpu + m_cpu + Fraction(str(slow_wire_ns)) + pe_cpu
    assert [report.began_ticks for report in response.reports] == [1000 * farthest] * 4


def test_the_time_of_a_kernel_is_that_of_its_slowest_pe_without_the_way_there_and_back():
    response = SmallMachine({"k": busy(7)}).ask(LAUNCH)
    assert response.kernel_ns == 117
    assert response.total_ns > response.kernel_ns + 60
    assert [report.pe for report in response.reports] == [f"c{c}.pe{p}.pe_cpu" for c in (0, 1) for p in (0, 1)]


def test_a_launch_goes_to_its_targets_only_and_each_gets_its_own_commands():
    asked = []

    def kernel(message, cube, pe):
        asked.append((message.args, cube, pe))
        return ()

    shard = Shard(0, 1, 1, 3 * SLICE, 256)
    args = (TensorArg((shard,), 0x1000), ScalarArg(3))
    machine = SmallMachine({"k": kernel})
    response = machine.ask(replace(LAUNCH, args=args, target_cubes=(1,), target_pe=1))
    assert asked == [(args, 1, 1)]
    assert [report.pe for report in response.reports] == ["c1.pe1.pe_cpu"]
    assert response.kernel_ns == 0


def test_launches_at_one_time_are_decoded_one_after_the_other_and_each_has_its_own_start():
    machine = SmallMachine({"k": busy(0)})
    first, second = machine.ask_all(LAUNCH, replace(LAUNCH, request_id="s"))
    assert {report.began_ticks for report in first.reports} == {42_500}
    assert min(report.began_ticks for report in second.reports) >= 52_500


def test_pages_are_mapped_by_order_and_a_kernel_then_uses_them():
    machine = SmallMachine({"k": lambda message, cube, pe: (DmaRead("a", 0, 256),)})
    mapping = machine.ask(replace(MAP, physical=SLICE))
    assert mapping.completion.ok
    machine.ask(LAUNCH)
    assert machine.hbm(0, 1).moved_bytes["read"] == 4 * 256
    unmapping = machine.ask(MmuUnmapMsg(**IDS, sip=0, virtual=0, nbytes=4096))
    assert unmapping.completion.ok


def test_a_refusal_of_one_target_makes_the_message_fail_with_its_reason():
    machine = SmallMachine()
    assert machine.ask(replace(MAP, target_cubes=(1,), target_pe=0)).completion.ok
    response = machine.ask(MAP)
    assert response.completion == Completion(
        False, "already_mapped", "c1.pe0.pe_mmu: the page at virtual 0x0 is mapped already, to 0x0"
    )
    assert [report.refusal is None for report in response.reports] == [True, True, False, True]


def run_gemm(c: int | None):
    """2 x 2 x 2 tiles on every PE, each with its own HBM mapped from virtual address 0 on."""
    machine = SmallMachine(
        {"k": lambda message, cube, pe: (GemmCommand("g", 64, 128, 64, 32, 64, 32, 2, 0, 0x4000, c),)}
    )
    for cube in (0, 1):
        for pe in (0, 1):
            home = (2 * cube + pe) * SLICE
            machine.ask(replace(MAP, physical=home, nbytes=0x10000, target_cubes=(cube,), target_pe=pe))
    response = machine.ask(LAUNCH)
    moved = [machine.hbm(c, p).moved_bytes for c in (0, 1) for p in (0, 1)]
    assert moved == [{"read": 8 * 8192, "write": 0 if c is None else 4 * 2048}] * 4
    spans = {report.ended_ticks - report.began_ticks for report in response.reports}
    assert len(spans) == 1, "no PE is in another's way"
    assert undrained(machine.env) == ()
    return response.kernel_ns


def test_a_gemm_runs_on_every_pe_at_once_at_the_pace_of_its_reads():
    # 16 operands of 4 KiB, each a round trip of 2 ns, a burst, a flit for the second link and its bytes; each of 8
    # pages is a miss (10 ns) once and a hit (1 ns) once; then the last tile's fetch, GEMM and store.
    reads = 16 * (2 + 8 + 1 + 16) + 8 * 10 + 8 * 1
    assert run_gemm(None) == 2 + 1 + reads + 16 + 16 + 4


def test_writing_the_result_adds_the_last_write_and_what_the_others_take_from_the_reads():
    written = run_gemm(None) + 1 + (2 + 8 + 8 + 1)
    assert written <= run_gemm(0x8000) <= written + 3 * (10 + 8)


# --- errors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        (replace(WRITE, dst_pa=4 * SLICE), ["<machine>: address 0x400000 names nothing"]),
        (
            replace(LAUNCH, kernel_ref=KernelRef("kk")),
            ['<message>: unknown kernel "kk" (allowed: k; did you mean "k"?)'],
        ),
        (replace(MAP, target_cubes=(0, 2)), ["<message>: no target: cube 2 of package 0 (allowed: 0 to 1)"]),
        (
            replace(MAP, target_pe=5),
            [f"<message>: no target: PE 5 of cube {cube} of package 0 (allowed: 0 to 1)" for cube in (0, 1)],
        ),
        (
            replace(MAP, target_cubes=()),
            ["<message>: no target: the message is for no cube of package 0 (allowed: 0 to 1)"],
        ),
    ],
)
def test_a_message_for_what_there_is_not_is_an_input_error_and_nothing_has_started(message, lines):
    machine = SmallMachine({"k": busy(0)})
    with pytest.raises(InputError) as caught:
        machine.host.submit(message)
    assert str(caught.value).splitlines() == lines
    assert undrained(machine.env) == ()
    assert not machine.log


def test_a_message_that_is_out_cannot_be_sent_again():
    machine = SmallMachine()
    machine.host.submit(MAP)
    with pytest.raises(InputError, match=r"^<message>: message c/r was sent before and is not over$"):
        machine.host.submit(MAP)


def test_messages_are_frozen():
    with pytest.raises(FrozenInstanceError):
        WRITE.nbytes = 0  # type: ignore[misc]
