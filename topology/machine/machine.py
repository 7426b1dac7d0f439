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
from topology.hierarchy import PeTile
from topology.machine.hops import ONCE, charge_ns, engine_start_ns, hop_of, rate_gbs
from topology.machine.places import MachinePlaces
from topology.machine.site import Place, Site
from topology.machine.tile import RunningTile, build_tile, nodes_of
from topology.routes.route import Route
from topology.system import LinkSpec, NodeSpec, System

if TYPE_CHECKING:
    from simpy.events import Event

    from components.fabric.fabric import Fabric
    from components.fabric.flow import Flow
    from components.fabric.hop import Hop
    from components.fabric.link import LinkBase
    from components.host.host import Host, Kernel
    from components.memory.over_fabric import FabricMemory, Memory, MemoryWay
    from components.memory.request import MemoryRequest
    from simcore.kernel import Environment, Port

    Path = tuple[LinkBase[Any], ...]


class Machine:
    """The fabric of a system, running in ``env``. ``hops`` and ``links`` by the names of the graph."""

    def __init__(self, env: Environment, site: Site, links: Iterable[LinkSpec], *, coalesce: bool) -> None:
        from components.host.post import Post
        from components.registry import build

        self.env = env
        self.site = site
        system = site.system
        parameters = {"flit_bytes": system.flit_bytes, "coalesce": coalesce}
        self.fabric = cast("Fabric", build(env, "fabric", FABRIC_NAME, parameters, {}))
        self.places = MachinePlaces(self)
        """What the parts of the host's side ask."""
        self._post = Post("post", self.fabric, self.places)
        self._driver = _Driver("driver")
        self._tiles: dict[str, RunningTile] = {}
        self._m_cpu_dma: dict[str, Port[MemoryRequest]] = {}
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

    def way_to(self, origin: str, place: Place) -> MemoryWay:
        """The way from ``origin`` to ``place``. Raises InputError if that is in no memory."""
        from components.memory.over_fabric import MemoryWay

        outward = self.path(self.site.route(origin, place.node))
        memory = self.hops[place.node]
        if not hasattr(memory, "access"):
            node = self.site.system.node(place.node)
            raise InputError([node.origin["kind"].problem(f"{node.name} ({node.kind}) is no memory")])
        return MemoryWay(outward, self.back(outward), cast("Memory", memory), place.offset)

    def ask(self, origin: str, direction: str, place: Place, nbytes: int, tag: str) -> Event:
        """Has the part ``origin`` read or write ``nbytes`` at ``place``; the event: it knows that all is over.

        The DMA of a PE tile and that of an M_CPU are asked themselves; anybody else's request starts at once, after
        the start of a DMA engine on the way. Raises InputError if ``place`` is in no memory.
        """
        from components.memory.request import MemoryRequest
        from components.pe.dma import DmaRequest

        way = self.way_to(origin, place)
        done = self.env.event()
        tile = self.site.tile_of.get(origin)
        if tile is not None and tile.name in self._tiles and self._tiles[tile.name].parts["pe_dma"].name == origin:
            address = self.site.address(place)
            self._tiles[tile.name].dma_requests.put(DmaRequest(direction, address, nbytes, "physical", done, tag))
        elif origin in self._m_cpu_dma:
            self._m_cpu_dma[origin].put(MemoryRequest(direction, self.site.address(place), nbytes, done, tag))
        else:
            self._start(origin, way, MemoryRequest(direction, place.offset, nbytes, done, tag))
        return done

    def _start(self, origin: str, way: MemoryWay, request: MemoryRequest) -> None:
        from components.memory.over_fabric import FabricMemory

        system = self.site.system
        node = system.node(origin)
        before_ns = engine_start_ns(system, self.site.route(origin, way.memory.name))
        before_ns += charge_ns(node) if node.kind in ONCE else 0
        carrier = FabricMemory(FABRIC_NAME, self.fabric, _Fixed(way), system.window_flits)
        ready = self.env.timeout(ns_to_ticks(before_ns))
        ready.callbacks.append(lambda _: carrier.start(origin, request))

    def tile(self, name: str) -> RunningTile:
        """The PE tile of that name. Raises InputError if this machine has none."""
        if name not in self._tiles:
            message = f"{name} does not run in this machine (build it for a route from or to one of its parts)"
            raise InputError([Problem(message, self.site.system.file)])
        return self._tiles[name]

    def m_cpu_dma(self, name: str) -> Port[MemoryRequest]:
        """The port by which the M_CPU of that name takes requests for its DMA."""
        return self._m_cpu_dma[name]

    def host(self, kernels: Mapping[str, Kernel]) -> Host:
        """Whoever sends messages to this machine; ``kernels`` by their names."""
        from components.host.host import Host

        return Host(self.env, "host", self._memory("host"), self._post, self.places, kernels)

    def _memory(self, name: str) -> FabricMemory:
        from components.memory.over_fabric import FabricMemory

        return FabricMemory(name, self.fabric, self.places, self.site.system.window_flits)

    def _hop(self, name: str) -> Hop:
        if name not in self.hops:
            node = self.site.system.node(name)
            tile = self.site.tile_of.get(name)
            nodes = nodes_of(self.site.system, tile) if tile is not None else None
            if tile is not None and nodes is not None and node.kind in nodes and tile.name not in self._tiles:
                self._add_tile(tile, nodes)
            elif node.kind in DISTRIBUTORS:
                self._add_distributor(node)
            if name not in self.hops:
                self.hops[name] = hop_of(self.env, node)
        return self.hops[name]

    def _add_tile(self, tile: PeTile, nodes: Mapping[str, NodeSpec]) -> None:
        running = build_tile(self.env, tile.name, nodes)
        self._tiles[tile.name] = running
        for part in running.parts.values():
            if hasattr(part, "reassembles"):
                self.hops[part.name] = cast("Hop", part)
        self._post.connect(running.parts["pe_cpu"].name, running.inbox, running.outbox)
        self._memory(f"{tile.name}.memory").connect(running.memory, running.parts["pe_dma"].name)

    def _add_distributor(self, node: NodeSpec) -> None:
        from components.host.orders import Letter
        from components.memory.request import MemoryRequest
        from components.registry import build
        from simcore.kernel import Port

        env, name = self.env, node.name
        inbox, outbox = Port(env, f"{name}.post_to_cpu", Letter), Port(env, f"{name}.cpu_to_post", Letter)
        ports: dict[str, Port[Any]] = {"inbox": inbox, "outbox": outbox}
        if node.kind == "m_cpu":
            asked = self._m_cpu_dma[name] = Port(env, f"{name}.asked", MemoryRequest)
            asked.attach("out", self._driver)
            ports |= {"dma_requests": asked, "memory": Port(env, f"{name}.dma_to_memory", MemoryRequest)}
            self._memory(f"{name}.dma").connect(ports["memory"], name)
        part = build(env, node.kind, name, node.parameters, ports, node.impl, file=node.origin["kind"].file)
        self.hops[name] = cast("Hop", part)
        self._post.connect(name, inbox, outbox)

    def _link(self, link: LinkSpec) -> LinkBase[Any]:
        from components.registry import build

        parameters, impl = link_parameters(self.site.system, link)
        file = self.site.system.file
        return cast(
            "LinkBase[Any]", build(self.env, "link", f"{link.src}_to_{link.dst}", parameters, {}, impl, file=file)
        )


FABRIC_NAME = "the_fabric"
DISTRIBUTORS = ("io_cpu", "m_cpu")
"""Kinds of CPUs that hand orders on."""


def link_parameters(system: System, link: LinkSpec) -> tuple[Mapping[str, object], str | None]:
    """Parameters and impl of the part that ``link`` is. A wire without a rate does not delay what it carries.

    With a finite buffer, a credit takes as long to return as a flit takes over the length of the link. An impl that the
    file names goes before both of ours and is given the same parameters.
    """
    rate, propagation_ns = rate_gbs(system, link), link.length_mm * system.ns_per_mm
    parameters: dict[str, object] = {
        "bw_gbs": rate if rate is not None else 0,
        "propagation_ns": propagation_ns,
        "overhead_ns": link.overhead_ns,
        "arbitration": system.arbitration,
    }
    if system.buffer_bytes is None:
        return parameters, link.impl
    parameters |= {"buffer_bytes": system.buffer_bytes, "credit_return_ns": propagation_ns}
    return parameters, link.impl or "credited"


@dataclass(frozen=True, slots=True)
class _Driver:
    """Whoever asks a part from outside the machine."""

    name: str


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The one way of one request."""

    way: MemoryWay

    def memory_way(self, origin: str, address: int) -> MemoryWay:
        """That way."""
        return self.way
