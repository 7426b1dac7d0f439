"""What holds for any traffic on the machine."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benches.flows import checks, lone
from benches.flows.fair import fair
from benches.flows.lone import lone_durations
from benches.flows.report import report_of
from benches.flows.run import FlowTimes, LinkUse, run_traffic
from benches.flows.traffic import FlowSpec
from simcore.errors import ModelBug
from tests.benches.flows.random_traffic import lengthened, traffic, traffics

ARBITRATIONS = st.sampled_from(["flow_round_robin", "port_round_robin", "fifo"])


@settings(max_examples=60)
@given(traffics(), ARBITRATIONS, st.sampled_from([16, 3, None]), st.sampled_from([None, 512]))
def test_a_report_adds_up(drawn, arbitration: str, window: int | None, room: int | None):
    links, flows = drawn
    report = report_of(traffic(links, flows, arbitration=arbitration, window_flits=window, buffer_bytes=room))
    assert all(0 <= link.utilisation <= 1 for link in report.links)
    assert sum(f.cost_ns for f in report.flows) == pytest.approx(sum(k.cost_ns for k in report.links), abs=1e-6)
    for flow in report.flows:
        assert flow.cost_ns >= 0
        assert sum(part.cost_ns for part in flow.cost_by_link) == pytest.approx(flow.cost_ns, abs=1e-6)


@settings(max_examples=60)
@given(traffics())
def test_flows_in_turn_end_within_flits_and_windows_of_their_fair_end(drawn):
    for flow in report_of(traffic(*drawn)).flows:
        assert abs(flow.end_ns - flow.fair_end_ns) <= flow.granularity_ns


@settings(max_examples=40)
@given(traffics(), traffics("x"), ARBITRATIONS, st.booleans())
def test_traffic_on_other_links_changes_no_bit(drawn, other, arbitration: str, before: bool):
    (links, flows), (more_links, more_flows) = drawn, other
    alone = run_traffic(traffic(links, flows, arbitration=arbitration))
    both_links = [*more_links, *links] if before else [*links, *more_links]
    both_flows = [*more_flows, *flows] if before else [*flows, *more_flows]
    both = run_traffic(traffic(both_links, both_flows, arbitration=arbitration))
    first = len(more_flows) if before else 0
    assert both.flows[first : first + len(flows)] == alone.flows
    assert {ends: both.links[ends] for ends in alone.links} == alone.links


@settings(max_examples=40)
@given(st.lists(st.sampled_from([4096, 20_000, 65_536]), min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_flows_moves_nothing_by_more_than_a_flit_of_each(sizes: list[int], rng):
    # Over two links that all share, with nothing behind the first that could make a difference grow.
    links = [("a", "b", 64, 0), ("b", "c", 48, 0)]
    flows = [FlowSpec(f"f{n}", "a", "c", size) for n, size in enumerate(sizes)]
    shuffled = list(flows)
    rng.shuffle(shuffled)
    there, back = run_traffic(traffic(links, flows)), run_traffic(traffic(links, shuffled))
    ends = {spec.name: times.end_ticks for spec, times in zip(shuffled, back.flows, strict=True)}
    flit_ticks = Fraction(256 * 1000, 48)
    for spec, times in zip(flows, there.flows, strict=True):
        assert abs(times.end_ticks - ends[spec.name]) <= len(flows) * flit_ticks


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from([256, 5000, 65_536]), st.sampled_from([0, 50, 400])), min_size=1, max_size=6))
def test_a_link_with_something_to_send_is_busy(drawn: list[tuple[int, int]]):
    flows = [FlowSpec(f"f{n}", "a", "b", nbytes, Fraction(start)) for n, (nbytes, start) in enumerate(drawn)]
    result = run_traffic(traffic([("a", "b", 64, 0)], flows))
    busy_until = Fraction(0)
    for start, nbytes in sorted((start, nbytes) for nbytes, start in drawn):
        busy_until = max(busy_until, Fraction(start)) + Fraction(nbytes, 64)
    assert max(times.end_ticks for times in result.flows) == busy_until * 1000


@settings(max_examples=30)
@given(traffics(), ARBITRATIONS, st.sampled_from([None, 512]))
def test_coalesced_and_flit_by_flit_are_the_same(drawn, arbitration: str, room: int | None):
    links, flows = drawn
    given_traffic = traffic(links, flows, arbitration=arbitration, buffer_bytes=room)
    assert run_traffic(given_traffic).flows == run_traffic(given_traffic, coalesce=False).flows


@pytest.mark.parametrize("arbitration", ["flow_round_robin", "port_round_robin", "fifo"])
def test_a_lone_flow_is_fair_but_for_the_time_to_fill_its_way(arbitration: str):
    links = [("a", "b", 64, 3), ("b", "c", 16, 5), ("c", "d", 100, 0)]
    alone = traffic(links, [FlowSpec("f", "a", "d", 65_536, Fraction(10))], arbitration=arbitration)
    (times,) = run_traffic(alone).flows
    (said,) = fair(alone).flows
    assert said.end_ns == 10 + 8 + 65_536 / 16
    assert said.bottleneck == ("b", "c")
    assert times.end_ticks / 1000 - Fraction(said.end_ns) == Fraction(256, 64) + Fraction(256, 100)
    assert lone_durations(alone) == [times.duration_ns]


def test_a_flow_alone_does_not_wait_for_room_that_one_before_it_has_taken():
    """The room of a flit comes back over the link's 12.7 mm, 0.127 ns after the flit is there."""
    links = [("a", "b", 64, 0), ("b", "c", 64, 0)]
    flows = [FlowSpec("f", "a", "b", 257), FlowSpec("g", "a", "b", 256), FlowSpec("h", "a", "c", 256)]
    given_traffic = traffic(links, flows, buffer_bytes=256)
    given_traffic = replace(given_traffic, system=lengthened(given_traffic.system, Fraction(127, 10)))
    by_name = dict(zip("fgh", lone_durations(given_traffic), strict=True))
    turned = replace(given_traffic, flows=tuple(reversed(flows)))
    assert dict(zip("hgf", lone_durations(turned), strict=True)) == by_name
    assert by_name["g"] == 4 + Fraction(127, 1000)


def test_what_does_not_add_up_is_a_fault_of_kernbench():
    run = run_traffic(traffic([("a", "b", 64, 0)], [FlowSpec("f", "a", "b", 6400)]))
    system = run.traffic.as_served()
    ends = ("a", "b")
    checks.check_run(run, system)
    wrong = replace(run, links={ends: LinkUse(6401, Fraction(100), 1)})
    with pytest.raises(ModelBug, match="a -> b has moved 6401 bytes of 6400"):
        checks.check_run(wrong, system)
    wrong = replace(run, links={ends: LinkUse(6400, Fraction(101), 1)})
    with pytest.raises(ModelBug, match=r"a -> b was busy for 101\.0 ns in 100\.0 ns; .* of 100\.0 ns in all"):
        checks.check_run(wrong, system)
    wrong = replace(run, flows=(FlowTimes(0, Fraction(99_999)),))
    with pytest.raises(ModelBug, match=r"flow f took 99\.999 ns, its bytes take 100\.0 ns"):
        checks.check_run(wrong, system)
    late = replace(run.traffic, flows=(replace(run.traffic.flows[0], start_ns=Fraction(1)),))
    with pytest.raises(ModelBug, match="flow f began before its start"):
        checks.check_run(replace(run, traffic=late), system)


def test_a_lone_flow_that_is_not_as_its_formula_says_is_a_fault_of_kernbench(monkeypatch: pytest.MonkeyPatch):
    alone = traffic([("a", "b", 64, 0)], [FlowSpec("f", "a", "b", 6400)])
    predict = lone.predict
    monkeypatch.setattr(
        lone, "predict", lambda way, payload, **how: replace(predict(way, payload, **how), drain_ns=Fraction(7))
    )
    with pytest.raises(ModelBug, match=r"flow f: alone it takes 100\.0 ns on the machine, 7\.0 ns by its formula"):
        lone_durations(alone)
