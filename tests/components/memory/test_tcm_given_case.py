"""The given case B40: a read stream and a write stream through separate channels, one shared channel, and in series."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

from simcore.units import ns_to_ticks
from tests.components.memory.bench_of_tcm import Access, TcmBench, tcm_bench, times

CHUNK_BYTES = 4096


@pytest.fixture(scope="module")
def case(shared: Path) -> dict:
    # Numbers as they are written: a float would already be another number than the third of a nanosecond it stands for.
    return json.loads((shared / "cases/packets/B40-dual-channel.json").read_text(), parse_float=Fraction)


@pytest.fixture(scope="module")
def separate(case: dict) -> dict:
    return {"read_bw_gbs": case["model"]["read_GBps"], "write_bw_gbs": case["model"]["write_GBps"]}


@pytest.fixture(scope="module")
def shared_rate(case: dict) -> dict:
    return {"read_bw_gbs": case["model"]["shared_GBps"], "write_bw_gbs": case["model"]["shared_GBps"]}


@pytest.fixture(params=[0, 1, 2])
def point(case: dict, request: pytest.FixtureRequest) -> dict:
    return case["expected"]["points"][request.param]


def whole(point: dict) -> list[Access]:
    """Either stream as one request."""
    return [Access(0, "read", point["read_bytes"], "r"), Access(0, "write", point["write_bytes"], "w")]


def in_chunks(point: dict, parameters: dict, impl: str) -> dict[str, int]:
    """Picosecond at which either stream ends, its next chunk sent as soon as the last one is done."""
    bench = tcm_bench(parameters, impl)
    streams = [bench.env.spawn(stream(bench, way, point[f"{way}_bytes"]), way) for way in ("read", "write")]
    bench.env.run(bench.env.all_of(streams))
    return {process.name: process.value for process in streams}


def stream(bench: TcmBench, direction: str, nbytes: int):
    for _ in range(nbytes // CHUNK_BYTES):
        yield bench.send(direction, CHUNK_BYTES).done
    return bench.env.now


def test_the_case_has_three_points(case: dict):
    assert len(case["expected"]["points"]) == 3


def test_separate_channels_take_as_long_as_the_longer_stream(point: dict, separate: dict):
    assert times(whole(point), separate)[-1][0] == ns_to_ticks(point["separate_channels_ns"])


def test_a_shared_channel_at_either_directions_rate_takes_both_streams_in_series(point: dict, separate: dict):
    assert times(whole(point), separate, "shared_channel")[-1][0] == ns_to_ticks(point["serial_ns"])


def test_a_shared_channel_of_one_rate_takes_the_sum_of_both_streams(point: dict, shared_rate: dict):
    assert times(whole(point), shared_rate, "shared_channel")[-1][0] == ns_to_ticks(point["shared_128_makespan_ns"])


def test_in_chunks_a_shared_channel_is_shared_fairly(point: dict, shared_rate: dict):
    ends = in_chunks(point, shared_rate, "shared_channel")
    chunk_ticks = math.ceil(Fraction(CHUNK_BYTES * 1000) / shared_rate["read_bw_gbs"])
    assert max(ends.values()) == ns_to_ticks(point["shared_128_makespan_ns"])
    assert 0 <= ns_to_ticks(point["shared_128_first_done_fluid_ns"]) - min(ends.values()) <= chunk_ticks


def test_in_chunks_separate_channels_do_not_feel_each_other(point: dict, separate: dict):
    ends = in_chunks(point, separate, "dual_channel")
    for way, end in ends.items():
        chunk_ticks = math.ceil(Fraction(CHUNK_BYTES * 1000) / separate[f"{way}_bw_gbs"])
        assert end == point[f"{way}_bytes"] // CHUNK_BYTES * chunk_ticks
