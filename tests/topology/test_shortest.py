"""Shortest paths agree with networkx in length, and one stated winner is chosen among equals."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from topology.routes.shortest import ShortestPaths
from topology.system import LinkSpec

LENGTHS = st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 3), Fraction(5, 2)])


def link(src: str, dst: str, length_mm: Fraction | int, weight_mm: Fraction | None = None) -> LinkSpec:
    return LinkSpec(src, dst, "link", Fraction(1), Fraction(length_mm), weight_mm, Fraction(0), {})


@given(st.dictionaries(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), LENGTHS, max_size=20))
def test_the_length_is_that_of_networkx_and_links_are_few(edges: dict[tuple[str, str], Fraction]):
    links = [link(a, b, length) for (a, b), length in edges.items() if a != b]
    paths = ShortestPaths(links)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((x.src, x.dst, x.length_mm * 1000 + Fraction(1, 1000)) for x in links)
    for src in graph:
        for dst in graph:
            path = paths.path(src, dst)
            assert bool(path) == nx.has_path(graph, src, dst)
            if path:
                cost = sum(graph[a][b]["weight"] for a, b in pairwise(path))
                assert cost == nx.shortest_path_length(graph, src, dst, weight="weight")


def test_of_equals_the_part_that_was_named_first_wins():
    square = [link("s", "y", 1), link("s", "x", 1), link("y", "t", 1), link("x", "t", 1)]
    assert ShortestPaths(square).path("s", "t") == ("s", "y", "t")
    assert ShortestPaths([square[1], square[3], square[0], square[2]]).path("s", "t") == ("s", "x", "t")


def test_a_routing_weight_steers_instead_of_the_length():
    links = [link("s", "t", 10), link("s", "x", 1), link("x", "t", 1)]
    assert ShortestPaths(links).path("s", "t") == ("s", "x", "t")
    steered = [link("s", "t", 10, Fraction(1, 2)), *links[1:]]
    assert ShortestPaths(steered).path("s", "t") == ("s", "t")


def test_there_may_be_no_way():
    paths = ShortestPaths([link("s", "t", 1)])
    assert (paths.path("t", "s"), paths.path("s", "s"), paths.path("q", "s")) == ((), ("s",), ())
