"""Traffic: flows between the parts of a system, and how the system's links serve them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from simcore.errors import InputError, Problem, hint
from topology.document import Arbitration
from topology.machine.site import Site
from topology.routes.route import Route
from topology.system import System

if TYPE_CHECKING:
    import networkx as nx

    from topology.mesh import RouterMesh

Ends = tuple[str, str]
"""A link, by the names of the parts that it leads from and to."""

PORTS = "port_round_robin"
DEFAULT_ARBITRATION: Arbitration = "flow_round_robin"
DEFAULT_FLIT_BYTES = 256
DEFAULT_WINDOW_FLITS = 16
DEFAULT_NS_PER_MM = Fraction(1, 100)
"""Propagation on an inline graph that does not say otherwise: 10 ps per mm, as in the shipped kernbench_2x4x4."""


def graph_alone(
    name: str, file: str, graph: nx.DiGraph[str], meshes: tuple[RouterMesh, ...] = (), summary: str = ""
) -> System:
    """A system that is nothing but ``graph``: no packages, no addresses, and the options of traffic by default."""
    return System(
        name=name,
        file=file,
        summary=summary,
        ns_per_mm=DEFAULT_NS_PER_MM,
        flit_bytes=DEFAULT_FLIT_BYTES,
        arbitration=DEFAULT_ARBITRATION,
        window_flits=DEFAULT_WINDOW_FLITS,
        buffer_bytes=None,
        ucie_spreading="none",
        graph=graph,
        meshes=meshes,
        hierarchy=None,
        address_map=None,
        probe_cases=None,
        stated=(),
    )


@dataclass(frozen=True, slots=True)
class FlowSpec:
    """``nbytes`` from ``src`` to ``dst`` along ``path`` (names of parts, both ends included; None: the system's route).

    It starts at ``start_ns``, and not before the flows called ``after`` have ended.
    """

    name: str
    src: str
    dst: str
    nbytes: int
    start_ns: Fraction = Fraction(0)
    path: tuple[str, ...] | None = None
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FlowOptions:
    """``flit_bytes``: what a link serves at a time; ``arbitration``: who takes turns; the others None for unbounded."""

    flit_bytes: int = DEFAULT_FLIT_BYTES
    arbitration: str = DEFAULT_ARBITRATION
    window_flits: int | None = DEFAULT_WINDOW_FLITS
    buffer_bytes: int | None = None

    @classmethod
    def of(cls, system: System) -> FlowOptions:
        """Those of ``system``."""
        return cls(system.flit_bytes, system.arbitration, system.window_flits, system.buffer_bytes)

    @property
    def link_buffer_bytes(self) -> int | None:
        """The room behind each link. Where ports take turns, a window is held at each link (ADR-0061 D3)."""
        if self.buffer_bytes is None and self.arbitration == PORTS and self.window_flits is not None:
            return self.window_flits * self.flit_bytes
        return self.buffer_bytes

    def window_along(self, links: int) -> int | None:
        """Flits that a flow over so many links may have between its source and its end (ADR-0061 D3).

        Where ports take turns: as many as fill every buffer on its way, and a window more in front of the first link.
        """
        if self.arbitration != PORTS or self.window_flits is None:
            return self.window_flits
        assert self.link_buffer_bytes is not None
        return self.window_flits + links * -(-self.link_buffer_bytes // self.flit_bytes)


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """``flows`` in ``system``, which serves them by ``options`` (None: its own). ``file``: where it was read."""

    name: str
    system: System
    flows: tuple[FlowSpec, ...]
    options: FlowOptions | None = None
    file: str = "<traffic>"

    @property
    def in_force(self) -> FlowOptions:
        """The options that hold."""
        return self.options or FlowOptions.of(self.system)

    def as_served(self) -> System:
        """The system with those options, and with the buffers that they ask for."""
        options = self.in_force
        return replace(
            self.system,
            flit_bytes=options.flit_bytes,
            arbitration=options.arbitration,
            window_flits=options.window_flits,
            buffer_bytes=options.link_buffer_bytes,
        )


def routes_of(traffic: Traffic, site: Site) -> list[Route]:
    """The route of each flow. Raises InputError, naming every flow whose path is none or who has none."""
    problems: list[Problem] = []
    routes: list[Route] = []
    for flow in traffic.flows:
        try:
            routes.append(route_of(flow, site))
        except InputError as error:
            problems += [replace(p, file=traffic.file, where=f"flow {flow.name}") for p in error.problems]
    if problems:
        raise InputError(problems)
    return routes


def route_of(flow: FlowSpec, site: Site) -> Route:
    """The route of ``flow``: its path, or the system's route. Raises InputError where there is none."""
    if flow.path is None:
        return site.route(flow.src, flow.dst)
    return Route(flow.path, tuple([site.system.link(a, b) for a, b in check_path(flow, site.system)]))


def check_path(flow: FlowSpec, system: System) -> list[tuple[str, str]]:
    """The links of the path of ``flow``. Raises InputError with everything that is wrong with it."""
    assert flow.path is not None
    path, faults = flow.path, []
    if not path or (path[0], path[-1]) != (flow.src, flow.dst):
        faults.append(f"does not lead from {flow.src} to {flow.dst}")
    known = [name in system.graph for name in path]
    faults += [f'no part "{n}" {hint(n, sorted(system.graph))}' for n, k in zip(path, known, strict=True) if not k]
    links = list(pairwise(path))
    if all(known):
        for src, dst in dict.fromkeys(links):
            if not system.graph.has_edge(src, dst):
                successors = list(system.graph.successors(src))
                faults.append(
                    f"no link leads from {src} to {dst} {hint(dst, successors) if successors else ''}".rstrip()
                )
            elif links.count((src, dst)) > 1:
                faults.append(f"the link from {src} to {dst} stands twice on it")
    if faults:
        raise InputError([Problem(f"path: {fault}", system.file) for fault in faults])
    return links


def waiting_circle(flows: Sequence[FlowSpec]) -> list[str]:
    """Names of flows each of which waits for the next, the last for the first; empty if there are none."""
    from topology.routes.dependencies import find_cycle

    # A flow stands for a channel here: both are held by who waits for the next one.
    waits = [((flow.name, ""), (other, "")) for flow in flows for other in flow.after]
    return [name for name, _ in find_cycle(waits)]
