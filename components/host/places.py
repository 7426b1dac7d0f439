"""What the host has to know about a machine: what stands where, and which way leads there. A topology answers it."""

from __future__ import annotations

from typing import Protocol

from components.fabric.hop import Hop
from components.host.messages import Cubes, Pe
from components.host.post import Paths
from components.memory.over_fabric import Ways
from components.pe.dma import DmaRequest
from simcore.errors import InputError, Problem
from simcore.kernel import Port


class Decoder(Hop, Protocol):
    """A CPU that takes orders: ``decode_ticks`` is what it needs for one."""

    @property
    def decode_ticks(self) -> int:
        """Picoseconds, 0 or more."""


class Places(Ways, Paths, Protocol):
    """Packages, cubes and PEs by their numbers; each raises InputError for a number that there is not."""

    def pcie_endpoint(self, sip: int) -> str:
        """The endpoint by which the host reaches a package."""

    def cubes(self, sip: int) -> int:
        """How many cubes a package has."""

    def pes(self, sip: int, cube: int) -> int:
        """How many PEs a cube has."""

    def io_cpu(self, sip: int) -> Decoder:
        """The CPU that takes the host's orders for a package."""

    def m_cpu(self, sip: int, cube: int) -> Decoder:
        """The CPU of a cube."""

    def pe_cpu(self, sip: int, cube: int, pe: int) -> Decoder:
        """The CPU of a PE."""

    def dma_requests(self, sip: int, cube: int, pe: int) -> Port[DmaRequest]:
        """The port by which a PE's DMA takes direct requests."""

    def same_place(self, address: int, sip: int, cube: int, pe: int) -> int:
        """The address that lies in the HBM slice of that PE where ``address`` lies in its own."""


def targets(places: Places, sip: int, cubes: Cubes, pe: Pe) -> dict[int, tuple[int, ...]]:
    """The PEs of each cube that ``cubes`` and ``pe`` name, in the order of their numbers.

    Raises InputError with every number that the package or a cube does not have, and if there is none at all.
    """
    there = places.cubes(sip)
    chosen = tuple(range(there)) if cubes == "all" else tuple(sorted(set(cubes)))
    faults = [f"cube {cube} of package {sip} (allowed: 0 to {there - 1})" for cube in chosen if not 0 <= cube < there]
    found: dict[int, tuple[int, ...]] = {}
    for cube in chosen:
        if 0 <= cube < there:
            count = places.pes(sip, cube)
            if pe != "all" and not 0 <= pe < count:
                faults.append(f"PE {pe} of cube {cube} of package {sip} (allowed: 0 to {count - 1})")
            found[cube] = tuple(range(count)) if pe == "all" else (pe,)
    if not chosen:
        faults.append(f"the message is for no cube of package {sip} (allowed: 0 to {there - 1})")
    if faults:
        raise InputError([Problem(f"no target: {fault}", "<message>") for fault in faults])
    return found
