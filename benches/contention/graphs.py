"""Small systems for benches: plain points, and links with a rate and nothing else that takes time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from benches.flows.traffic import DEFAULT_WINDOW_FLITS, graph_alone
from simcore.errors import InputError, Problem
from topology.system import LinkSpec, NodeSpec, Origin, System

if TYPE_CHECKING:
    from topology.mesh import RouterMesh

KIB = 1024
Line = tuple[str, str, Fraction]
"""A link from one point to another, of so many GB/s."""


def graph_of(name: str, lines: Sequence[Line]) -> System:
    """The system of ``lines``, whose points are as they name them. Flows take turns at each link."""
    import networkx as nx

    origin = Origin(f"<bench {name}>", None, None)
    graph: nx.DiGraph[str] = nx.DiGraph()
    for point in dict.fromkeys(point for src, dst, _ in lines for point in (src, dst)):
        graph.add_node(point, spec=NodeSpec(point, "node", None, {}, None, {"kind": origin}))
    for src, dst, gbs in lines:
        graph.add_edge(src, dst, spec=LinkSpec(src, dst, "link", gbs, Fraction(0), None, Fraction(0), {}))
    return graph_alone(name, origin.file, graph)


def by_flows(system: System, window_flits: int = DEFAULT_WINDOW_FLITS) -> System:
    """``system`` with turns by flow, a window and no finite buffers: what max-min fairness is the limit of."""
    return replace(system, arbitration="flow_round_robin", window_flits=window_flits, buffer_bytes=None)


def mesh_of(system: System, bench: str) -> RouterMesh:
    """The one mesh of ``system``. Raises InputError for a system that is more, or that has holes in it."""
    if system.hierarchy is not None or len(system.meshes) != 1 or system.meshes[0].shape.holes:
        message = f"bench {bench} needs a system of one mesh without holes, such as mesh_4x4_small"
        raise InputError([Problem(message, system.file)])
    return system.meshes[0]


def needs_cubes(system: System, bench: str) -> None:
    """Raises InputError for a system without packages and cubes."""
    if system.hierarchy is None:
        message = f"bench {bench} needs a system with packages and cubes, such as kernbench_2x4x4"
        raise InputError([Problem(message, system.file)])
