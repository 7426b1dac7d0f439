"""A transfer that comes in at a moment that has been decided, in part or as a whole."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.components.fabric.bench_of_fabric import in_whole_ticks, outcome
from tests.components.fabric.channels import Channels
from tests.components.fabric.plain import Plain, PlainFlow, PlainHop, PlainLink, PlainNetwork

pytestmark = pytest.mark.usefixtures("eager_plans")


@pytest.mark.parametrize("start_ns", range(12))
@pytest.mark.parametrize("latency", [0, 2000])
def test_who_comes_when_a_moment_has_been_decided_finds_the_links_as_it_was_decided(start_ns: int, latency: int):
    # Flow 1 takes no time at all: it ends in a second round of its moment, and flow 2, which waits for it, begins
    # after the links have decided whom to serve at that moment.
    rates = (Fraction(64), Fraction(48), Fraction(64))
    links = [PlainLink(i, i + 1, rate, latency) for i, rate in enumerate(rates)]
    links.append(PlainLink(0, 1, Fraction(64), 0))
    flows = (
        PlainFlow(1280, (0, 1, 2), window=6),
        PlainFlow(0, (3,), start=start_ns * 1000),
        PlainFlow(320, (0, 1), after=(1,)),
        PlainFlow(320, (2,), after=(1,)),
    )
    network = PlainNetwork(64, (PlainHop(),) * 4, tuple(links), flows)
    expected = in_whole_ticks(Plain(network).run())
    assert outcome(network, coalesce=False) == expected
    assert outcome(network) == expected


@pytest.mark.parametrize("ends_ns", range(1, 9))
def test_who_follows_on_an_end_is_there_when_the_links_decide_at_that_moment(ends_ns: int):
    # Flows 0 and 1 take turns at link 0; flow 3 follows flow 2, which ends when link 0 decides between them.
    links = (PlainLink(0, 1, Fraction(64), 0), PlainLink(0, 1, Fraction(64), 0))
    flows = (
        PlainFlow(640, (0,), window=1),
        PlainFlow(640, (0,), window=1),
        PlainFlow(64 * ends_ns, (1,)),
        PlainFlow(128, (0,), after=(2,)),
    )
    network = PlainNetwork(64, (PlainHop(),) * 2, links, flows)
    result = outcome(network)
    assert result == in_whole_ticks(Plain(network).run())
    # He waits for those whose turn it is, which is one: the other has just been served, and comes after him.
    assert result.ended[3] == (ends_ns + 2 + 3) * 1000


@pytest.mark.parametrize("start_ns", range(6))
def test_rounds_of_one_moment_that_an_end_point_without_delay_makes_are_kept(start_ns: int):
    # Flow 2 is let go flit by flit, each in the second round of the moment at which the one before has arrived; flow 1
    # ends in a second round, too, and flow 0, which follows it and is before flow 2 in order, begins in it.
    links = (PlainLink(0, 1, Fraction(64), 0), PlainLink(0, 1, Fraction(64), 0))
    flows = (
        PlainFlow(128, (0,), after=(1,)),
        PlainFlow(0, (1,), start=start_ns * 1000),
        PlainFlow(640, (0,), window=1, sink="free"),
    )
    network = PlainNetwork(64, (PlainHop(),) * 2, links, flows)

    def banks() -> dict[str, Channels]:
        return {"free": Channels("free", 1, 0, 64)}

    expected = in_whole_ticks(Plain(network, banks()).run())
    assert outcome(network, banks()) == outcome(network, banks(), coalesce=False) == expected
