"""The machine of a system: links, hops and memories on one clock, and transfers between named parts (ADR-0049).

First action: one link part for every link of the routes that it is built for, between the hops of their ends; a part
that no transfer reaches is not built, since it could not be noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from simcore.errors import InputError, Problem
from simcore.units import ns_to_ticks
from topology.addresses import AddressResolver
from topology.kinds import EdgeSet
from topology.machine.hops import hop_of, rate_gbs, start_ns
from topology.routes.route import Route
from topology.routes.router import PathRouter
from topology.system import LinkSpec, System

if TYPE_CHECKING:
    from components.fabric.fabric import Fabric
    from components.fabric.flow import Flow
    from components.fabric.hop import Hop
    from components.fabric.link import LinkBase
    from components.memory.over_fabric import Memory, MemoryWay
    from components.memory.request import MemoryRequest
    from simcore.kernel import Environment, Port

    Path = tuple[LinkBase[Any], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A byte of a memory: the part that holds it and the offset in that part."""

    node: str
    offset: int


class Site:
    """A system with its routes and addresses, from which any number of machines can be built."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.router = PathRouter(system)
        self._resolver: AddressResolver | None = None

    @property
    def resolver(self) -> AddressResolver:
        """Its addresses. Raises InputError for a free graph, which has none."""
        if self._resolver is None:
            self._resolver = AddressResolver(self.system)
        return self._resolver

    def place(self, address: int) -> Place:
        """Where ``address`` lies. Raises InputError unless it names a byte of a memory."""
        target = self.resolver.resolve(address)
        if target.space == "io":
            raise InputError([Problem(f"address {address:#x} is in an IO chiplet, which holds no memory", "<address>")])
        return Place(target.node, target.offset)

    def route(self, origin: str, node: str) -> Route:
        """The route from ``origin`` to ``node``; the DMA of an M_CPU keeps out of PE tiles."""
        edges = EdgeSet.M_CPU_DMA if self.system.node(origin).kind == "m_cpu" else EdgeSet.DATA
        return self.router.find_path(origin, node, edges)

    def machine(self, env: Environment, routes: Iterable[Route] | None = None, *, coalesce: bool = True) -> Machine:
        """A machine in ``env`` with the links of ``routes`` and those opposite to them; None: with all there are."""
        return Machine(env, self, self._links_of(routes), coalesce=coalesce)

    def _links_of(self, routes: Iterable[Route] | None) -> list[LinkSpec]:
        if routes is None:
            return self.system.links()
        found: dict[tuple[str, str], LinkSpec] = {}
        graph = self.system.graph
        for link in [link for route in routes for link in route.links]:
            found[link.src, link.dst] = link
            if graph.has_edge(link.dst, link.src):
                found[link.dst, link.src] = self.system.link(link.dst, link.src)
        return list(found.values())


class Machine:
    """The fabric of a system, running in ``env``. ``hops`` and ``links`` by the names of the graph."""

    def __init__(self, env: Environment, site: Site, links: Iterable[LinkSpec], *, coalesce: bool) -> None:
        from components.registry import build

        self.env = env
        self.site = site
        system = site.system
        parameters = {"flit_bytes": system.flit_bytes, "coalesce": coalesce}
        self.fabric = cast("Fabric", build(env, "fabric", FABRIC_NAME, parameters, {}))
        self.hops: dict[str, Hop] = {}
        self.links: dict[tuple[str, str], LinkBase[Any]] = {}
        for link in links:
            part = self._link(link)
            self.fabric.connect(part, self._hop(link.src), self._hop(link.dst))
            self.links[link.src, link.dst] = part

    def path(self, *routes: Route) -> Path:
        """The links of ``routes``, each of which begins where the one before ends."""
        return tuple([self.links[link.src, link.dst] for route in routes for link in route.links])

    def back(self, path: Path) -> Path:
        """The way back over the opposite links. Raises InputError where a link has none."""
        from components.memory.over_fabric import reversed_path

        try:
            return reversed_path(path, self.links)
        except KeyError as missing:
            src, dst = missing.args[0]
            raise InputError(
                [Problem(f"no way back: no link leads from {src} to {dst}", self.site.system.file)]
            ) from None

    def flow(self, name: str, nbytes: int, path: Path) -> Flow:
        """A transfer along ``path``, with the system's window; to be submitted to :attr:`fabric`."""
        from components.fabric.flow import Flow

        return Flow(name, nbytes, path, self.site.system.window_flits)

    def memory_way(self, origin: str, address: int) -> MemoryWay:
        """The way from ``origin`` to what lies at ``address``, and back over the opposite links."""
        return self.way_to(origin, self.site.place(address))

    def way_to(self, origin: str, place: Place) -> MemoryWay:
        """The way from ``origin`` to ``place``. Raises InputError if that is in no memory."""
        from components.memory.over_fabric import MemoryWay

        outward = self.path(self.site.route(origin, place.node))
        memory = self.hops[place.node]
        if not hasattr(memory, "access"):
            node = self.site.system.node(place.node)
            raise InputError([node.origin["kind"].problem(f"{node.name} ({node.kind}) is no memory")])
        return MemoryWay(outward, self.back(outward), cast("Memory", memory), place.offset)

    def request(self, origin: str, direction: str, place: Place, nbytes: int, tag: str) -> MemoryRequest:
        """A request of the part ``origin`` now: ``read`` or ``write`` of ``nbytes`` at ``place``.

        A DMA engine on the way takes its start first. Raises InputError if ``place`` is in no memory.
        """
        from components.memory.over_fabric import FabricMemory
        from components.memory.request import MemoryRequest

        request = MemoryRequest(direction, place.offset, nbytes, self.env.event(), tag)
        way = _Fixed(self.way_to(origin, place))
        carrier = FabricMemory(FABRIC_NAME, self.fabric, way, self.site.system.window_flits)
        ready = self.env.timeout(ns_to_ticks(start_ns(self.site.system, self.site.route(origin, place.node))))
        ready.callbacks.append(lambda _: carrier.start(origin, request))
        return request

    def connect(self, port: Port[MemoryRequest], origin: str) -> None:
        """Serves the requests for physical addresses that the part ``origin`` sends by ``port``."""
        from components.memory.over_fabric import FabricMemory

        memory = FabricMemory(f"{origin}.memory", self.fabric, self, self.site.system.window_flits)
        memory.connect(port, origin)

    def _hop(self, name: str) -> Hop:
        if name not in self.hops:
            self.hops[name] = hop_of(self.env, self.site.system.node(name))
        return self.hops[name]

    def _link(self, link: LinkSpec) -> LinkBase[Any]:
        from components.registry import build

        parameters, impl = link_parameters(self.site.system, link)
        part = build(self.env, "link", f"{link.src}_to_{link.dst}", parameters, {}, impl)
        return cast("LinkBase[Any]", part)


FABRIC_NAME = "the_fabric"


def link_parameters(system: System, link: LinkSpec) -> tuple[Mapping[str, object], str | None]:
    """Parameters and impl of the part that ``link`` is. A wire without a rate does not delay what it carries.

    With a finite buffer, a credit takes as long to return as a flit takes over the length of the link.
    """
    rate, propagation_ns = rate_gbs(system, link), link.length_mm * system.ns_per_mm
    parameters: dict[str, object] = {
        "bw_gbs": rate if rate is not None else 0,
        "propagation_ns": propagation_ns,
        "overhead_ns": link.overhead_ns,
        "arbitration": system.arbitration,
    }
    if system.buffer_bytes is None:
        return parameters, None
    return {**parameters, "buffer_bytes": system.buffer_bytes, "credit_return_ns": propagation_ns}, "credited"


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The one way of one request."""

    way: MemoryWay

    def memory_way(self, origin: str, address: int) -> MemoryWay:
        """That way."""
        return self.way
