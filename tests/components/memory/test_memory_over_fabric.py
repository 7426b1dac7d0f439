"""Requests over the fabric, there and back: what a lone one costs, what several share, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.memory.over_fabric import reversed_path
from simcore.kernel import PartError, undrained
from tests.components.memory.bench_of_hbm import HBM, Ask, ends, memory_bench

KIB = 1024


# --- one alone ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [256, 4 * KIB, 16 * KIB, 32 * KIB])
def test_a_lone_write_costs_its_bytes_a_flit_for_the_second_link_and_the_last_burst(size):
    assert ends([Ask(0, "write", 0x1000, size)]) == [(size * 1000 // 256 + 1000 + 8000, "")]


@pytest.mark.parametrize("size", [256, 2 * KIB])
def test_a_lone_read_costs_the_first_burst_its_bytes_and_a_flit_for_the_second_link(size):
    assert ends([Ask(0, "read", 0x1000, size)]) == [(8000 + size * 1000 // 256 + 1000, "")]


def test_latencies_and_overheads_are_paid_once_there_and_once_back():
    slow = {"parameters": {**HBM, "overhead_ns": 3}, "propagation_ns": 0.5, "overhead_ns": 2}
    there = 2 * 2500 + 3000
    assert ends([Ask(0, "write", 0, 256)], **slow) == [(2 * 1000 + there + 8000 + there, "")]
    assert ends([Ask(0, "read", 0, 256)], **slow) == [(there + 3000 + 8000 + 2 * 1000 + 2 * 2500, "")]


def test_a_request_without_payload_is_a_command_and_its_answer():
    latency = {"propagation_ns": 1.5}
    for direction in ("read", "write"):
        bench = memory_bench(**latency)
        bench.env.run(bench.send(direction, 0, 0, "empty").done)
        assert bench.done == [(6000, "empty")]
        assert [bench.memory.use(channel) for channel in range(8)] == [bench.memory.use(0)] * 8
        assert bench.memory.moved_bytes == {"read": 0, "write": 0}


def test_a_request_keeps_the_transfers_that_it_became():
    bench = memory_bench(propagation_ns=1)
    request = bench.send("write", 0, 512, "w")
    assert bench.env.run(request.done) is request
    assert (request.outward.nbytes, request.homeward.nbytes) == (512, 0)
    assert (request.outward.ended_ticks, request.homeward.ended_ticks) == (13_000, 15_000)
    assert (request.outward.name, request.homeward.name) == ("client.w data", "client.w answer")
    read = bench.send("read", 0, 512, "r")
    bench.env.run(read.done)
    assert (read.outward.name, read.outward.nbytes) == ("client.r command", 0)
    assert (read.homeward.name, read.homeward.nbytes) == ("client.r data", 512)


def test_the_window_bounds_what_is_on_the_way():
    unbounded = ends([Ask(0, "write", 0, 4 * KIB)])
    one_at_a_time = ends([Ask(0, "write", 0, 4 * KIB)], window=1)
    assert one_at_a_time == [(16 * (2000 + 8000), "")]
    assert unbounded == [(16_000 + 1000 + 8000, "")]


# --- several -----------------------------------------------------------------------------------------------------


def test_reads_of_one_channel_wait_for_each_other_and_those_of_others_do_not():
    story = [Ask(0, "read", 0, 256, "a"), Ask(0, "read", 0x800, 256, "b"), Ask(0, "read", 0x100, 256, "c")]
    assert ends(story) == [(10_000, "a"), (11_000, "c"), (18_000, "b")]


def test_a_write_and_a_read_turn_the_channel_round():
    turning = {"parameters": {**HBM, "switch_penalty_ns": 20}}
    story = [Ask(0, "read", 0, 256, "r"), Ask(0, "write", 0, 256, "w")]
    assert ends(story, **turning) == [(10_000, "r"), (36_000, "w")]


def test_bytes_are_conserved_and_nothing_is_left():
    bench = memory_bench()
    story = [Ask(i * 700, "write" if i % 3 else "read", 96 * i, 300 * i, f"q{i}") for i in range(12)]
    bench.env.run(bench.play(story))
    read, written = (sum(a.nbytes for a in story if a.direction == way) for way in ("read", "write"))
    assert bench.memory.moved_bytes == {"read": read, "write": written}
    assert (bench.memory.accepted, bench.memory.completed) == (24, 24)
    assert undrained(bench.env) == ()


STORIES = st.lists(
    st.tuples(
        st.sampled_from([0, 0, 1, 500, 7000, 40_000]),
        st.sampled_from(["read", "write"]),
        st.sampled_from([0, 64, 128, 0x100, 0x7C0, 0x800]),
        st.sampled_from([0, 1, 256, 300, 2048, 9000]),
    ),
    min_size=1,
    max_size=6,
)


@given(STORIES, st.sampled_from([64, 256, 512]), st.sampled_from([None, 1, 20]), st.sampled_from([0, 2.5]))
def test_transfers_that_are_coalesced_give_the_times_of_those_that_move_flit_by_flit(story, flit_bytes, window, turn):
    now, asks = 0, []
    for number, (gap, direction, address, nbytes) in enumerate(story):
        now += gap
        asks.append(Ask(now, direction, address, nbytes, f"q{number}"))
    told = []
    for coalesce in (False, True):
        bench = memory_bench(
            flit_bytes=flit_bytes,
            window=window,
            coalesce=coalesce,
            parameters={**HBM, "pc_bw_gbs": 30, "switch_penalty_ns": turn},
            bw_gbs=200,
        )
        bench.env.run(bench.play(asks))
        told.append((bench.done, [bench.memory.use(channel) for channel in range(8)], bench.memory.moved_bytes))
        assert undrained(bench.env) == ()
    assert told[0] == told[1]


# --- SRAM --------------------------------------------------------------------------------------------------------

SRAM = {"kind": "sram", "name": "sram", "parameters": {"bw_gbs": 128, "overhead_ns": 2}}


def test_an_sram_moves_one_flit_at_a_time_at_its_rate():
    assert ends([Ask(0, "write", 0, 1024)], **SRAM) == [(2 * 1000 + 2000 + 4 * 2000 + 2000, "")]
    assert ends([Ask(0, "read", 0, 1024)], **SRAM) == [(2000 + 2000 + 4 * 2000 + 2 * 1000, "")]


def test_reads_and_writes_of_an_sram_share_its_port_whatever_their_addresses():
    bench = memory_bench(**SRAM)
    bench.env.run(bench.play([Ask(0, "read", 0, 4096, "r"), Ask(0, "write", 1 << 20, 4096, "w")]))
    assert bench.memory.busy_ticks() == 64_000
    assert max(bench.done)[0] >= 64_000
    assert bench.memory.moved_bytes == {"read": 4096, "write": 4096}


def test_an_sram_that_takes_no_time_and_a_part_of_a_flit():
    free = {**SRAM, "parameters": {"bw_gbs": 0, "overhead_ns": 0}}
    assert ends([Ask(0, "write", 0, 10)], **free) == [(79, "")]  # 10 bytes over two links: 78.125 ps
    assert ends([Ask(0, "write", 0, 10)], **SRAM) == [(4000 + 79 + 79, "")]  # and as long again in its port


# --- errors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (("up", 0, 8), "direction 'up' (allowed: read, write)"),
        (("read", "0x100", 8), "address '0x100' (an int, 0 or more)"),
        (("write", 0, -8), "nbytes -8 (an int, 0 or more)"),
    ],
)
def test_a_request_that_cannot_be_carried_is_refused_with_its_name_and_its_sender(asked, what):
    bench = memory_bench()
    with pytest.raises(PartError) as caught:
        bench.send(*asked, "fetch7")
    assert str(caught.value) == f"carrier at 0 ps: request 'fetch7' of client: {what}"


def test_the_way_back_of_a_path_with_a_one_way_link_is_not_there():
    bench = memory_bench()
    link = bench.carrier._ways.way.outward[0]
    with pytest.raises(KeyError, match=r"'hub', 'client'"):
        reversed_path((link,), {("client", "hub"): link})
