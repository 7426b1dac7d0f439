"""Scheduler and PE CPU: who hands out what and when, kernels and their faults (ADR-0053)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from components.host.orders import Assignment, Letter, MapPages, PeReport, Report, RunKernel, UnmapPages
from components.pe.commands import Busy, Command, DmaRead, DmaWrite, MathCommand, Wait
from components.pe.faults import ProgramFault
from components.pe.mmu import Refusal
from components.pe.scheduler import Submission
from simcore.kernel import PartError, undrained
from tests.components.pe.pe_bench import PeBench, pe_bench


def assign(bench: PeBench, tag: str, *commands: Command, start_ticks: int | None = None) -> None:
    bench.ports["inbox"].put(Letter("m_cpu", "pe_cpu", Assignment(tag, RunKernel(commands, start_ticks))))


def reports(bench: PeBench, until_ns: int) -> list[PeReport]:
    """What the CPU has reported by then; every letter goes to whoever gave the assignment."""
    bench.env.run(bench.env.timeout(until_ns * 1000))
    told = []
    for _, letter in bench.letters:
        assert (letter.sender, letter.receiver) == ("pe_cpu", "m_cpu")
        assert isinstance(letter.body, Report)
        told += letter.body.reports
    return told


# --- the scheduler -----------------------------------------------------------------------------------------------


def test_commands_are_taken_one_at_a_time_and_each_costs_the_overhead():
    bench = pe_bench({"pe_scheduler": {"overhead_ns": 5}})
    bench.run(DmaRead("a", 0, 256), DmaWrite("b", 0, 256), DmaRead("c", 0, 256))
    assert bench.rows("pe_scheduler", what=("feed", "done")) == [
        "5 pe_scheduler feed a 0",
        "6 pe_scheduler done a",
        "10 pe_scheduler feed b 0",
        "11 pe_scheduler done b",
        "15 pe_scheduler feed c 0",
        "16 pe_scheduler done c",
    ]


def test_a_command_is_over_when_its_last_tile_is():
    bench = pe_bench()
    bench.run(MathCommand("e", 32, 128, 32, 64, 2, "exp", None, 0))
    assert bench.rows("pe_scheduler", what=("feed", "done")) == ["1 pe_scheduler feed e 2", "97 pe_scheduler done e"]
    assert bench.rows("pe_dma", what=("end",))[-1] == "97 pe_dma end e.m0.n1 write destination"


def test_what_only_a_cpu_does_is_no_command_for_a_scheduler():
    bench = pe_bench()
    with pytest.raises(
        PartError, match=r"^pe_scheduler at 0 ps: Wait\(names=\('a',\)\) is no command for a scheduler$"
    ):
        bench.ports["commands"].put(Submission(Wait(("a",)), bench.env.event()))


# --- the CPU -----------------------------------------------------------------------------------------------------


def test_a_kernel_is_dispatched_command_by_command_without_waiting_for_them():
    bench = pe_bench(latency_ns=100)
    assign(bench, "k", DmaRead("a", 0, 256), DmaWrite("b", 0, 256))
    assert reports(bench, 1000) == [PeReport("pe_cpu", 2000, 108_000, None)]
    assert bench.rows("pe_cpu", what=("start", "dispatch", "end")) == [
        "2 pe_cpu start k",
        "4 pe_cpu dispatch a",
        "6 pe_cpu dispatch b",
        "108 pe_cpu end k",
    ]
    assert bench.rows("pe_dma", what=("begin",)) == ["5 pe_dma begin a read", "7 pe_dma begin b write"]
    assert undrained(bench.env) == ()


def test_a_wait_holds_the_kernel_up_until_the_commands_that_it_names_are_over():
    bench = pe_bench(latency_ns=100)
    assign(bench, "k", DmaRead("a", 0, 256), DmaRead("b", 0, 256), Wait(("a",)), DmaWrite("c", 0, 256))
    reports(bench, 1000)
    assert bench.rows("pe_cpu", what=("dispatch", "end"))[-2:] == ["108 pe_cpu dispatch c", "210 pe_cpu end k"]


def test_a_wait_for_what_is_over_takes_no_time():
    bench = pe_bench()
    assign(bench, "k", DmaRead("a", 0, 256), Busy(Fraction(20)), Wait(("a", "a")), DmaRead("b", 0, 256))
    reports(bench, 1000)
    assert bench.rows("pe_cpu", what=("dispatch",)) == ["4 pe_cpu dispatch a", "26 pe_cpu dispatch b"]


def test_a_busy_cpu_dispatches_nothing():
    bench = pe_bench()
    assign(bench, "k", Busy(Fraction("7.5")), DmaRead("a", 0, 256))
    assert reports(bench, 1000) == [PeReport("pe_cpu", 2000, 13_500, None)]


def test_a_kernel_begins_at_the_start_that_all_its_pes_keep_or_when_it_is_there_if_that_is_later():
    bench = pe_bench()
    assign(bench, "k", start_ticks=50_000)
    assign(bench, "l", start_ticks=40_000)
    assert reports(bench, 1000) == [PeReport("pe_cpu", 50_000, 50_000, None), PeReport("pe_cpu", 52_000, 52_000, None)]


def test_kernels_run_one_after_the_other():
    bench = pe_bench(latency_ns=100)
    assign(bench, "k", DmaRead("a", 0, 256))
    assign(bench, "l", DmaRead("a", 0, 256))
    assert reports(bench, 1000) == [
        PeReport("pe_cpu", 2000, 106_000, None),
        PeReport("pe_cpu", 108_000, 212_000, None),
    ]


@pytest.mark.parametrize(
    ("commands", "what"),
    [
        ((Wait(("x",)),), "kernel 'k' waits for 'x', which is no command of it so far (none was dispatched before)"),
        (
            (DmaRead("abc", 0, 1), Wait(("abd",))),
            "kernel 'k' waits for 'abd', which is no command of it so far (allowed: abc; did you mean \"abc\"?)",
        ),
        ((DmaRead("a", 0, 1), DmaRead("a", 0, 1)), "kernel 'k' has two commands called 'a'"),
    ],
)
def test_a_kernel_that_asks_for_what_cannot_be_is_the_programs_fault(commands, what):
    bench = pe_bench()
    assign(bench, "k", *commands)
    with pytest.raises(ProgramFault) as caught:
        reports(bench, 1000)
    assert str(caught.value).partition(" ps: ")[2] == what
    assert caught.value.exit_code == 2


def test_a_letter_that_is_no_assignment_is_refused():
    bench = pe_bench()
    with pytest.raises(PartError, match=r"^pe_cpu at 0 ps: a letter from m_cpu is no assignment: Report\("):
        bench.ports["inbox"].put(Letter("m_cpu", "pe_cpu", Report("r", ())))


# --- the page table, by order ------------------------------------------------------------------------------------


def order(bench: PeBench, tag: str, work: object) -> None:
    bench.ports["inbox"].put(Letter("m_cpu", "pe_cpu", Assignment(tag, work)))


def test_pages_are_mapped_and_unmapped_after_the_dispatch():
    bench = pe_bench(with_mmu=True)
    order(bench, "m", MapPages(0, 8192, 4096))
    assign(bench, "k", DmaRead("a", 16, 256))
    order(bench, "u", UnmapPages(0, 4096))
    told = reports(bench, 1000)
    assert [report.refusal for report in told] == [None, None, None]
    assert bench.memory.asked == [(17_000, "read", 8192 + 16, 256, "a")]
    assert bench.rows("pe_mmu", what=("map", "unmap")) == ["2 pe_mmu map 0x0 8192 4096", "20 pe_mmu unmap 0x0 4096"]


def test_a_refusal_of_the_mmu_is_reported():
    bench = pe_bench(with_mmu=True)
    order(bench, "u", UnmapPages(0, 4096))
    expected = Refusal("not_mapped", "pe_mmu: the page at virtual 0x0 is not mapped")
    assert reports(bench, 1000) == [PeReport("pe_cpu", 2000, 2000, expected)]


def test_a_pe_without_an_mmu_refuses_to_map():
    bench = pe_bench()
    order(bench, "m", MapPages(0, 0, 4096))
    assert reports(bench, 1000) == [
        PeReport("pe_cpu", 2000, 2000, Refusal("no_mmu", "pe_cpu: this PE has no MMU")),
    ]
