"""AddressResolver: from a physical address to the part that holds it, and back (ADR-0042)."""

from __future__ import annotations

from dataclasses import dataclass

from components.memory.hbm import pseudo_channel
from simcore.errors import InputError, Problem
from topology.address_map import (
    CUBE_DIES,
    FIRST_IO_DIE,
    IO_WINDOW_BYTES,
    AddressError,
    AddressMap,
    decode,
    encode,
)
from topology.hierarchy import Cube, Hierarchy, IoChiplet
from topology.system import System


@dataclass(frozen=True, slots=True)
class Target:
    """What an address names: the part ``node``, and the byte ``offset`` in it.

    ``space`` is ``hbm``, ``sram`` or ``io``. ``pe`` and ``pseudo_channel`` are set for HBM; the latter is None too if
    the controllers do not say how they cut addresses.
    """

    node: str
    space: str
    sip: int
    die: int
    offset: int
    pe: int | None = None
    pseudo_channel: int | None = None


class AddressResolver:
    """Addresses of one hierarchical system. Raises AddressError, which names the field, for one that names nothing."""

    def __init__(self, system: System) -> None:
        if system.hierarchy is None or system.address_map is None:
            raise InputError([Problem("a free graph has no addresses", system.file)])
        self._hierarchy: Hierarchy = system.hierarchy
        self.map: AddressMap = system.address_map
        self._nodes = frozenset(system.graph)

    @property
    def slice_bytes(self) -> int:
        """HBM of one PE tile."""
        return self.map.slice_bytes

    def encode_hbm(self, sip: int, cube: int, pe: int, offset: int) -> int:
        """The address of byte ``offset`` in the HBM slice of a PE tile."""
        self._cube(sip, cube)
        self._in_range("pe", pe, self.map.slices)
        self._in_range("offset", offset, self.map.slice_bytes)
        return encode(sip, cube, pe * self.map.slice_bytes + offset)

    def encode_sram(self, sip: int, cube: int, offset: int) -> int:
        """The address of byte ``offset`` in a cube's SRAM."""
        self._sram_node(self._cube(sip, cube))
        begin, size = self.map.sram_offset, self.map.sram_bytes
        if begin is None or size is None:
            raise AddressError("sram: this system gives its SRAM no addresses (sram_offset_gib and sram_kib)")
        self._in_range("offset", offset, size)
        return encode(sip, cube, begin + offset)

    def resolve(self, address: int) -> Target:
        """What ``address`` names."""
        fields = decode(address)
        self._in_range("sip", fields.sip, self.map.sips, address)
        if fields.die >= FIRST_IO_DIE:
            self._in_range("die", fields.die - FIRST_IO_DIE, self.map.ios, address, FIRST_IO_DIE)
            self._in_range("offset", fields.offset, IO_WINDOW_BYTES, address)
            io = self._hierarchy.sips[fields.sip].ios[fields.die - FIRST_IO_DIE]
            return Target(io.pcie_ep, "io", fields.sip, fields.die, fields.offset)
        self._in_range("die", fields.die, self.map.cubes, address)
        cube = self._hierarchy.sips[fields.sip].cubes[fields.die]
        begin, size = self.map.sram_offset, self.map.sram_bytes
        if begin is not None and size is not None and begin <= fields.offset < begin + size:
            return Target(self._sram_node(cube), "sram", fields.sip, fields.die, fields.offset - begin)
        self._in_range("offset", fields.offset, self.map.hbm_bytes, address)
        pe, inside = divmod(fields.offset, self.map.slice_bytes)
        channel = self.pseudo_channel(inside)
        return Target(cube.hbm[pe], "hbm", fields.sip, fields.die, inside, pe, channel)

    def pseudo_channel(self, offset: int) -> int | None:
        """The pseudo-channel of a byte of an HBM slice: with bursts of 256 bytes and 8 channels, bits 10 to 8."""
        burst, channels = self.map.burst_bytes, self.map.pseudo_channels
        return None if burst is None or channels is None else pseudo_channel(offset, burst, channels)

    def find_m_cpu(self, sip: int, cube: int) -> str:
        """The M_CPU of a cube."""
        found = self._cube(sip, cube).m_cpu
        if found is None:
            raise AddressError(f"cube {cube} of sip {sip} has no M_CPU")
        return found

    def find_pcie_ep(self, sip: int, io: int = 0) -> str:
        """The PCIe endpoint of a package's IO chiplet."""
        return self._io(sip, io).pcie_ep

    def find_io_cpu(self, sip: int, io: int = 0) -> str:
        """The IO CPU of a package's IO chiplet."""
        return self._io(sip, io).io_cpu

    def _cube(self, sip: int, cube: int) -> Cube:
        self._in_range("sip", sip, self.map.sips)
        self._in_range("die", cube, min(self.map.cubes, CUBE_DIES))
        return self._hierarchy.sips[sip].cubes[cube]

    def _io(self, sip: int, io: int) -> IoChiplet:
        self._in_range("sip", sip, self.map.sips)
        self._in_range("io", io, self.map.ios)
        return self._hierarchy.sips[sip].ios[io]

    def _sram_node(self, cube: Cube) -> str:
        if cube.sram is None:
            raise AddressError(f"cube {cube.index} of sip {cube.sip} has no SRAM")
        return cube.sram

    def _in_range(self, field: str, value: int, end: int, address: int | None = None, first: int = 0) -> None:
        if not 0 <= value < end:
            where = f" of address {address:#x}" if address is not None else ""
            shown = hex(value) if field == "offset" and value >= 0 else str(value + first)
            last = hex(end - 1) if field == "offset" else str(end - 1 + first)
            allowed = f"{first} to {last}" if end > 0 else "there is none"
            raise AddressError(f"{field} {shown}{where} is outside this system (allowed: {allowed})")
