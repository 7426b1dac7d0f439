"""Plans over machines: the given ring case, slots that cost what is published, arrivals, and what nobody may break."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from importlib import resources
from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.kernel import Environment
from topology.collectives.layout import Grid, Packages
from topology.collectives.plan import ALGORITHMS, KINDS, Collective, plan_of
from topology.collectives.ranks import layout_of
from topology.collectives.running import CollectiveRun, routes_of, simulate
from topology.collectives.shares import stream_shares
from topology.collectives.slots import TIERS, Costs
from topology.loader import load_system
from topology.machine.site import Site
from topology.system import System


@pytest.fixture(scope="module")
def small(mesh_4x4_small: System) -> Site:
    return Site(mesh_4x4_small)


@pytest.fixture(scope="module")
def large(kernbench_2x4x4: System) -> Site:
    return Site(kernbench_2x4x4)


@pytest.fixture(scope="module")
def six_packages(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The large system with six packages, joined in a torus of 3 x 2."""
    text = (resources.files("topology") / "systems" / "kernbench_2x4x4.yaml").read_text()
    text = text.replace("count: {value: 2,", "count: {value: 6,").replace("topology: ring_1d", "topology: torus_2d")
    text = text.replace("  topology: torus_2d", "  topology: torus_2d\n  w: 3\n  h: 2")
    path = tmp_path_factory.mktemp("six") / "six.yaml"
    path.write_text(text)
    return Site(load_system(path))


def end_ns(run: CollectiveRun) -> Fraction:
    return max(times.usable for times in run.times.values()) / 1000


def test_the_given_ring_all_gather_is_the_plan_of_the_generator_and_ends_when_it_should(shared: Path, tmp_path: Path):
    folder = shared / "cases" / "contention"
    case = json.loads((folder / "A37-ring-ag-row4.json").read_text())
    fair = json.loads((folder / "A37-ring-ag-row4.expected.json").read_text())
    system = {"ns_per_mm": 0, "flit_bytes": 256, "arbitration": "flow_round_robin", "window_flits": 16}
    document = {
        "schema": "kernbench.topology/1",
        "name": "a37",
        "system": {**system, "buffer_bytes": None, "ucie_spreading": "none"},
        "graph": case["graph"],
    }
    (tmp_path / "a37.yaml").write_text(json.dumps(document))
    site = Site(load_system(tmp_path / "a37.yaml"))
    layout = layout_of(site.system, "c00,c10,c20,c30")
    plan = plan_of(Collective("all_gather", "ring", 4 << 20, 4))

    def short(name: str) -> str:
        return name.removeprefix("cc0.all_gather.").rpartition("_")[0]

    ours = [
        (
            short(send.name),
            layout.nodes[send.src],
            layout.nodes[send.dst],
            send.nbytes,
            sorted(map(short, send.after)),
            list(site.route(layout.nodes[send.src], layout.nodes[send.dst]).nodes),
        )
        for send in plan.sends
    ]
    assert ours == [
        (f["name"], f["src"], f["dst"], f["bytes"], sorted(f.get("after", [])), f["path"]) for f in case["flows"]
    ]
    run = simulate(site, plan, layout.nodes)
    # Each step fills its way of up to five links with flits of 256 bytes, which the fluid answer does without.
    for name, times in run.times.items():
        step = int(short(name)[1]) + 1
        assert 0 <= times.left / 1000 - Fraction(fair["fair_end_exact"][short(name)]) <= step * 4 * Fraction(256, 64)
    moved = {f"{src}>{dst}": link.moved_bytes for (src, dst), link in run.machine.links.items() if link.moved_bytes}
    assert moved == fair["link_bytes"]


@pytest.mark.parametrize("nbytes", [256, 2048, 16384, 65536])
@pytest.mark.parametrize("system", ["large", "six_packages"])
def test_tiers_differ_by_24_slot_accesses_to_the_picosecond(system: str, nbytes: int, request):
    """Published: t = base(b) + 24 (setup + b / bw), that is 12 hops with a write and a read each. base is not ours."""
    site: Site = request.getfixturevalue(system)
    layout = layout_of(site.system)
    plan = plan_of(Collective("all_reduce", "hierarchical", nbytes, len(layout.nodes), layout.grid, root="corner"))
    end = {name: end_ns(simulate(site, plan, layout.nodes, Costs(tier))) for name, tier in TIERS.items()}
    slots = {name: 24 * (tier.setup_ns + Fraction(nbytes, tier.bw_gbs)) for name, tier in TIERS.items()}
    assert len({end[name] - slots[name] for name in TIERS}) == 1
    published = {256: (84, 240), 2048: (336, 1248), 16384: (2352, 9312), 65536: (9264, 36960)}
    assert (end["sram"] - end["tcm"], end["hbm"] - end["sram"]) == published[nbytes]


def test_the_six_packages_stand_in_the_torus_that_the_file_says(six_packages: Site):
    assert layout_of(six_packages.system).grid == Grid(4, 4, Packages(3, 2, "torus_2d"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_link_carries_the_bytes_of_the_sends_whose_route_it_is_on(small: Site, kind: str, algorithm: str):
    layout = layout_of(small.system)
    plan = plan_of(Collective(kind, algorithm, 10007, 16, layout.grid, stream_shares("3")))
    run = simulate(small, plan, layout.nodes)
    expected = dict.fromkeys(run.machine.links, 0)
    for send in plan.sends:
        for link in small.route(layout.nodes[send.src], layout.nodes[send.dst]).links:
            expected[link.src, link.dst] += send.nbytes
    assert {ends: link.moved_bytes for ends, link in run.machine.links.items()} == expected


def test_a_send_starts_when_what_it_passes_on_can_be_used_and_its_own_last_one_has_left(small: Site):
    layout = layout_of(small.system)
    plan = plan_of(Collective("all_reduce", "torus", 65536, 16, layout.grid))
    run = simulate(small, plan, layout.nodes, Costs(TIERS["hbm"], Fraction(1, 100)))
    sends = {send.name: send for send in plan.sends}
    for send in plan.sends:
        waited = [
            run.times[name].usable if sends[name].dst == send.src else run.times[name].left for name in send.after
        ]
        assert run.times[send.name].ready == -(-max(waited, default=Fraction(0)) // 1)
        times = run.times[send.name]
        cost = 2 * (6000 + Fraction(send.nbytes * 1000, 32)) + (send.nbytes * 10 if send.reduce else 0)
        assert 0 <= times.usable - times.left - cost < 3


def test_two_ranks_without_anything_else_take_what_a_lone_transfer_takes(small: Site):
    nodes = ("mesh.r0c0", "mesh.r0c1")
    run = simulate(small, plan_of(Collective("all_reduce", "ring", 8192, 2)), nodes)
    # Two steps of 4096 bytes at 128 GB/s over one link with a router of 2 ns at both ends and 30 ps of wire.
    assert end_ns(run) == 2 * (32 + 4 + Fraction("0.03"))


def test_one_rank_is_done_when_it_arrives(small: Site):
    run = simulate(small, plan_of(Collective("all_reduce", "ring", 8192, 1)), ("mesh.r0c0",))
    assert run.times == {} and run.machine.env.now == 0


def test_nobody_sends_to_a_rank_that_has_not_arrived_and_ranks_are_done_on_their_own(small: Site):
    layout = layout_of(small.system, "mesh.r0c0,mesh.r0c1,mesh.r0c2")
    plan = plan_of(Collective("broadcast", "ring", 3000, 3))
    env = Environment()
    run = CollectiveRun(small.machine(env, routes_of(small, plan, layout.nodes)), plan, layout.nodes)
    run.arrive(0)
    run.arrive(1)
    env.run(run.rank_done[0])
    first = env.now
    assert not run.rank_done[1].triggered
    env.run(env.timeout(1_000_000 - env.now))
    run.arrive(2)
    env.run(run.done)
    assert first < 1_000_000 < env.now
    assert all(times.ready >= 1_000_000 for name, times in run.times.items() if name.endswith("_1_2"))
    with pytest.raises(ValueError, match="rank 2 arrives twice"):
        run.arrive(2)


def test_streams_that_meet_share_the_links(small: Site):
    layout = layout_of(small.system)
    one, four = (
        simulate(small, plan_of(Collective("all_gather", "ring", 1 << 20, 16, streams=stream_shares(s))), layout.nodes)
        for s in ("1", "4")
    )
    crowded = min(run.times[f"cc{s}.all_gather.s0_0_1"].left for run in (four,) for s in range(4))
    assert crowded > 3 * one.times["cc0.all_gather.s0_0_1"].left / 4


def test_the_root_in_the_centre_is_two_thirds_of_the_corner_for_small_messages(small: Site):
    grid = Grid(4, 4)
    nodes = layout_of(small.system).nodes
    corner, centre = (
        end_ns(simulate(small, plan_of(Collective("all_reduce", "hierarchical", 256, 16, grid, root=root)), nodes))
        for root in ("corner", "centre")
    )
    assert corner == 12 * (2 + 4 + Fraction("0.03"))
    assert Fraction(8, 12) <= centre / corner < Fraction(9, 12)


def test_ranks_without_a_way_are_an_error_with_both_names(tmp_path: Path):
    (tmp_path / "apart.yaml").write_text(
        "schema: kernbench.topology/1\nname: apart\nsystem: {ns_per_mm: 0, flit_bytes: 256, arbitration: fifo, "
        "window_flits: 16, buffer_bytes: null, ucie_spreading: none}\n"
        "graph:\n  nodes: [a, b]\n  links: [{src: a, dst: b, bw_gbs: 1, length_mm: 0, overhead_ns: 0}]\n"
    )
    site = Site(load_system(tmp_path / "apart.yaml"))
    plan = plan_of(Collective("all_gather", "ring", 64, 2))
    with pytest.raises(InputError, match="no way from b to a"):
        simulate(site, plan, ("a", "b"))


def test_the_start_of_dma_engines_is_paid_for_every_send():
    site = Site(load_system("trn2"))
    plan = plan_of(Collective("all_gather", "ring", 2048, 2))
    run = simulate(site, plan, ("nc0", "nc1"))
    assert {times.ready for times in run.times.values()} == {0}
    assert all(times.left > 2 * 1_300_000 for times in run.times.values())


def test_the_same_plan_gives_the_same_times(large: Site):
    layout = layout_of(large.system)
    plan = plan_of(Collective("all_reduce", "torus", 4096, 32, layout.grid, stream_shares("core_v4")))
    one, other = (simulate(large, plan, layout.nodes).times for _ in range(2))
    assert {name: replace(times) for name, times in one.items()} == other
