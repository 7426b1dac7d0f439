"""What stands where in a hierarchical system: packages (SIPs), their cubes and IO chiplets, and what is in these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from topology.mesh import Cell, RouterMesh

SIDES = ("N", "E", "S", "W")
OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}


@dataclass(frozen=True, slots=True)
class Connection:
    """One of the parallel connections of a UCIe port: its part, and the edge routers that it serves."""

    number: int
    node: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class PeTile:
    """A PE tile: its router, the part that hangs on it, its parts by their names inside the tile."""

    index: int
    name: str
    cell: Cell
    router: str
    router_part: str
    command_part: str | None
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Cube:
    """A cube at column ``x`` and row ``y`` of its package. ``hbm`` has one controller per slice, PE tile by PE tile."""

    sip: int
    index: int
    x: int
    y: int
    name: str
    mesh: RouterMesh
    pes: tuple[PeTile, ...]
    hbm: tuple[str, ...]
    m_cpu: str | None
    sram: str | None
    sides: Mapping[str, tuple[Connection, ...]]


@dataclass(frozen=True, slots=True)
class Phy:
    """One UCIe port of an IO chiplet, joined connection by connection to ``side`` of ``cube``."""

    number: int
    cube: int
    side: str
    connections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IoChiplet:
    """The host side of a package."""

    name: str
    pcie_ep: str
    io_cpu: str
    io_noc: str
    phys: tuple[Phy, ...]


@dataclass(frozen=True, slots=True)
class Sip:
    """A package: ``w`` x ``h`` cubes, row by row, and its IO chiplets."""

    index: int
    name: str
    w: int
    h: int
    cubes: tuple[Cube, ...]
    ios: tuple[IoChiplet, ...]

    def cube_at(self, x: int, y: int) -> Cube:
        """The cube in column ``x`` of row ``y``."""
        return self.cubes[y * self.w + x]


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The whole tray. ``sip_topology``, ``sip_w`` and ``sip_h`` say who is whose neighbour in a collective.

    Packages are joined by ``switch`` whatever their topology says; None if there is one package and no switch.
    """

    sips: tuple[Sip, ...]
    switch: str | None
    sip_topology: str
    sip_w: int
    sip_h: int
