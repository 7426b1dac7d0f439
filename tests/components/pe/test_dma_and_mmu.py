"""DMA and MMU: channels that are held for the round trip, pages, hits and misses on both paths, faults (ADR-0053)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.pe.commands import DmaRead, DmaWrite, MathCommand
from components.pe.dma import DmaRequest
from components.pe.faults import PageFault
from components.pe.mmu import Lookup, PageRequest, Refusal, Segment
from components.registry import build
from simcore.kernel import Environment, PartError, Port, undrained
from tests.components.actor import Actor
from tests.components.pe.pe_bench import PeBench, pe_bench

PAGE = 4096


def direct(bench: PeBench, direction: str, address: int, nbytes: int, tag: str, space: str = "virtual") -> DmaRequest:
    request = DmaRequest(direction, address, nbytes, space, bench.env.event(), tag)
    bench.ports["dma_requests"].put(request)
    return request


def mapped(pages: int = 16, **given: object) -> PeBench:
    """A PE whose first pages are mapped, page n to page 100 + n; 10 ns a miss, 1 ns a hit."""
    bench = pe_bench(with_mmu=True, **given)
    assert bench.map(0, 100 * PAGE, pages * PAGE) is None
    return bench


# --- channels ----------------------------------------------------------------------------------------------------


def test_a_channel_is_held_for_the_whole_round_trip_and_directions_do_not_wait_for_each_other():
    bench = pe_bench(latency_ns=100)
    last = [direct(bench, "read", 0, 256, "a"), direct(bench, "read", 0, 512, "b"), direct(bench, "write", 0, 256, "c")]
    bench.env.run(last[0].done & last[1].done & last[2].done)
    assert bench.rows("pe_dma") == [
        "0 pe_dma begin a read",
        "0 pe_dma begin c write",
        "101 pe_dma end a read",
        "101 pe_dma end c write",
        "101 pe_dma begin b read",
        "203 pe_dma end b read",
    ]
    assert bench.parts["pe_dma"].moved_bytes == {"read": 768, "write": 256}
    assert undrained(bench.env) == ()


def test_the_overhead_is_paid_once_for_every_transfer_before_the_memory_is_asked():
    bench = pe_bench({"pe_dma": {"overhead_ns": 7}})
    bench.env.run(direct(bench, "write", 64, 256, "w").done)
    assert bench.env.now == 8000
    assert bench.memory.asked == [(7000, "write", 64, 256, "w")]


def test_the_tiles_of_a_command_hold_the_channel_from_their_first_operand_to_their_last():
    bench = pe_bench(latency_ns=10)
    bench.run(MathCommand("e", 32, 128, 32, 64, 2, "exp", 0, None))
    reads = [row for row in bench.rows("pe_dma", what=("begin",))]
    assert reads == ["1 pe_dma begin e.m0.n0 read source", "27 pe_dma begin e.m0.n1 read source"]


def test_an_empty_transfer_makes_the_round_trip_and_needs_no_page():
    bench = pe_bench(with_mmu=True, latency_ns=9)
    bench.env.run(direct(bench, "read", 0x5000, 0, "empty").done)
    assert (bench.env.now, bench.memory.asked) == (9000, [(0, "read", 0x5000, 0, "empty")])


def test_physical_addresses_are_not_translated_and_without_an_mmu_neither_are_virtual_ones():
    bench = pe_bench(with_mmu=True)
    bench.env.run(direct(bench, "read", 0x77_0000, 256, "p", "physical").done)
    assert (bench.env.now, bench.memory.asked[0][2]) == (1000, 0x77_0000)
    bench = pe_bench()
    bench.run(DmaRead("v", 0x77_0000, 256))
    assert bench.memory.asked[0][2] == 0x77_0000


# --- translation -------------------------------------------------------------------------------------------------


def test_the_first_touch_of_a_page_is_a_miss_and_later_ones_are_hits():
    bench = mapped()
    for tag, address in (("a", 0), ("b", 8), ("c", PAGE), ("d", 0)):
        bench.env.run(direct(bench, "read", address, 256, tag).done)
    rows = bench.rows("pe_mmu", what=("hit", "miss"))
    assert rows == [
        "0 pe_mmu miss pe_dma: read a of 256 bytes 0",
        "11 pe_mmu hit pe_dma: read b of 256 bytes 0",
        "13 pe_mmu miss pe_dma: read c of 256 bytes 1",
        "24 pe_mmu hit pe_dma: read d of 256 bytes 0",
    ]
    assert (bench.parts["pe_mmu"].hits, bench.parts["pe_mmu"].misses) == (2, 2)
    assert [asked[2] for asked in bench.memory.asked] == [100 * PAGE, 100 * PAGE + 8, 101 * PAGE, 100 * PAGE]


def test_the_mmu_is_charged_on_the_pipelined_path():
    command = MathCommand("e", 32, 64, 32, 64, 2, "exp", 0, PAGE)
    stages = 16 + 8 + 32 + 8 + 16
    assert pe_bench().run(command) == (1 + stages) * 1000
    bench = mapped()
    assert bench.run(command) == (1 + stages + 10 + 10) * 1000
    assert bench.run(command) == (1 + stages + 1 + 1) * 1000


def test_the_mmu_is_charged_on_the_direct_path():
    assert pe_bench().run(DmaRead("r", 0, 4096)) == (1 + 16) * 1000
    bench = mapped()
    assert bench.run(DmaRead("r", 0, 4096)) == (1 + 16 + 10) * 1000
    assert bench.run(DmaWrite("r", 0, 4096)) == (1 + 16 + 1) * 1000


def test_every_page_that_a_transfer_touches_is_charged_and_pages_in_a_row_are_one_transfer():
    bench = mapped()
    bench.env.run(direct(bench, "read", PAGE // 2, 2 * PAGE, "r").done)
    assert bench.env.now == (30 + 32) * 1000
    assert bench.memory.asked == [(30_000, "read", 100 * PAGE + PAGE // 2, 2 * PAGE, "r")]


def test_pages_that_do_not_lie_in_a_row_are_asked_for_together_piece_by_piece():
    bench = mapped(1)
    assert bench.map(PAGE, 7 * PAGE, PAGE) is None
    bench.env.run(direct(bench, "read", PAGE - 256, 1024, "r").done)
    assert bench.memory.asked == [
        (20_000, "read", 101 * PAGE - 256, 256, "r.0"),
        (20_000, "read", 7 * PAGE, 768, "r.1"),
    ]
    assert bench.env.now == 23_000
    assert bench.parts["pe_dma"].moved_bytes["read"] == 1024


def test_lookups_are_served_one_at_a_time():
    bench = mapped()
    first, second = direct(bench, "read", 0, 256, "r"), direct(bench, "write", PAGE, 256, "w")
    bench.env.run(first.done & second.done)
    assert [asked[0] for asked in bench.memory.asked] == [10_000, 20_000]


def test_a_small_tlb_forgets_the_page_that_was_not_used_for_longest():
    env = Environment()
    lookups, pages = Port(env, "dma->mmu", Lookup), Port(env, "cpu->mmu", PageRequest)
    lookups.attach("out", Actor("dma"))
    pages.attach("out", Actor("cpu"))
    given = {"page_bytes": PAGE, "tlb_hit_ns": 1, "tlb_miss_ns": 10, "tlb_entries": 2}
    mmu = build(env, "pe_mmu", "mmu", given, {"lookups": lookups, "pages": pages}, "lru_tlb")
    pages.put(PageRequest(0, 0, 4 * PAGE, env.event()))
    took = []
    for page in (0, 1, 0, 2, 0, 1):
        began, lookup = env.now, Lookup("read", page * PAGE, 8, env.event())
        lookups.put(lookup)
        assert env.run(lookup.done) == (Segment(page * PAGE, 8),)
        took.append((env.now - began) // 1000)
    assert took == [10, 10, 1, 10, 1, 10]
    assert (mmu.hits, mmu.misses) == (2, 4)


@given(
    st.lists(st.integers(0, 5), min_size=6, max_size=6, unique=True),
    st.lists(st.tuples(st.integers(0, 6 * 64 - 1), st.integers(1, 200)), max_size=8),
)
def test_random_accesses_lie_where_the_page_table_says_byte_by_byte(frames, accesses):
    env = Environment()
    lookups, pages = Port(env, "dma->mmu", Lookup), Port(env, "cpu->mmu", PageRequest)
    lookups.attach("out", Actor("dma"))
    pages.attach("out", Actor("cpu"))
    given = {"page_bytes": 64, "tlb_hit_ns": 0, "tlb_miss_ns": 0}
    mmu = build(env, "pe_mmu", "mmu", given, {"lookups": lookups, "pages": pages})
    for page, frame in enumerate(frames):
        pages.put(PageRequest(page * 64, frame * 64, 64, env.event()))
    touched = 0
    for address, nbytes in accesses:
        nbytes = min(nbytes, 6 * 64 - address)
        lookup = Lookup("read", address, nbytes, env.event())
        lookups.put(lookup)
        segments = env.run(lookup.done)
        said = [segment.address + i for segment in segments for i in range(segment.nbytes)]
        assert said == [frames[at // 64] * 64 + at % 64 for at in range(address, address + nbytes)]
        assert all(a.address + a.nbytes != b.address for a, b in pairwise(segments))
        touched += (address + nbytes - 1) // 64 - address // 64 + 1
    assert mmu.hits + mmu.misses == touched


# --- faults and refusals -----------------------------------------------------------------------------------------


def test_a_page_that_is_not_mapped_is_an_error_that_names_the_access_on_the_direct_path():
    bench = mapped(2)
    with pytest.raises(PageFault) as caught:
        bench.run(DmaRead("r", PAGE, 2 * PAGE))
    assert str(caught.value) == (
        "pe_mmu at 1000 ps: pe_dma: read r of 8192 bytes, virtual 0x1000 to 0x2fff: "
        "the page at 0x2000 is not mapped (2 pages are mapped, the nearest at 0x1000)"
    )
    assert caught.value.exit_code == 2


def test_a_page_that_is_not_mapped_is_an_error_that_names_the_access_on_the_pipelined_path():
    bench = pe_bench(with_mmu=True)
    with pytest.raises(PageFault) as caught:
        bench.run(MathCommand("e", 32, 64, 32, 64, 2, "exp", 0xABC000, None))
    assert str(caught.value) == (
        "pe_mmu at 1000 ps: pe_dma: read e.m0.n0.source of 4096 bytes, virtual 0xabc000 to 0xabcfff: "
        "the page at 0xabc000 is not mapped (no page is mapped)"
    )


@pytest.mark.parametrize(
    ("virtual", "physical", "nbytes", "code", "what"),
    [
        (100, 0, PAGE, "misaligned", "virtual 0x64 is no multiple of the page of 4096 bytes"),
        (0, 100, PAGE, "misaligned", "physical 0x64 is no multiple of the page of 4096 bytes"),
        (0, 0, 100, "misaligned", "nbytes 0x64 is no multiple of the page of 4096 bytes"),
        (0, 0, 0, "misaligned", "nbytes 0 is no multiple of the page of 4096 bytes"),
        (-PAGE, 0, PAGE, "misaligned", "virtual -4096 is no multiple of the page of 4096 bytes"),
        (PAGE, 0, 2 * PAGE, "already_mapped", "the page at virtual 0x1000 is mapped already, to 0x65000"),
        (PAGE, None, 2 * PAGE, "not_mapped", "the page at virtual 0x2000 is not mapped"),
    ],
)
def test_a_change_of_the_page_table_that_cannot_be_is_refused_as_a_whole(virtual, physical, nbytes, code, what):
    bench = mapped(2)
    assert bench.map(virtual, physical, nbytes) == Refusal(code, f"pe_mmu: {what}")
    bench.env.run(direct(bench, "read", 0, 2 * PAGE, "r").done)
    assert bench.memory.asked == [(20_000, "read", 100 * PAGE, 2 * PAGE, "r")]
    with pytest.raises(PageFault):
        bench.env.run(direct(bench, "read", 2 * PAGE, 1, "s").done)


def test_a_page_that_was_unmapped_and_mapped_elsewhere_is_a_miss_again():
    bench = mapped(1)
    bench.env.run(direct(bench, "read", 0, 256, "a").done)
    assert bench.map(0, None, PAGE) is None
    assert bench.map(0, 7 * PAGE, PAGE) is None
    bench.env.run(direct(bench, "read", 0, 256, "b").done)
    assert bench.env.now == 22_000
    assert [asked[2] for asked in bench.memory.asked] == [100 * PAGE, 7 * PAGE]


@pytest.mark.parametrize(
    ("request_", "what"),
    [
        (("up", 0, 8, "virtual"), "request 'x': direction 'up' (allowed: read, write)"),
        (("read", -8, 8, "virtual"), "request 'x': address -8 (an int, 0 or more)"),
        (("read", 0, True, "virtual"), "request 'x': nbytes True (an int, 0 or more)"),
        (
            ("read", 0, 8, "fysical"),
            "request 'x': space 'fysical' (allowed: virtual, physical; did you mean \"physical\"?)",
        ),
    ],
)
def test_a_direct_request_that_cannot_be_served_is_refused(request_, what):
    bench = pe_bench()
    with pytest.raises(PartError) as caught:
        bench.ports["dma_requests"].put(DmaRequest(*request_, bench.env.event(), "x"))
    assert str(caught.value) == f"pe_dma at 0 ps: {what}"
