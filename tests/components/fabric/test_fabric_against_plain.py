"""The fabric, flit by flit and coalesced, against the plain simulator: equal to the last fraction of a picosecond."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.components.fabric.bench_of_fabric import in_whole_ticks, outcome
from tests.components.fabric.channels import banks
from tests.components.fabric.networks import networks
from tests.components.fabric.plain import Plain, PlainNetwork

pytestmark = pytest.mark.usefixtures("eager_plans")

BURST_TICKS = (0, 500, 2000, 8001)


@settings(max_examples=150)
@given(networks(unlimited=True))
def test_flit_by_flit_it_does_what_the_plain_simulator_does(network: PlainNetwork):
    assert outcome(network, coalesce=False) == in_whole_ticks(Plain(network).run())


@settings(max_examples=250)
@given(networks(unlimited=True))
def test_coalesced_it_does_what_it_does_flit_by_flit(network: PlainNetwork):
    assert outcome(network) == outcome(network, coalesce=False)


@settings(max_examples=200)
@given(networks(banks=("sram", "hbm")), st.tuples(st.sampled_from(BURST_TICKS), st.sampled_from(BURST_TICKS)))
def test_with_end_points_all_three_do_the_same(network: PlainNetwork, burst_ticks: tuple[int, int]):
    plain, single, coalesced = banks(burst_ticks), banks(burst_ticks), banks(burst_ticks)
    expected = in_whole_ticks(Plain(network, plain).run())
    assert outcome(network, single, coalesce=False) == expected
    assert outcome(network, coalesced) == expected
    for name in plain:
        assert coalesced[name].save() == single[name].save() == plain[name].save()
