"""Ways through a mesh: row first, then column; round holes without ever leaving the southward direction again."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topology.mesh import Cell, MeshShape, RouterMesh, leaves_south

HOLED = MeshShape(6, 6, frozenset({(2, 2), (2, 3), (3, 2), (3, 3)}))


@st.composite
def shapes(draw: st.DrawFn) -> MeshShape:
    w, h = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    cells = [(row, column) for row in range(h) for column in range(w)]
    holes = draw(st.sets(st.sampled_from(cells), max_size=w * h - 1))
    return MeshShape(w, h, frozenset(holes))


def graph_of(shape: MeshShape) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(shape.cells())
    graph.add_edges_from((cell, other) for cell in shape.cells() for other in shape.neighbours(cell))
    return graph


def test_the_row_comes_before_the_column():
    assert MeshShape(4, 4, frozenset()).way((0, 0), (2, 3)) == ((0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3))
    assert MeshShape(4, 4, frozenset()).headings((3, 2), (1, 0)) == "WWNN"


@pytest.mark.parametrize(
    ("src", "dst", "headings"),
    [
        ((3, 0), (3, 5), "ENNEEEESS"),  # the row is blocked: north round the hole, and south only at the end
        ((4, 2), (0, 2), "WNNNEN"),  # the column is blocked
        ((5, 5), (0, 2), "WNNNNWWN"),
        ((0, 5), (5, 0), "WWWWWSSSSS"),
        ((1, 2), (4, 2), "WSSSE"),  # no way keeps the rule: the shortest of all
    ],
)
def test_a_hole_is_passed(src: Cell, dst: Cell, headings: str):
    assert HOLED.headings(src, dst) == headings


@given(shapes(), st.data())
def test_a_way_follows_links_from_end_to_end_and_is_empty_only_where_there_is_none(
    shape: MeshShape, data: st.DataObject
):
    cells = sorted(shape.cells())
    src, dst = data.draw(st.sampled_from(cells)), data.draw(st.sampled_from(cells))
    graph, way = graph_of(shape), shape.way(src, dst)
    assert bool(way) == nx.has_path(graph, src, dst)
    if way:
        assert (way[0], way[-1]) == (src, dst)
        assert all(graph.has_edge(a, b) for a, b in pairwise(way))
        assert len(set(way)) == len(way)
        if not leaves_south(shape.headings(src, dst)):
            assert len(way) - 1 >= nx.shortest_path_length(graph, src, dst)
        else:
            assert len(way) - 1 == nx.shortest_path_length(graph, src, dst)


@given(st.integers(1, 7), st.integers(1, 7), st.data())
def test_without_holes_a_way_and_its_way_back_are_as_long_as_the_cells_are_apart(w: int, h: int, data: st.DataObject):
    shape = MeshShape(w, h, frozenset())
    cells = st.tuples(st.integers(0, h - 1), st.integers(0, w - 1))
    src, dst = data.draw(cells), data.draw(cells)
    apart = abs(src[0] - dst[0]) + abs(src[1] - dst[1])
    assert len(shape.way(src, dst)) == len(shape.way(dst, src)) == apart + 1


@pytest.mark.parametrize(
    ("headings", "leaves"),
    [("", False), ("EENN", False), ("ENSS", False), ("S", False), ("SE", True), ("ESSW", True), ("SNS", True)],
)
def test_leaving_the_southward_direction_is_seen(headings: str, leaves: bool):
    assert leaves_south(headings) is leaves


def test_routers_are_named_by_row_and_column():
    mesh = RouterMesh("m", MeshShape(2, 2, frozenset({(1, 1)})))
    assert list(mesh.cell) == ["m.r0c0", "m.r0c1", "m.r1c0"]
    assert mesh.route("m.r1c0", "m.r0c1") == ("m.r1c0", "m.r0c0", "m.r0c1")
