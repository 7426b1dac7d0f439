"""The two ways to a timetable agree, and times that do not fit into 64 bits are as exact."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.fabric.exact_time import ExactTime
from components.fabric.timetable import Recurrences, Timetable
from tests.components.fabric.bench_of_fabric import outcome
from tests.components.fabric.channels import banks
from tests.components.fabric.networks import networks
from tests.components.fabric.plain import PlainFlow, PlainHop, PlainLink, PlainNetwork

pytestmark = pytest.mark.usefixtures("eager_plans")


def equal(a: object, b: object) -> bool:
    return a is b is None or (a == b).all()


@settings(max_examples=100)
@given(networks(banks=("sram", "hbm")), st.sampled_from([(500, 2000), (8001, 0)]))
def test_guessing_and_going_through_the_flits_give_the_same_timetable(network: PlainNetwork, burst_ticks):
    solve = Recurrences.solve

    def both(self: Recurrences) -> Timetable:
        leg = self.leg
        before = leg.save_end_points()
        guessed, after_guess = self.by_guess(), leg.save_end_points()
        leg.restore_end_points(before)
        single, after_single = self.one_by_one(), leg.save_end_points()
        leg.restore_end_points(before)
        if guessed is not None:
            assert after_guess == after_single
            for name in ("queue", "landings", "done"):
                assert equal(getattr(guessed, name), getattr(single, name)), name
            assert all(map(equal, guessed.starts, single.starts))
            assert all(map(equal, guessed.homes, single.homes))
        return solve(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Recurrences, "solve", both)
        outcome(network, banks(burst_ticks))


def test_moments_beyond_64_bits_are_as_exact():
    primes = (1009, 1013, 1019, 1021, 1031, 1033, 1039)
    assert ExactTime.for_rates(Fraction(prime, 7) for prime in primes).moment(1) > 1 << 64
    links = tuple(PlainLink(i, i + 1, Fraction(prime, 7), 1) for i, prime in enumerate(primes))
    flows = (PlainFlow(6400, tuple(range(7))), PlainFlow(640, (3, 4), start=100_000, window=2))
    network = PlainNetwork(64, (PlainHop(),) * 8, links, flows)
    assert outcome(network) == outcome(network, coalesce=False)


@pytest.mark.parametrize("kind", ["sram", "hbm"])
@pytest.mark.parametrize("window", [None, 3, 16])
@pytest.mark.parametrize("digits", range(1, 9))
def test_end_points_that_lie_far_behind_the_links_may_name_moments_beyond_64_bits(digits: int, window, kind: str):
    # The more digits a rate has, the shorter is the unit of time: in some of these only what the end point says is too
    # long for 64 bits, in others every moment is.
    links = tuple(PlainLink(i, i + 1, 101 + Fraction("0.333333333").__round__(digits + i), 0) for i in range(3))
    flows = (PlainFlow(64 * 50, (0, 1, 2), window=window, sink=kind), PlainFlow(640, (2,), start=10**7))
    network = PlainNetwork(64, (PlainHop(),) * 4, links, flows)
    slow = (10**11, 10**11)
    assert outcome(network, banks(slow)) == outcome(network, banks(slow), coalesce=False)
