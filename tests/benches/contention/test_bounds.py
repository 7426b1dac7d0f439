"""How far a flow may be from its fluid end: a flit for each turn, a window for each flow that it meets."""

from __future__ import annotations

from fractions import Fraction

import pytest

from benches.contention.findings import Row
from benches.contention.graphs import KIB, graph_of
from benches.contention.traffic import alone_ns, chunk_bounds_ns, fair_ends_ns, farthest_of, flit_bounds_ns
from benches.flows.traffic import FlowSpec, Traffic

FLIT_NS = Fraction(256, 64)
WINDOW = 16


def test_a_lone_flow_may_be_late_by_the_flits_that_fill_its_way():
    system = graph_of("t", [("a", "x", Fraction(64)), ("x", "b", Fraction(128))])
    traffic = Traffic("t", system, (FlowSpec("f", "a", "b", 64 * KIB),))
    assert flit_bounds_ns(traffic) == chunk_bounds_ns(traffic) == [FLIT_NS + FLIT_NS / 2]
    assert alone_ns(traffic, 0) == 64 * KIB / Fraction(64) + FLIT_NS / 2


def test_flows_that_meet_wait_for_each_others_flits_and_windows():
    system = graph_of("t", [("a", "x", Fraction(64)), ("b", "x", Fraction(64)), ("x", "c", Fraction(64))])
    traffic = Traffic("t", system, (FlowSpec("f", "a", "c", 64 * KIB), FlowSpec("g", "b", "c", 64 * KIB)))
    assert flit_bounds_ns(traffic) == [3 * FLIT_NS] * 2
    assert chunk_bounds_ns(traffic) == [(3 + WINDOW) * FLIT_NS] * 2


def test_what_a_slower_flow_is_ahead_is_made_up_for_at_the_rate_that_it_leaves():
    system = graph_of("t", [("a", "x", Fraction(64)), ("x", "slow", Fraction(16)), ("x", "wide", Fraction(64))])
    flows = (FlowSpec("slow", "a", "slow", 64 * KIB), FlowSpec("wide", "a", "wide", 64 * KIB))
    _, wide = chunk_bounds_ns(Traffic("t", system, flows))
    assert float(wide) == pytest.approx(float(3 * FLIT_NS + WINDOW * 256 / Fraction(64 - 16)), rel=1e-12)


def test_flows_that_never_run_together_do_not_meet_and_pass_on_what_they_are_late():
    system = graph_of("t", [("a", "b", Fraction(64))])
    flows = (FlowSpec("f", "a", "b", 64 * KIB), FlowSpec("g", "a", "b", 64 * KIB, after=("f",)))
    traffic = Traffic("t", system, flows)
    assert chunk_bounds_ns(traffic) == [FLIT_NS, 2 * FLIT_NS]
    assert fair_ends_ns(traffic) == [1024, 2048]


def test_the_farthest_row_is_that_of_the_largest_error_for_its_tolerance():
    rows = [
        Row("x: near ends", 101, 100, 2, "ns"),
        Row("x: far ends", 13, 10, 4, "ns"),
        Row("x: ok ends", 5, 5, 0, "ns"),
    ]
    farthest = farthest_of(rows, "flows")
    assert (farthest.quantity, farthest.measured, farthest.holds) == ("flows: farthest off, far", 13, True)
    exact = farthest_of([*rows, Row("x: exact ends", Fraction(51, 10), 5, 0, "ns")], "flows")
    assert (exact.quantity, exact.holds) == ("flows: farthest off, exact", False)
