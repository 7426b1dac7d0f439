"""A PE at work: whole logs, closed forms of the pipeline, and what more hardware may never do (ADR-0053, 0054)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.pe.commands import DmaRead, DmaWrite, Epilogue, MathCommand
from components.pe.stages import DmaIn, DmaOut, Fetch, Store
from components.pe.tiling import plan_of
from simcore.kernel import undrained
from tests.components.pe.pe_bench import pe_bench
from tests.components.pe.test_tiling import gemm

# Twelve tiles of 32 x 64 x 32 in two-byte elements: 16 ns for each operand at 256 GB/s, 16 ns to fetch both at
# 512 GB/s, 16 cycles, 4 ns to store and 8 ns to write a tile of C. Reading is the bottleneck: 32 ns a tile.
GEMM_2_X_2_X_3 = """
1 pe_scheduler feed g 12
1 pe_dma begin g.m0.n0.k0 read A
17 pe_dma end g.m0.n0.k0 read A
17 pe_dma begin g.m0.n0.k0 read B
33 pe_dma end g.m0.n0.k0 read B
33 pe_fetch_store begin g.m0.n0.k0 fetch
33 pe_dma begin g.m0.n0.k1 read A
49 pe_fetch_store end g.m0.n0.k0 fetch
49 pe_gemm begin g.m0.n0.k0 gemm
49 pe_dma end g.m0.n0.k1 read A
49 pe_dma begin g.m0.n0.k1 read B
65 pe_gemm end g.m0.n0.k0 gemm
65 pe_dma end g.m0.n0.k1 read B
65 pe_fetch_store begin g.m0.n0.k1 fetch
65 pe_dma begin g.m0.n0.k2 read A
81 pe_fetch_store end g.m0.n0.k1 fetch
81 pe_gemm begin g.m0.n0.k1 gemm
81 pe_dma end g.m0.n0.k2 read A
81 pe_dma begin g.m0.n0.k2 read B
97 pe_gemm end g.m0.n0.k1 gemm
97 pe_dma end g.m0.n0.k2 read B
97 pe_fetch_store begin g.m0.n0.k2 fetch
97 pe_dma begin g.m0.n1.k0 read A
113 pe_fetch_store end g.m0.n0.k2 fetch
113 pe_gemm begin g.m0.n0.k2 gemm
113 pe_dma end g.m0.n1.k0 read A
113 pe_dma begin g.m0.n1.k0 read B
129 pe_gemm end g.m0.n0.k2 gemm
129 pe_fetch_store begin g.m0.n0.k2 store
129 pe_dma end g.m0.n1.k0 read B
129 pe_fetch_store begin g.m0.n1.k0 fetch
129 pe_dma begin g.m0.n1.k1 read A
133 pe_fetch_store end g.m0.n0.k2 store
133 pe_dma begin g.m0.n0.k2 write C
141 pe_dma end g.m0.n0.k2 write C
145 pe_fetch_store end g.m0.n1.k0 fetch
145 pe_gemm begin g.m0.n1.k0 gemm
145 pe_dma end g.m0.n1.k1 read A
145 pe_dma begin g.m0.n1.k1 read B
161 pe_gemm end g.m0.n1.k0 gemm
161 pe_dma end g.m0.n1.k1 read B
161 pe_fetch_store begin g.m0.n1.k1 fetch
161 pe_dma begin g.m0.n1.k2 read A
177 pe_fetch_store end g.m0.n1.k1 fetch
177 pe_gemm begin g.m0.n1.k1 gemm
177 pe_dma end g.m0.n1.k2 read A
177 pe_dma begin g.m0.n1.k2 read B
193 pe_gemm end g.m0.n1.k1 gemm
193 pe_dma end g.m0.n1.k2 read B
193 pe_fetch_store begin g.m0.n1.k2 fetch
193 pe_dma begin g.m1.n0.k0 read A
209 pe_fetch_store end g.m0.n1.k2 fetch
209 pe_gemm begin g.m0.n1.k2 gemm
209 pe_dma end g.m1.n0.k0 read A
209 pe_dma begin g.m1.n0.k0 read B
225 pe_gemm end g.m0.n1.k2 gemm
225 pe_fetch_store begin g.m0.n1.k2 store
225 pe_dma end g.m1.n0.k0 read B
225 pe_fetch_store begin g.m1.n0.k0 fetch
225 pe_dma begin g.m1.n0.k1 read A
229 pe_fetch_store end g.m0.n1.k2 store
229 pe_dma begin g.m0.n1.k2 write C
237 pe_dma end g.m0.n1.k2 write C
241 pe_fetch_store end g.m1.n0.k0 fetch
241 pe_gemm begin g.m1.n0.k0 gemm
241 pe_dma end g.m1.n0.k1 read A
241 pe_dma begin g.m1.n0.k1 read B
257 pe_gemm end g.m1.n0.k0 gemm
257 pe_dma end g.m1.n0.k1 read B
257 pe_fetch_store begin g.m1.n0.k1 fetch
257 pe_dma begin g.m1.n0.k2 read A
273 pe_fetch_store end g.m1.n0.k1 fetch
273 pe_gemm begin g.m1.n0.k1 gemm
273 pe_dma end g.m1.n0.k2 read A
273 pe_dma begin g.m1.n0.k2 read B
289 pe_gemm end g.m1.n0.k1 gemm
289 pe_dma end g.m1.n0.k2 read B
289 pe_fetch_store begin g.m1.n0.k2 fetch
289 pe_dma begin g.m1.n1.k0 read A
305 pe_fetch_store end g.m1.n0.k2 fetch
305 pe_gemm begin g.m1.n0.k2 gemm
305 pe_dma end g.m1.n1.k0 read A
305 pe_dma begin g.m1.n1.k0 read B
321 pe_gemm end g.m1.n0.k2 gemm
321 pe_fetch_store begin g.m1.n0.k2 store
321 pe_dma end g.m1.n1.k0 read B
321 pe_fetch_store begin g.m1.n1.k0 fetch
321 pe_dma begin g.m1.n1.k1 read A
325 pe_fetch_store end g.m1.n0.k2 store
325 pe_dma begin g.m1.n0.k2 write C
333 pe_dma end g.m1.n0.k2 write C
337 pe_fetch_store end g.m1.n1.k0 fetch
337 pe_gemm begin g.m1.n1.k0 gemm
337 pe_dma end g.m1.n1.k1 read A
337 pe_dma begin g.m1.n1.k1 read B
353 pe_gemm end g.m1.n1.k0 gemm
353 pe_dma end g.m1.n1.k1 read B
353 pe_fetch_store begin g.m1.n1.k1 fetch
353 pe_dma begin g.m1.n1.k2 read A
369 pe_fetch_store end g.m1.n1.k1 fetch
369 pe_gemm begin g.m1.n1.k1 gemm
369 pe_dma end g.m1.n1.k2 read A
369 pe_dma begin g.m1.n1.k2 read B
385 pe_gemm end g.m1.n1.k1 gemm
385 pe_dma end g.m1.n1.k2 read B
385 pe_fetch_store begin g.m1.n1.k2 fetch
401 pe_fetch_store end g.m1.n1.k2 fetch
401 pe_gemm begin g.m1.n1.k2 gemm
417 pe_gemm end g.m1.n1.k2 gemm
417 pe_fetch_store begin g.m1.n1.k2 store
421 pe_fetch_store end g.m1.n1.k2 store
421 pe_dma begin g.m1.n1.k2 write C
429 pe_dma end g.m1.n1.k2 write C
429 pe_scheduler done g
"""


def test_the_whole_log_of_a_gemm_of_two_by_two_by_three_tiles():
    bench = pe_bench()
    assert bench.run(gemm()) == 429_000
    stations = ("pe_scheduler", "pe_dma", "pe_fetch_store", "pe_gemm", "pe_math")
    told = bench.rows(*stations, what=("feed", "done", "begin", "end"))
    assert told == GEMM_2_X_2_X_3.strip().splitlines()
    assert undrained(bench.env) == ()


# --- closed forms ------------------------------------------------------------------------------------------------

RATES = st.sampled_from([Fraction(64), Fraction(48), Fraction(256), Fraction("22.5"), Fraction(512)])


@given(st.integers(1, 9), RATES, RATES, RATES, st.sampled_from([16, 64, 100]), st.sampled_from([1, 1.4]))
def test_a_pipeline_of_equal_tiles_costs_fill_and_the_bottleneck_for_each_further_tile_and_drain(
    tiles, memory, read, write, width, clock
):
    bench = pe_bench(
        {"tcm": {"read_bw_gbs": read, "write_bw_gbs": write}, "pe_math": {"vector_width": width, "clock_ghz": clock}},
        gbs=memory,
        latency_ns=3,
    )
    size = 16 * 40 * 4
    move = 3000 + ceil(size * 1000 / memory)
    fetch, store = (ceil(size * 1000 / rate) for rate in (read, write))
    work = round(Fraction(ceil(16 * 40 / width) * 1000) / Fraction(str(clock)))
    stages = [move, fetch, work, store, move]
    overhead = 1000
    took = bench.run(MathCommand("e", 16, 40 * tiles, 16, 40, 4, "exp", 0, 1 << 20))
    assert took == overhead + sum(stages) + (tiles - 1) * max(stages)


@pytest.mark.parametrize(
    ("changes", "rate", "ns"),
    [
        ({}, 256, 1 + 12 * 32 + 16 + 16 + 4 + 8),  # reading is the bottleneck
        ({"pe_gemm": {"mac_k": 1}}, 256, 1 + 32 + 16 + 12 * 64 + 4 + 8),  # multiplying
        ({"tcm": {"read_bw_gbs": 128}}, 256, 1 + 32 + 12 * 64 + 16 + 4 + 8),  # fetching
        ({"pe_fetch_store": {"overhead_ns": 20}}, 256, 1 + 32 + 12 * 36 + 16 + 24 + 8),  # fetching with its overhead
        (
            {"pe_dma": {"overhead_ns": 5}},
            256,
            1 + 12 * 42 + 16 + 16 + 4 + 13,
        ),  # reading with its overhead, twice a tile
        ({}, 64, 1 + 12 * 128 + 16 + 16 + 4 + 32),
    ],
)
def test_whichever_stage_is_the_bottleneck_sets_the_pace_of_a_gemm(changes, rate, ns):
    assert pe_bench(changes, gbs=rate).run(gemm()) == ns * 1000


def test_pinned_operands_leave_the_dma_to_the_result():
    fetched = 1 + 12 * 16 + 16 + 4
    assert pe_bench().run(gemm(a=None, b=None)) == (fetched + 8) * 1000
    assert pe_bench().run(gemm(a=None, b=None, c=None)) == fetched * 1000
    assert pe_bench().run(gemm(a=None)) == (1 + 12 * 16 + 16 + 16 + 4 + 8) * 1000


def test_a_k_loop_of_one_output_tile_writes_once():
    bench = pe_bench()
    assert bench.run(gemm(m=32, n=32, k=3072, a=None)) == (1 + 48 * 16 + 16 + 16 + 4 + 8) * 1000
    assert [asked[1:4] for asked in bench.memory.asked if asked[1] == "write"] == [("write", 0x30_0000, 2048)]


# --- what shares what --------------------------------------------------------------------------------------------


def test_an_epilogue_runs_before_the_next_tile_may_touch_the_accumulator():
    epilogues = (Epilogue("scale", "k_tile"), Epilogue("relu", "output_tile"))
    bench = pe_bench()
    bench.run(gemm(m=32, n=32, k=128, a=None, b=None, c=None, epilogues=epilogues))
    assert bench.rows("pe_gemm", "pe_math") == [
        "17 pe_gemm begin g.m0.n0.k0 gemm",
        "33 pe_gemm end g.m0.n0.k0 gemm",
        "33 pe_math begin g.m0.n0.k0 scale",
        "49 pe_math end g.m0.n0.k0 scale",
        "49 pe_gemm begin g.m0.n0.k1 gemm",
        "65 pe_gemm end g.m0.n0.k1 gemm",
        "65 pe_math begin g.m0.n0.k1 scale",
        "81 pe_math end g.m0.n0.k1 scale",
        "81 pe_math begin g.m0.n0.k1 relu",
        "97 pe_math end g.m0.n0.k1 relu",
    ]


def test_gemm_and_math_are_never_busy_at_the_same_time():
    bench = pe_bench()
    bench.run(gemm(a=None, b=None), MathCommand("e", 64, 64, 32, 64, 2, "exp", None, None))
    spans = []
    for at, part, what, *_ in bench.log:
        if part in ("pe_gemm", "pe_math") and what in ("begin", "end"):
            spans.append((at, what))
    assert [what for _, what in spans] == ["begin", "end"] * 14
    assert bench.parts["pe_scheduler"].accelerator.busy_ticks == (12 * 16 + 2 * 32) * 1000


def test_fetching_and_storing_overlap_and_so_do_reading_and_writing():
    bench = pe_bench({"tcm": {"write_bw_gbs": 128}}, gbs=128)
    took = bench.run(MathCommand("e", 32, 64 * 4, 32, 64, 2, "exp", 0, 1 << 20))
    assert took == (1 + 32 + 8 + 32 + 32 + 32 + 3 * 32) * 1000


def test_commands_keep_their_order_and_their_tiles_overlap():
    bench = pe_bench()
    took = bench.run(gemm(), replace(gemm(), name="h"))
    assert took == (1 + 24 * 32 + 16 + 16 + 4 + 8) * 1000
    reads = [row[3] for row in bench.log if row[1:3] == ("pe_dma", "begin") and row[4] == "read A"]
    assert reads == [f"{command}.{tile.name}" for command in "gh" for tile in plan_of(gemm())]
    done = {row[3]: row[0] for row in bench.log if row[1:3] == ("pe_scheduler", "done")}
    assert done == {"g": 429_000, "h": 813_000}
    starts = {row[3]: row[0] for row in bench.log if row[1:3] == ("pe_dma", "begin") and row[4] == "read A"}
    assert starts["h.m0.n0.k0"] == 385_000 < done["g"]


def test_direct_transfers_take_the_same_channels_as_tiles_in_the_order_of_the_commands():
    bench = pe_bench()
    done = bench.submit(DmaRead("r", 0, 4096), gemm(m=32, n=32, k=64), DmaWrite("w", 0, 4096), DmaRead("s", 0, 512))
    bench.env.run(done)
    assert bench.rows("pe_dma") == [
        "1 pe_dma begin r read",
        "3 pe_dma begin w write",
        "17 pe_dma end r read",
        "17 pe_dma begin g.m0.n0.k0 read A",
        "19 pe_dma end w write",
        "33 pe_dma end g.m0.n0.k0 read A",
        "33 pe_dma begin g.m0.n0.k0 read B",
        "49 pe_dma end g.m0.n0.k0 read B",
        "49 pe_dma begin s read",
        "51 pe_dma end s read",
        "85 pe_dma begin g.m0.n0.k0 write C",
        "93 pe_dma end g.m0.n0.k0 write C",
    ]


def test_every_byte_of_the_plan_moves_once():
    bench = pe_bench()
    epilogues = (Epilogue("relu", "output_tile"),)
    command = gemm(m=50, k=100, n=70, epilogues=epilogues)
    bench.run(command)
    every = [stage for tile in plan_of(command) for stage in tile.stages]
    moved = {kind: sum(s.nbytes for s in every if isinstance(s, kind)) for kind in (DmaIn, DmaOut, Fetch, Store)}
    assert bench.parts["pe_dma"].moved_bytes == {"read": moved[DmaIn], "write": moved[DmaOut]}
    ways = bench.parts["tcm"].ways
    assert (ways["read"].moved_bytes, ways["write"].moved_bytes) == (moved[Fetch], moved[Store])
    assert bench.parts["pe_fetch_store"].moved_bytes == moved[Fetch] + moved[Store]
    assert undrained(bench.env) == ()


def test_the_log_changes_nothing():
    assert pe_bench(logged=False).run(gemm()) == pe_bench().run(gemm())


# --- more hardware -----------------------------------------------------------------------------------------------

CHANGES = st.fixed_dictionaries(
    {
        "tcm": st.fixed_dictionaries({"read_bw_gbs": RATES, "write_bw_gbs": RATES}),
        "pe_gemm": st.fixed_dictionaries(
            {"mac_k": st.sampled_from([1, 4, 16]), "clock_ghz": st.sampled_from([1, 1.4])}
        ),
        "pe_math": st.fixed_dictionaries(
            {"vector_width": st.sampled_from([8, 64]), "clock_ghz": st.sampled_from([1, 2])}
        ),
        "pe_dma": st.fixed_dictionaries({"overhead_ns": st.sampled_from([0, 3])}),
        "pe_fetch_store": st.fixed_dictionaries({"overhead_ns": st.sampled_from([0, 2.5])}),
    }
)
MORE = st.sampled_from(
    [
        ("tcm", "read_bw_gbs"),
        ("tcm", "write_bw_gbs"),
        ("pe_gemm", "mac_k"),
        ("pe_gemm", "clock_ghz"),
        ("pe_math", "vector_width"),
        ("pe_math", "clock_ghz"),
    ]
)
SHAPES = st.tuples(st.integers(1, 70), st.integers(1, 200), st.integers(1, 70))


@given(CHANGES, MORE, SHAPES, st.sampled_from([2, 3]), RATES)
def test_more_bandwidth_a_faster_clock_or_a_larger_array_never_make_it_slower(changes, more, shape, factor, memory):
    m, k, n = shape
    command = gemm(m=m, k=k, n=n, epilogues=(Epilogue("relu", "output_tile"),))
    kind, key = more
    faster = {**changes, kind: {**changes[kind], key: changes[kind][key] * factor}}
    assert pe_bench(faster, gbs=memory).run(command) <= pe_bench(changes, gbs=memory).run(command)


@given(CHANGES, SHAPES, RATES)
def test_a_faster_memory_never_makes_it_slower_and_nothing_is_faster_than_its_busiest_resource(changes, shape, memory):
    m, k, n = shape
    command = gemm(m=m, k=k, n=n)
    bench = pe_bench(changes, gbs=memory)
    took = bench.run(command)
    assert pe_bench(changes, gbs=2 * memory).run(command) <= took
    assert took >= max(channel.busy_ticks for channel in bench.env.channels)
