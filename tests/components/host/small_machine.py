"""One package of two cubes with two PEs each, on a real fabric, small enough to reckon with by hand.

host - pcie_ep - noc - ucie_io - ucie_c0 - c0.r - c1.r      each link 0.5 ns
                  |                         |      |
                io_cpu          m_cpu, hbm0, hbm1, pe0, pe1 (the same in c1)
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

import networkx as nx
from simpy.events import Event

from components.fabric.fabric import Fabric
from components.fabric.link import LinkBase
from components.host.host import Host, Kernel
from components.host.messages import HostMessage, Response
from components.host.orders import Letter
from components.host.places import Decoder
from components.host.post import Post
from components.memory.hbm import HbmController
from components.memory.over_fabric import FabricMemory, MemoryWay, reversed_path
from components.pe.dma import DmaRequest
from components.registry import build
from simcore.errors import InputError, Problem
from simcore.kernel import Environment, Part, Port, Row
from tests.components.memory.bench_of_hbm import HBM
from tests.components.pe.pe_bench import PARAMETERS, ns, wired_pe

SLICE = 1 << 20
"""Bytes of HBM of a PE; slice after slice, cube after cube, from address 0 on."""
LINK = {"bw_gbs": 256, "propagation_ns": 0.5, "overhead_ns": 0, "arbitration": "flow_round_robin"}
OVERHEADS = {"pcie_endpoint": 5, "io_cpu": 10, "m_cpu": 5, "ucie_port": 8, "router": 0}


class SmallMachine:
    """The machine with a host; it says itself what stands where. ``slow_wire_ns``: latency of c1's command wires."""

    def __init__(self, kernels: Mapping[str, Kernel] | None = None, *, slow_wire_ns: float = 0.5) -> None:
        self.log: list[Row] = []
        self.env = env = Environment(self.log)
        self.fabric = cast(Fabric, build(env, "fabric", "fabric", {"flit_bytes": 256, "coalesce": True}, {}))
        self.memory = FabricMemory("memory", self.fabric, self, None)
        self.post = Post("post", self.fabric, self)
        self.hops: dict[str, Any] = {}
        self.links: dict[tuple[str, str], LinkBase[Any]] = {}
        self.graph: nx.DiGraph[str] = nx.DiGraph()
        self.dma_ports: dict[str, Port[DmaRequest]] = {}
        for name, kind in {
            "pcie_ep": "pcie_endpoint",
            "noc": "router",
            "ucie_io": "ucie_port",
            "ucie_c0": "ucie_port",
            "c0.r": "router",
            "c1.r": "router",
        }.items():
            self.hops[name] = build(env, kind, name, {"overhead_ns": OVERHEADS[kind]}, {})
        self._add_cpu("io_cpu", "io_cpu")
        for cube in (0, 1):
            self._add_cpu(f"c{cube}.m_cpu", "m_cpu")
            for pe in (0, 1):
                self._add_pe(cube, pe)
        for a, b in (("pcie_ep", "noc"), ("noc", "io_cpu"), ("noc", "ucie_io"), ("ucie_io", "ucie_c0")):
            self._join(a, b)
        self._join("ucie_c0", "c0.r")
        self._join("c0.r", "c1.r")
        for cube in (0, 1):
            self._join(f"c{cube}.r", f"c{cube}.m_cpu")
            for pe in (0, 1):
                self._join(f"c{cube}.r", f"c{cube}.hbm{pe}")
                self._join(f"c{cube}.r", f"c{cube}.pe{pe}.pe_dma")
                self._join(f"c{cube}.m_cpu", f"c{cube}.pe{pe}.pe_cpu", slow_wire_ns if cube else 0.5)
        self.host = Host(env, "host", self.memory, self.post, self, kernels or {})

    def ask(self, message: HostMessage) -> Response:
        """Runs until ``message`` is answered."""
        return self.env.run(self.host.submit(message))

    def ask_all(self, *messages: HostMessage) -> list[Response]:
        """All of them at once."""
        events: list[Event] = [self.host.submit(message) for message in messages]
        for event in events:
            if event.callbacks is not None:
                self.env.run(event)
        return [event.value for event in events]

    def rows(self, *what: str) -> list[str]:
        """What CPUs and schedulers did, times in ns."""
        return [" ".join([ns(row[0]), *map(str, row[1:])]) for row in self.log if row[2] in what]

    # --- what stands where ---------------------------------------------------------------------------------------

    def path(self, source: str, destination: str) -> tuple[LinkBase[Any], ...]:
        nodes = nx.shortest_path(self.graph, source, destination)
        return tuple([self.links[ends] for ends in pairwise(nodes)])

    def memory_way(self, origin: str, address: int) -> MemoryWay:
        number, offset = divmod(address, SLICE)
        if number >= 4:
            raise InputError([Problem(f"address {address:#x} names nothing", "<machine>")])
        hbm = f"c{number // 2}.hbm{number % 2}"
        outward = self.path(origin, hbm)
        return MemoryWay(outward, reversed_path(outward, self.links), self.hops[hbm], offset)

    def pcie_endpoint(self, sip: int) -> str:
        assert sip == 0
        return "pcie_ep"

    def cubes(self, sip: int) -> int:
        return 2

    def pes(self, sip: int, cube: int) -> int:
        return 2

    def io_cpu(self, sip: int) -> Decoder:
        return self.hops["io_cpu"]

    def m_cpu(self, sip: int, cube: int) -> Decoder:
        return self.hops[f"c{cube}.m_cpu"]

    def pe_cpu(self, sip: int, cube: int, pe: int) -> Decoder:
        return self.hops[f"c{cube}.pe{pe}.pe_cpu"]

    def dma_requests(self, sip: int, cube: int, pe: int) -> Port[DmaRequest]:
        return self.dma_ports[f"c{cube}.pe{pe}"]

    def same_place(self, address: int, sip: int, cube: int, pe: int) -> int:
        return (2 * cube + pe) * SLICE + address % SLICE

    # --- building ------------------------------------------------------------------------------------------------

    def hbm(self, cube: int, pe: int) -> HbmController:
        return self.hops[f"c{cube}.hbm{pe}"]

    def _add_cpu(self, name: str, kind: str) -> None:
        inbox, outbox = Port(self.env, f"post->{name}", Letter), Port(self.env, f"{name}->post", Letter)
        self.post.connect(name, inbox, outbox)
        given = {"overhead_ns": OVERHEADS[kind]}
        self.hops[name] = build(self.env, kind, name, given, {"inbox": inbox, "outbox": outbox})

    def _add_pe(self, cube: int, pe: int) -> None:
        prefix = f"c{cube}.pe{pe}."
        parts: dict[str, Part[Any]]
        parts, ports = wired_pe(self.env, prefix, PARAMETERS, with_mmu=True)
        self.post.connect(f"{prefix}pe_cpu", ports["inbox"], ports["outbox"])
        self.memory.connect(ports["memory"], f"{prefix}pe_dma")
        self.dma_ports[f"c{cube}.pe{pe}"] = ports["dma_requests"]
        self.hops |= {f"{prefix}{kind}": parts[kind] for kind in ("pe_cpu", "pe_dma")}
        self.hops[f"c{cube}.hbm{pe}"] = build(self.env, "hbm_controller", f"c{cube}.hbm{pe}", HBM, {})

    def _join(self, a: str, b: str, propagation_ns: float = 0.5) -> None:
        for here, there in ((a, b), (b, a)):
            name = f"{here}_to_{there}".replace(".", "_")
            made = cast(LinkBase[Any], build(self.env, "link", name, {**LINK, "propagation_ns": propagation_ns}, {}))
            self.fabric.connect(made, self.hops[here], self.hops[there])
            self.links[here, there] = made
            self.graph.add_edge(here, there)
