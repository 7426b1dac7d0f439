"""Random requests: the TCM agrees to the picosecond with the recurrences of a first-come, first-served queue.

A queue of s servers starts request i at ``max(arrival_i, the earliest server's free time)``, which for one server is
the end of request i - 1. Nothing here comes from the model: no event, no channel, no shared formula.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.kernel import undrained
from tests.components.memory.bench_of_tcm import Access, tcm_bench

# Few distinct times and sizes, so that ties and requests of no bytes are common; bandwidths that do not divide.
GAPS_PS = st.sampled_from([0, 0, 1, 333, 500, 1000, 2000, 10_000])
SIZES = st.sampled_from([0, 1, 2, 3, 7, 64, 1000])
BANDWIDTHS = st.sampled_from([0, 1, 2, 3, 7, 0.1, 22.5, 512])


@st.composite
def stories(draw: st.DrawFn) -> list[Access]:
    story, now = [], 0
    for number in range(draw(st.integers(0, 25))):
        now += draw(GAPS_PS)
        story.append(Access(now, draw(st.sampled_from(["read", "write"])), draw(SIZES), f"q{number}"))
    return story


def ends(story: Sequence[Access], bw_gbs: dict[str, float], servers: int) -> dict[str, int]:
    """End of each request at a queue of ``servers``."""
    free = [0] * servers
    end = {}
    for access in story:
        rate = Fraction(str(bw_gbs[access.direction]))
        service = math.ceil(access.nbytes * 1000 / rate) if rate else 0
        end[access.tag] = max(access.at_ps, heapq.heappop(free)) + service
        heapq.heappush(free, end[access.tag])
    return end


def expected(story: Sequence[Access], bw_gbs: dict[str, float], impl: str) -> dict[str, int]:
    if impl == "shared_channel":
        return ends(story, bw_gbs, 1)
    servers = {"dual_channel": 1, "two_banks": 2}[impl]
    by_direction = {way: [access for access in story if access.direction == way] for way in bw_gbs}
    return {tag: end for way in bw_gbs for tag, end in ends(by_direction[way], bw_gbs, servers).items()}


@pytest.mark.parametrize("impl", ["dual_channel", "shared_channel", "two_banks"])
@given(story=stories(), read_bw_gbs=BANDWIDTHS, write_bw_gbs=BANDWIDTHS)
def test_every_request_ends_when_its_queue_says(impl, story, read_bw_gbs, write_bw_gbs):
    bench = tcm_bench({"read_bw_gbs": read_bw_gbs, "write_bw_gbs": write_bw_gbs}, impl)
    bench.env.run(bench.play(story))
    want = expected(story, {"read": read_bw_gbs, "write": write_bw_gbs}, impl)
    assert {tag: at for at, tag in bench.done} == want
    assert [at for at, _ in bench.done] == sorted(at for at, _ in bench.done)


@pytest.mark.parametrize("impl", ["dual_channel", "shared_channel", "two_banks"])
@given(story=stories(), bw_gbs=BANDWIDTHS)
def test_requests_bytes_and_time_are_conserved(impl, story, bw_gbs):
    bench = tcm_bench({"read_bw_gbs": bw_gbs, "write_bw_gbs": bw_gbs}, impl)
    bench.env.run(bench.play(story))
    assert undrained(bench.env) == ()
    assert bench.tcm.accepted == bench.tcm.completed == len(bench.done) == len(story)
    for direction, way in bench.tcm.ways.items():
        assert way.moved_bytes == sum(access.nbytes for access in story if access.direction == direction)
    rate = Fraction(str(bw_gbs))
    services = [math.ceil(access.nbytes * 1000 / rate) if rate else 0 for access in story]
    assert sum(channel.busy_ticks for channel in bench.env.channels) == sum(services)
    lives = sum(at for at, _ in bench.done) - sum(access.at_ps for access in story)
    assert sum(channel.wait_ticks for channel in bench.env.channels) == lives - sum(services)


@given(story=stories(), read_bw_gbs=BANDWIDTHS, write_bw_gbs=BANDWIDTHS)
def test_one_direction_never_feels_the_other(story, read_bw_gbs, write_bw_gbs):
    together = tcm_bench({"read_bw_gbs": read_bw_gbs, "write_bw_gbs": write_bw_gbs})
    together.env.run(together.play(story))
    for direction in ("read", "write"):
        alone = tcm_bench({"read_bw_gbs": read_bw_gbs, "write_bw_gbs": write_bw_gbs})
        own = [access for access in story if access.direction == direction]
        alone.env.run(alone.play(own))
        tags = {access.tag for access in own}
        assert alone.done == [(at, tag) for at, tag in together.done if tag in tags]
