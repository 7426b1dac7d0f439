"""The alpha-beta analysis against the machine, and what neither of them may beat."""

from __future__ import annotations

from fractions import Fraction

import pytest

from benches.collectives.alpha_beta import bound_ns, longest_chain
from benches.flows.run import run_traffic
from benches.flows.traffic import FlowSpec, Traffic
from topology.collectives.plan import ALGORITHMS, KINDS, Collective, plan_of
from topology.collectives.ranks import layout_of
from topology.collectives.running import CollectiveRun, simulate
from topology.collectives.shares import stream_shares
from topology.collectives.slots import NO_COSTS, TIERS, Costs
from topology.loader import load_system
from topology.machine.site import Site

MIXED = Costs(TIERS["sram"], Fraction(1, 7))


@pytest.fixture(scope="module")
def small() -> Site:
    return Site(load_system("mesh_4x4_small"))


@pytest.fixture(scope="module")
def large() -> Site:
    return Site(load_system("kernbench_2x4x4"))


def end_ns(run: CollectiveRun) -> Fraction:
    return max(times.usable for times in run.times.values()) / 1000


def planned(site: Site, kind: str, algorithm: str, nbytes: int, streams: str = "1"):
    layout = layout_of(site.system)
    ranks = len(layout.nodes)
    return layout.nodes, plan_of(Collective(kind, algorithm, nbytes, ranks, layout.grid, stream_shares(streams)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("nbytes", [16, 4096, 65536])
def test_on_the_small_mesh_one_stream_takes_what_the_analysis_says(small: Site, kind: str, algorithm: str, nbytes: int):
    nodes, plan = planned(small, kind, algorithm, nbytes)
    for costs in (NO_COSTS, Costs(TIERS["hbm"])):
        said = longest_chain(small, plan, nodes, costs)
        # Who waits for a send starts at the first picosecond after it.
        assert abs(end_ns(simulate(small, plan, nodes, costs)) - said.time_ns) * 1000 <= said.steps


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", ["ring", "hierarchical"])
def test_so_it_does_across_the_packages_of_the_large_system(large: Site, kind: str, algorithm: str):
    nodes, plan = planned(large, kind, algorithm, 4096)
    said = longest_chain(large, plan, nodes, MIXED).time_ns
    # Every send may round its latencies up by some picoseconds.
    assert abs(end_ns(simulate(large, plan, nodes, MIXED)) - said) < Fraction(plan.steps(), 10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("streams", ["1", "4", "gen3"])
def test_neither_beats_the_bound_or_the_busiest_link(small: Site, kind: str, algorithm: str, streams: str):
    nodes, plan = planned(small, kind, algorithm, 262144, streams)
    run = simulate(small, plan, nodes)
    bound = bound_ns(small, plan, nodes)
    busiest = max(link.moved_bytes for link in run.machine.links.values()) / Fraction(128)
    assert bound is not None
    for time in (end_ns(run), longest_chain(small, plan, nodes, NO_COSTS).time_ns):
        assert time >= busiest and time >= bound


def test_the_bound_is_what_theory_says_about_ranks_of_equal_links():
    site = Site(load_system("trn2"))
    nodes = tuple(f"nc{core}" for core in range(8))
    factors = {"all_reduce": Fraction(2 * 7, 8), "all_gather": Fraction(7, 8), "reduce_scatter": Fraction(7, 8)}
    for kind, factor in {**factors, "broadcast": Fraction(1)}.items():
        plan = plan_of(Collective(kind, "ring", 1 << 20, 8))
        # Sixteen DMA engines of 23 GB/s for each core.
        assert bound_ns(site, plan, nodes) == factor * (1 << 20) / (16 * 23)


def test_where_a_rank_has_no_link_with_a_rate_there_is_no_bound(large: Site):
    nodes = ("sip0.cube0.pe0.pe_cpu", "sip0.cube1.pe0.pe_cpu")
    assert bound_ns(large, plan_of(Collective("all_reduce", "ring", 64, 2)), nodes) is None


def test_the_same_flows_as_traffic_end_at_the_same_moments(small: Site):
    nodes, plan = planned(small, "all_reduce", "torus", 20000, "2")
    specs = [FlowSpec(s.name, nodes[s.src], nodes[s.dst], s.nbytes, after=s.after) for s in plan.sends]
    traffic = run_traffic(Traffic("torus", small.system, tuple(specs)))
    ours = simulate(small, plan, nodes)
    assert [flow.end_ticks for flow in traffic.flows] == [ours.times[send.name].left for send in plan.sends]


def test_time_is_a_latency_for_every_step_and_a_time_for_the_bytes(small: Site):
    nodes, plan = planned(small, "all_reduce", "torus", 65536)
    chain = longest_chain(small, plan, nodes, Costs(TIERS["sram"]))
    # Two rings of four, three steps there and three back in each: on its way from rank to rank the longest chain comes
    # four times round the end of a row or column. That is three links (30 ps of wire each) and four routers of 2 ns,
    # against one and two; each send has set-ups of 2 + 2 ns.
    assert (chain.steps, chain.alpha_ns) == (12, 4 * Fraction("8.09") + 8 * Fraction("4.03") + 12 * 4)
    # A quarter in the rows, a sixteenth in the columns, at 128 GB/s; a flit on two more links; a slot there and back.
    sent = 6 * (Fraction(16384) + 4096)
    assert chain.bytes_ns == sent / 128 + 4 * 2 * Fraction(256, 128) + 2 * sent / 128
