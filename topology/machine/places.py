"""What the host's parts ask a machine: what stands where, and which way leads there (``components.host.places``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from simcore.errors import InputError, Problem

if TYPE_CHECKING:
    from components.host.places import Decoder
    from components.memory.over_fabric import MemoryWay
    from components.pe.dma import DmaRequest
    from simcore.kernel import Port
    from topology.machine.machine import Machine, Path

RANKS = {"pcie_endpoint": 0, "io_cpu": 1, "m_cpu": 2, "pe_cpu": 3}
"""From the host downwards: orders go down over their own routes, reports go back over the same ones."""


class MachinePlaces:
    """The ``Places`` of one machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._site = machine.site

    def memory_way(self, origin: str, address: int) -> MemoryWay:
        """The way from ``origin`` to what lies at ``address``, and back over the opposite links."""
        return self._machine.way_to(origin, self._site.place(address))

    def path(self, source: str, destination: str) -> Path:
        """The links of an order, or of a report."""
        node = self._site.system.node
        if RANKS.get(node(source).kind, 0) > RANKS.get(node(destination).kind, 0):
            return self._machine.back(self._machine.path(self._site.order_route(destination, source)))
        return self._machine.path(self._site.order_route(source, destination))

    def pcie_endpoint(self, sip: int) -> str:
        """The endpoint by which the host reaches a package."""
        return self._site.resolver.find_pcie_ep(sip)

    def cubes(self, sip: int) -> int:
        """How many cubes a package has."""
        self._site.router.cube(sip, 0)
        hierarchy = self._site.system.hierarchy
        assert hierarchy is not None
        return len(hierarchy.sips[sip].cubes)

    def pes(self, sip: int, cube: int) -> int:
        """How many PEs a cube has."""
        return len(self._site.router.cube(sip, cube).pes)

    def io_cpu(self, sip: int) -> Decoder:
        """The CPU that takes the host's orders for a package."""
        return self._decoder(self._site.resolver.find_io_cpu(sip))

    def m_cpu(self, sip: int, cube: int) -> Decoder:
        """The CPU of a cube."""
        return self._decoder(self._site.resolver.find_m_cpu(sip, cube))

    def pe_cpu(self, sip: int, cube: int, pe: int) -> Decoder:
        """The CPU of a PE."""
        return self._decoder(self._site.pe_cpu(sip, cube, pe))

    def dma_requests(self, sip: int, cube: int, pe: int) -> Port[DmaRequest]:
        """The port by which a PE's DMA takes direct requests."""
        return self._machine.tile(self._site.router.cube(sip, cube).pes[pe].name).dma_requests

    def same_place(self, address: int, sip: int, cube: int, pe: int) -> int:
        """The address that lies in the HBM slice of that PE where ``address`` lies in its own."""
        return self._site.resolver.encode_hbm(sip, cube, pe, self._site.place(address).offset)

    def _decoder(self, name: str) -> Decoder:
        hop: Any = self._machine.hops.get(name)
        if hop is None or not hasattr(hop, "decode_ticks"):
            message = f"{name} takes no orders in this machine (build it for the routes of its orders)"
            raise InputError([Problem(message, self._site.system.file)])
        return cast("Decoder", hop)
