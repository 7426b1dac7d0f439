"""Every algorithm, proved on plain data: everybody's data arrive exactly once, in whatever order the sends end."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.collectives.plain_data import faults, races
from topology.collectives.layout import Grid, Packages
from topology.collectives.plan import ALGORITHMS, KINDS, Collective, plan_of
from topology.collectives.send import Plan
from topology.collectives.shares import stream_shares

TOPOLOGIES = ("ring_1d", "torus_2d", "mesh_2d_no_wrap")
GRIDS = [
    *[Grid(w, h) for w, h in ((1, 1), (2, 1), (1, 3), (4, 4), (5, 3), (7, 1), (3, 2))],
    *[Grid(2, 3, Packages(w, h, t)) for t in TOPOLOGIES for w, h in ((2, 1), (1, 3), (3, 2), (5, 1))],
    Grid(1, 1, Packages(3, 3, "mesh_2d_no_wrap")),
]


def assert_correct(plan: Plan) -> None:
    assert faults(plan) == []
    assert races(plan) == []
    assert [send for send in plan.sends if send.src == send.dst or send.nbytes < 1] == []
    names = [send.name for send in plan.sends]
    assert len(set(names)) == len(names)
    for i, send in enumerate(plan.sends):
        assert set(send.after) <= set(names[:i])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8, 13, 16, 31])
def test_a_ring_is_correct_for_any_number_of_ranks(kind: str, ranks: int):
    for nbytes in (1, ranks - 1 or 1, ranks, 1000):
        assert_correct(plan_of(Collective(kind, "ring", nbytes, ranks, streams=stream_shares("2"))))


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8, 13])
def test_an_all_to_all_brings_everybody_the_own_part_of_all(ranks: int):
    for nbytes in (1, ranks, 1000):
        plan = plan_of(Collective("all_to_all", "pairwise", nbytes, ranks, streams=stream_shares("2")))
        assert_correct(plan)
        own = [sum(plan.parts[stream][rank].nbytes for stream in plan.parts) for rank in range(ranks)]
        assert sum(send.nbytes for send in plan.sends) == (ranks - 1) * sum(own)
    if ranks > 1:
        assert faults(replace(plan, sends=plan.sends[1:])) != []
        assert faults(replace(plan, sends=(*plan.sends, plan.sends[0]))) != []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", ["torus", "hierarchical"])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_a_grid_of_any_shape_is_served_correctly(kind: str, algorithm: str, grid: Grid):
    for root in ("corner", "centre") if kind == "broadcast" or algorithm == "hierarchical" else (None,):
        assert_correct(plan_of(Collective(kind, algorithm, 1000, grid.size, grid, root=root)))


@given(
    kind=st.sampled_from(KINDS),
    algorithm=st.sampled_from(ALGORITHMS),
    w=st.integers(1, 4),
    h=st.integers(1, 4),
    packages=st.builds(Packages, st.integers(1, 3), st.integers(1, 2), st.sampled_from(TOPOLOGIES)),
    nbytes=st.integers(1, 5000),
    streams=st.sampled_from(["1", "2", "3", "4", "sunda", "gen3", "core_v4"]),
    grain=st.sampled_from([1, 2, 4]),
    data=st.data(),
)
def test_anything_that_can_be_asked_for_is_correct(kind, algorithm, w, h, packages, nbytes, streams, grain, data):
    grid = Grid(w, h, packages)
    asked = Collective(kind, algorithm, nbytes, grid.size, grid, stream_shares(streams), grain_bytes=grain)
    if asked.has_root:
        limit = w * h if algorithm == "hierarchical" else grid.size
        roots = st.sampled_from(["corner", "centre", *map(str, range(limit))])
        asked = replace(asked, root=data.draw(roots))
    plan = plan_of(asked)
    assert_correct(plan)
    covered = sorted((e.offset, e.offset + e.nbytes) for parts in plan.parts.values() for e in parts if e.nbytes)
    assert covered[0][0] == 0 and covered[-1][1] == nbytes
    assert all(end == begin for (_, end), (begin, _) in pairwise(covered))
    assert all(begin % grain == 0 for begin, _ in covered)


@pytest.mark.parametrize("kind", ["all_gather", "reduce_scatter"])
def test_the_part_of_a_rank_is_one_piece_of_the_buffer_however_many_streams_carry_it(kind: str):
    plan = plan_of(Collective(kind, "ring", 103, 5, streams=stream_shares("gen3")))
    for rank in range(5):
        one, other = (plan.parts[stream][rank] for stream in (0, 1))
        assert one.offset == 103 * rank // 5
        assert one.offset + one.nbytes == other.offset
        assert other.offset + other.nbytes == 103 * (rank + 1) // 5


def test_what_a_broken_plan_would_do_is_noticed():
    plan = plan_of(Collective("all_reduce", "ring", 64, 4))
    assert faults(replace(plan, sends=plan.sends[:-1])) != []
    assert faults(replace(plan, sends=(*plan.sends, replace(plan.sends[0], name="again", after=())))) != []
    loose = [replace(send, after=()) for send in plan.sends]
    assert races(replace(plan, sends=tuple(loose))) != []


@pytest.mark.parametrize(
    ("kind", "sent"), [("all_reduce", 2 * 15), ("all_gather", 15), ("reduce_scatter", 15), ("broadcast", 15)]
)
@pytest.mark.parametrize("algorithm", ["ring", "torus"])
def test_rings_and_tori_send_what_theory_asks_for(kind: str, sent: int, algorithm: str):
    plan = plan_of(Collective(kind, algorithm, 1600, 16, Grid(4, 4)))
    assert sum(send.nbytes for send in plan.sends) == sent * 1600


@pytest.mark.parametrize(("algorithm", "steps"), [("ring", 30), ("torus", 12)])
def test_a_torus_takes_the_steps_of_its_rows_and_columns(algorithm: str, steps: int):
    assert plan_of(Collective("all_reduce", algorithm, 1600, 16, Grid(4, 4))).steps() == steps


@pytest.mark.parametrize(("root", "hops"), [("corner", 12), ("centre", 8), ("10", 8), ("5", 8), ("3", 12)])
def test_a_root_in_the_centre_of_4_x_4_takes_8_hops_instead_of_12(root: str, hops: int):
    plan = plan_of(Collective("all_reduce", "hierarchical", 4096, 16, Grid(4, 4), root=root))
    assert plan.steps() == hops
    assert plan.root == {"corner": 0, "centre": 10, "10": 10, "5": 5, "3": 3}[root]
