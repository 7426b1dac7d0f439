"""The HBM controller of ADR-0047: bursts, channels and turn-rounds, to the picosecond."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.memory.hbm import ChannelUse, HbmController, pseudo_channel
from components.registry import build
from simcore.errors import InputError
from simcore.kernel import Environment, PartError
from tests.components.memory.bench_of_hbm import HBM

BURST_PS = 8000
"""256 bytes at 32 GB/s."""


def controller(**changes: object) -> HbmController:
    hbm = build(Environment(), "hbm_controller", "hbm", {**HBM, **changes}, {})
    assert isinstance(hbm, HbmController)
    return hbm


def served(hbm: HbmController, direction: str, address: int, nbytes: int, at_ps: int = 0, flit_bytes: int = 256):
    """When each flit of a transfer is done, all of them asked for at ``at_ps``."""
    access = hbm.access(direction, address, nbytes, flit_bytes)
    sizes = [min(flit_bytes, nbytes - first) for first in range(0, nbytes, flit_bytes)]
    return [access.serve(flit, size, at_ps) for flit, size in enumerate(sizes)]


# --- D1: which channel -------------------------------------------------------------------------------------------


def test_bits_10_to_8_of_the_address_pick_the_channel():
    channels = [pseudo_channel(address, 256, 8) for address in (0, 255, 256, 0x700, 0x7FF, 0x800, 0x1234)]
    assert channels == [0, 0, 1, 7, 7, 0, 2]


def test_flit_i_lies_at_the_address_of_the_transfer_plus_i_flits():
    hbm = controller()
    served(hbm, "write", 0x600, 4 * 256)
    used = [channel for channel in range(8) if hbm.use(channel) == ChannelUse(0, 1, 0)]
    assert used == [0, 1, 6, 7]


def test_transfers_2_kib_apart_meet_on_one_channel():
    hbm = controller()
    assert [served(hbm, "read", 0x800 * i, 256) for i in range(4)] == [[BURST_PS * (i + 1)] for i in range(4)]


# --- D2: bursts --------------------------------------------------------------------------------------------------


def test_the_channels_serve_side_by_side_and_each_one_burst_at_a_time():
    hbm = controller()
    assert served(hbm, "read", 0, 20 * 256) == [8000] * 8 + [16000] * 8 + [24000] * 4
    assert served(hbm, "read", 0, 256, at_ps=1000) == [32000]  # channel 0 is taken for three bursts


def test_a_channel_that_is_idle_starts_when_it_is_asked():
    hbm = controller()
    assert served(hbm, "read", 0, 256, at_ps=5) == [8005]
    assert served(hbm, "read", 0, 256, at_ps=20_000) == [28_000]


@pytest.mark.parametrize("nbytes", [1, 100, 255, 256])
def test_a_burst_is_served_whole_however_little_of_it_is_wanted(nbytes):
    assert served(controller(), "read", 0, nbytes) == [BURST_PS]
    assert served(controller(), "write", 0, nbytes) == [BURST_PS]


def test_a_read_fetches_a_burst_with_its_first_flit_and_the_other_flits_of_it_wait_for_nothing_more():
    hbm = controller()
    assert served(hbm, "read", 0, 512, flit_bytes=64) == [8000, 0, 0, 0, 8000, 0, 0, 0]
    assert (hbm.use(0), hbm.use(1)) == (ChannelUse(1, 0, 0), ChannelUse(1, 0, 0))


def test_a_write_fills_a_burst_and_writes_it_with_its_last_flit():
    hbm = controller()
    assert served(hbm, "write", 0, 320, at_ps=7, flit_bytes=64) == [7, 7, 7, 8007, 8007]
    assert (hbm.use(0), hbm.use(1)) == (ChannelUse(0, 1, 0), ChannelUse(0, 1, 0))


def test_a_flit_of_two_bursts_needs_both_channels():
    hbm = controller()
    served(hbm, "read", 256, 256)
    assert served(hbm, "write", 0, 512, flit_bytes=512) == [16000]


@pytest.mark.parametrize("direction", ["read", "write"])
def test_a_burst_that_two_flits_share_is_served_once(direction):
    hbm = controller()
    served(hbm, direction, 128, 512)
    assert [hbm.use(channel).read_bursts + hbm.use(channel).write_bursts for channel in range(4)] == [1, 1, 1, 0]


def test_no_payload_takes_no_channel_and_no_time():
    hbm = controller()
    served(hbm, "write", 0, 256)
    assert hbm.access("read", 0, 0, 256).serve(0, 0, 500) == 500
    assert hbm.use(0) == ChannelUse(0, 1, 0)


def test_bursts_of_an_odd_length_do_not_drift():
    hbm = controller(num_pcs=1, pc_bw_gbs=90.625)
    assert hbm.burst_ticks == Fraction(256_000, 1) / Fraction("90.625")
    assert served(hbm, "read", 0, 1000 * 256)[-1] == 2_824_828  # not 1000 times 2825


def test_a_bandwidth_of_zero_means_no_delay():
    assert served(controller(pc_bw_gbs=0), "read", 0, 4096, at_ps=3) == [3] * 16


# --- D3: turning round -------------------------------------------------------------------------------------------


def turning(direction_and_time, **changes):
    hbm = controller(switch_penalty_ns=20, **changes)
    return [served(hbm, direction, 0, 256, at)[0] for direction, at in direction_and_time], hbm


def test_a_channel_that_turns_round_pays_the_penalty_after_its_last_burst():
    times, hbm = turning([("read", 0), ("read", 0), ("write", 0), ("read", 0)])
    assert times == [8000, 16000, 44000, 72000]
    assert hbm.use(0) == ChannelUse(3, 1, 2)


def test_a_channel_that_has_been_idle_for_as_long_as_the_penalty_has_turned_already():
    times, _ = turning([("read", 0), ("write", 28_000), ("read", 50_000)])
    assert times == [8000, 36_000, 64_000]


def test_the_first_burst_of_a_channel_pays_no_penalty_and_channels_turn_on_their_own():
    hbm = controller(switch_penalty_ns=20)
    served(hbm, "read", 0, 256)
    assert served(hbm, "write", 0, 512) == [36_000, 8000]


def test_the_given_case_of_a_half_duplex_channel_with_turn_round_is_met_exactly(shared: Path):
    case = json.loads((shared / "cases" / "packets" / "B42-turnaround.json").read_text())
    model = case["model"]
    for point in case["expected"]["points"]:
        group, size = point["group"], model["chunk_bytes"]
        hbm = controller(
            num_pcs=1,
            burst_bytes=size,
            pc_bw_gbs=model["channel_GBps"],
            switch_penalty_ns=model["turnaround_ns"],
        )
        ends = []
        for _ in range(3):
            for direction in ("read", "write"):
                last = served(hbm, direction, 0, group * size, flit_bytes=size)[-1]
            ends.append(last)
        period = ends[2] - ends[1]
        assert period == ends[1] - ends[0]
        rate = Fraction(2 * group * size * 1000, period)
        assert float(rate) == pytest.approx(point["total_GBps"], rel=1e-15)
        assert float(rate / model["channel_GBps"]) == pytest.approx(point["efficiency"], rel=1e-15)


# --- against the rules spelt out -------------------------------------------------------------------------------------


def plainly(transfers, burst_bytes, count, rate_gbs, penalty_ps):
    """When each flit is done: bursts as sets of numbers, channels as exact times; nothing here is the controller's."""
    free = [Fraction(0)] * count
    last: list[str | None] = [None] * count
    told = []
    for direction, address, nbytes, flit_bytes, at in transfers:
        spans = [(first, min(first + flit_bytes, nbytes)) for first in range(0, nbytes, flit_bytes)]
        touched = [{(address + byte) // burst_bytes for byte in range(*span)} for span in spans]
        for i, bursts in enumerate(touched):
            others = touched[:i] if direction == "read" else touched[i + 1 :]
            done = Fraction(at)
            for burst in sorted(bursts.difference(*others)):
                channel = burst % count
                turn = penalty_ps if last[channel] not in (None, direction) else 0
                last[channel] = direction
                free[channel] = max(Fraction(at), free[channel] + turn) + Fraction(burst_bytes * 1000) / rate_gbs
                done = max(done, free[channel])
            told.append(math.ceil(done))
    return told


TRANSFERS = st.lists(
    st.tuples(
        st.sampled_from(["read", "write"]),
        st.integers(0, 200),
        st.integers(0, 150),
        st.sampled_from([1, 7, 16, 20, 64]),
        st.sampled_from([0, 0, 1, 999, 5000]),
    ),
    max_size=6,
)


@given(TRANSFERS, st.sampled_from([1, 16, 32]), st.sampled_from([1, 4]), st.sampled_from([32, Fraction("0.7")]))
def test_random_transfers_end_when_the_rules_say(drawn, burst_bytes, count, rate):
    transfers, now = [], 0
    for direction, address, nbytes, flit_bytes, gap in drawn:
        now += gap
        transfers.append((direction, address, nbytes, flit_bytes, now))
    hbm = controller(num_pcs=count, burst_bytes=burst_bytes, pc_bw_gbs=rate, switch_penalty_ns=1.5)
    told = []
    for direction, address, nbytes, flit_bytes, at in transfers:
        told += served(hbm, direction, address, nbytes, at, flit_bytes)
    assert told == plainly(transfers, burst_bytes, count, rate, 1500)
    assert sum(hbm.moved_bytes.values()) == sum(nbytes for _, _, nbytes, _, _ in transfers)


# --- taking it back, and errors ----------------------------------------------------------------------------------


def test_it_can_be_taken_back_to_where_it_stood():
    hbm = controller(switch_penalty_ns=5)
    served(hbm, "read", 0, 700)
    saved, use, moved = hbm.save(), hbm.use(0), dict(hbm.moved_bytes)
    after = served(hbm, "write", 0, 4096)
    for _ in range(2):
        hbm.restore(saved)
        assert (hbm.use(0), hbm.moved_bytes) == (use, moved)
        assert served(hbm, "write", 0, 4096) == after


@pytest.mark.parametrize(
    ("access", "what"),
    [
        (("raed", 0, 8, 256), "access at 0: direction 'raed' (allowed: read, write; did you mean \"read\"?)"),
        (("read", -1, 8, 256), "access at -1: address -1 (an int, 0 or more)"),
        (("read", 0, 8.0, 256), "access at 0: nbytes 8.0 (an int, 0 or more)"),
        (("write", 64, 8, 0), "access at 64: flit_bytes 0 (an int, 1 or more)"),
    ],
)
def test_an_access_that_cannot_be_is_refused_in_the_name_of_the_controller(access, what):
    with pytest.raises(PartError) as caught:
        controller().access(*access)
    assert str(caught.value) == f"hbm at 0 ps: {what}"


@pytest.mark.parametrize(("key", "value"), [("num_pcs", 6), ("burst_bytes", 300)])
def test_what_picks_by_bits_must_be_a_power_of_two(key, value):
    with pytest.raises(InputError, match=rf"^<parts>: hbm\.{key}: must be a power of two, not {value}$"):
        controller(**{key: value})
