"""Over which links a rank's sends go."""

from __future__ import annotations

import pytest

from topology.collectives.plan import Collective, plan_of
from topology.collectives.send import Send
from topology.collectives.ways import Ways
from topology.loader import load_system
from topology.machine.site import Site


@pytest.fixture(scope="module")
def chip() -> Site:
    return Site(load_system("trn2"))


def ways_of(site: Site, *engines: int) -> Ways:
    """Cores 0, 1, .. with so many of their DMA engines."""
    cores = [f"nc{rank}" for rank in range(len(engines))]
    return Ways(site, cores, [[f"{core}.dma{k}" for k in range(n)] for core, n in zip(cores, engines, strict=True)])


def send_of(nbytes: int, src: int = 0, dst: int = 1) -> Send:
    return Send("s", src, dst, nbytes, (), 0, "p", False, (0, 1))


def test_without_engines_a_send_goes_as_the_route_leads(chip: Site):
    (share,) = Ways(chip, ("nc0", "nc1")).take(send_of(100_000))
    assert (share.engine, share.nbytes, share.route) == (0, 100_000, chip.route("nc0", "nc1"))


def test_a_send_is_cut_into_whole_flits_over_all_engines(chip: Site):
    flit = chip.system.flit_bytes
    shares = ways_of(chip, 16, 16).take(send_of(35 * flit + 5))
    assert [share.engine for share in shares] == list(range(16))
    assert sum(share.nbytes for share in shares) == 35 * flit + 5
    assert all(share.nbytes % flit == 0 for share in shares[:-1])
    assert [-(-share.nbytes // flit) for share in shares] == [3] * 4 + [2] * 12
    assert [share.route.nodes for share in shares] == [
        ("nc0", f"nc0.dma{k}", "noc", f"nc1.dma{k}", "nc1") for k in range(16)
    ]
    assert all(len(share.route.links) == 4 for share in shares)


def test_the_next_send_of_a_rank_begins_behind_the_last_engine_used(chip: Site):
    ways, flit = ways_of(chip, 3, 3, 3), chip.system.flit_bytes
    taken = [
        ways.take(send) for send in (send_of(2 * flit), send_of(1), send_of(flit, src=2), send_of(2 * flit, dst=2))
    ]
    assert [[share.engine for share in shares] for shares in taken] == [[0, 1], [2], [0], [0, 1]]


def test_a_flit_that_is_not_full_goes_by_an_engine_of_its_own(chip: Site):
    flit = chip.system.flit_bytes
    shares = ways_of(chip, 4, 4).take(send_of(flit + 1))
    assert [(share.engine, share.nbytes) for share in shares] == [(0, flit), (1, 1)]


def test_an_engine_that_the_other_rank_has_not_is_one_of_those_it_has(chip: Site):
    shares = ways_of(chip, 3, 2).take(send_of(3 * chip.system.flit_bytes))
    assert [share.route.nodes[3] for share in shares] == ["nc1.dma0", "nc1.dma1", "nc1.dma0"]


def test_the_routes_of_a_plan_are_those_that_its_sends_can_take(chip: Site):
    ways = ways_of(chip, 2, 2, 2)
    plan = plan_of(Collective("all_reduce", "ring", 1 << 20, 3))
    routes = ways.routes(plan)
    assert len(routes) == 3 * 2
    assert {share.route for send in plan.sends for share in ways.take(send)} == set(routes)
