"""Cases inside a PE tile, whose parts take their time in processes of their own: stages, translation, turning round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from components.pe.commands import GemmCommand, MathCommand
from simcore.errors import ModelBug
from topology.hierarchy import PeTile
from topology.machine.site import Place
from topology.machine.tile import nodes_of
from topology.system import NodeSpec, System

TILE = (32, 64, 32)
"""M, K and N of the predecessor's tile."""
ELEMENT_BYTES = 2


@dataclass(frozen=True, slots=True)
class Compute:
    """One tile of a GEMM or a MATH command whose operands lie in the TCM; ``engine`` is the kind of the part."""

    name: str
    category: str
    hops: int
    tile: PeTile
    engine: str

    @property
    def command(self) -> GemmCommand | MathCommand:
        """What the scheduler gets."""
        m, k, n = TILE
        if self.engine == "pe_gemm":
            return GemmCommand(self.name, m, k, n, m, k, n, ELEMENT_BYTES, None, None, None)
        return MathCommand(self.name, m, n, m, n, ELEMENT_BYTES, "exp", None, None)

    @property
    def fetched_bytes(self) -> int:
        """From the TCM to registers."""
        m, k, n = TILE
        return (m * k + k * n if self.engine == "pe_gemm" else m * n) * ELEMENT_BYTES

    @property
    def stored_bytes(self) -> int:
        """From registers to the TCM."""
        m, _, n = TILE
        return m * n * ELEMENT_BYTES


@dataclass(frozen=True, slots=True)
class Virtual:
    """The DMA of a PE writes to its own slice by virtual addresses; ``again``: it has done so before."""

    name: str
    category: str
    hops: int
    tile: PeTile
    place: Place
    again: bool


@dataclass(frozen=True, slots=True)
class TurnRound:
    """``origin`` writes to a memory, and as soon as it knows that it has, reads the same bytes back."""

    name: str
    category: str
    hops: int
    origin: str
    place: Place


TileCase = Compute | Virtual | TurnRound


def tile_cases(system: System, tile: PeTile, own: Place) -> Iterator[TileCase]:
    """Those that a working ``tile`` with the slice of ``own`` has a place for."""
    nodes = nodes_of(system, tile)
    if nodes is None:
        return
    yield Compute("pe-gemm-tile", "compute", 0, tile, "pe_gemm")
    yield Compute("pe-math-tile", "compute", 0, tile, "pe_math")
    if "pe_mmu" in nodes:
        yield Virtual("pe-local-hbm-first-touch", "pe_virtual", 0, tile, own, False)
        yield Virtual("pe-local-hbm-touched", "pe_virtual", 0, tile, own, True)
    if system.node(own.node).kind == "hbm_controller":
        yield TurnRound("pe-local-turn-round", "turn_round", 0, tile.router_part, own)


def origin_of(case: Virtual | TurnRound) -> str:
    """Who asks for the transfers of ``case``."""
    return case.origin if isinstance(case, TurnRound) else case.tile.router_part


def pages_of(address: int, nbytes: int, page_bytes: int) -> int:
    """Pages that an access touches."""
    return (address + nbytes - 1) // page_bytes - address // page_bytes + 1 if nbytes else 0


def page_bytes_of(system: System, tile: PeTile) -> int:
    """The page of the MMU of ``tile``."""
    value = working_nodes(system, tile)["pe_mmu"].parameters["page_bytes"]
    assert isinstance(value, int)
    return value


def working_nodes(system: System, tile: PeTile) -> dict[str, NodeSpec]:
    """The nodes of a tile that is known to work, by kind."""
    nodes = nodes_of(system, tile)
    if nodes is None:
        raise ModelBug(f"{tile.name} is no working tile")
    return nodes
