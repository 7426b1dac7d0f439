"""What the sections of a hierarchical system say, level by level; the quantities of each stand beside it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from topology.text.models import Structure
from topology.text.quantities import (
    Count,
    MaybeCount,
    MaybeNotNegative,
    MaybePositive,
    Pair,
    PairAboveZero,
    Positive,
    Quantities,
)


class SipsSection(Structure):
    """How many packages there are, and how collectives see them."""

    topology: Literal["ring_1d", "torus_2d", "mesh_2d_no_wrap"]


class SipsQuantities(Quantities):
    """``w`` and ``h`` of a torus or mesh; without them the count must be a square."""

    count: Count
    w: MaybeCount = None
    h: MaybeCount = None


class SipSection(Structure):
    """A package."""

    cube_mesh: Any
    io: list[Any] = Field(default_factory=list)


class CubeMeshQuantities(Quantities):
    """Cubes along x and y, and the distance between the corners of two neighbours."""

    w: Count
    h: Count
    cube_pitch_mm: PairAboveZero


class IoSection(Structure):
    """An IO chiplet: three parts, their links, and UCIe ports that are joined to cubes."""

    name: str
    pcie_ep: Any
    io_cpu: Any
    io_noc: Any
    switch_link: Any = None
    link: Any
    ucie: Any


class IoUcieSection(Structure):
    """UCIe ports of an IO chiplet, in the order of ``attach``."""

    port: Any
    noc_link: Any
    link: Any
    attach: list[Any]


class AttachEntry(Structure):
    """The cube and the side of it that a UCIe port of an IO chiplet is joined to."""

    cube: int
    side: Literal["N", "E", "S", "W"]


class IoUcieQuantities(Quantities):
    """Distance between a connection of the IO chiplet and the one of the cube that it faces."""

    gap_mm: Positive


class CubeSection(Structure):
    """A cube. Without ``ucie`` it has no neighbours, without ``m_cpu`` no commands."""

    geometry: Any
    mesh: Any
    pes: Any
    memory: Any
    m_cpu: Any = None
    sram: Any = None
    ucie: Any = None


class GeometryQuantities(Quantities):
    """Size of a cube, where its north-west router stands, and the distance between two routers, along x and y."""

    size_mm: PairAboveZero
    router_origin_mm: Pair
    router_pitch_mm: PairAboveZero


class CubeRoutersSection(Structure):
    """The router mesh of a cube."""

    router: Any
    link: Any
    holes: list[Any] = Field(default_factory=list)


class MeshSize(Quantities):
    """Routers along x and y."""

    w: Count
    h: Count


class PesSection(Structure):
    """The routers of the PE tiles, tile by tile, and the link of each tile to its router."""

    at: list[Any]
    link: Any


class MemorySection(Structure):
    """The controller of each HBM slice, and its link to the router of its PE tile."""

    controller: Any
    link: Any


class MemoryQuantities(Quantities):
    """HBM of a cube and how many equal slices it has: as many as there are PE tiles.

    ``sram_offset_gib`` and ``sram_kib``: where the SRAM begins in the cube's addresses, and its size; without them it
    has no address.
    """

    hbm_gib: Positive
    hbm_slices: Count
    sram_offset_gib: MaybeNotNegative = None
    sram_kib: MaybePositive = None


class AttachedSection(Structure):
    """Besides its part: the link to its router, which is the nearest one."""

    link: Any


class MCpuSection(AttachedSection):
    """``command_link``: the wire to and from the command part of every PE tile."""

    command_link: Any = None


class UcieSection(Structure):
    """UCIe connections. ``sides`` has, for each side, the edge routers of connection 0, 1, .., the nearest first."""

    port: Any
    router_link: Any
    link: Any
    sides: dict[str, list[Any]]


class PeSection(Structure):
    """A PE tile: its parts by name, the wires between them, and which part hangs on the router and takes commands."""

    parts: dict[str, Any]
    wires: list[Any] = Field(default_factory=list)
    router_part: str
    command_part: str | None = None


class PePartQuantities(Quantities):
    """Where a part stands, from the centre of its tile."""

    offset_mm: Pair


class WireEntry(Structure):
    """A pair of parts, joined both ways."""

    between: list[Any]
    template: str | None = None
