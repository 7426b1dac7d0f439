"""A system: the graph of its parts and links, what holds for all of it, and where each number was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from simcore.errors import InputError, Problem, hint

if TYPE_CHECKING:
    import networkx as nx

    from topology.address_map import AddressMap
    from topology.hierarchy import Hierarchy
    from topology.mesh import RouterMesh

Position = tuple[Fraction, Fraction]
"""x to the east and y to the south, in mm from the north-west corner of the package."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written, the template that it came through, and how well it is known.

    ``provenance`` is a word of :class:`simcore.oracle.provenance.Provenance`; ``given``: the file just says so. What
    no file says but follows from what it says is ``computed``. ``source`` names the publication or, for an assumed
    value, the reason.
    """

    file: str
    line: int | None
    column: int | None
    template: str | None = None
    provenance: str = "given"
    source: str | None = None

    @property
    def place(self) -> str:
        """``file:line:column``, or only the file where a value was computed rather than written."""
        return f"{self.file}:{self.line}:{self.column}" if self.line is not None else self.file

    def problem(self, message: str) -> Problem:
        """A fault of the value that stands here."""
        return Problem(message, self.file, self.line, self.column)


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that shapes the system but belongs to no single part or link: a size, a count, an option."""

    block: str
    key: str
    value: object
    origin: Origin


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A part of the system. ``parameters`` are as written, numbers exact; ``origin`` has the place of each of them.

    The keys of ``origin`` are the parameters' names, ``kind``, and ``pos_mm`` where the part has a position.
    ``impl`` picks another class of the kind than its default.
    """

    name: str
    kind: str
    impl: str | None
    parameters: Mapping[str, object]
    pos_mm: Position | None
    origin: Mapping[str, Origin] = field(compare=False)


@dataclass(frozen=True, slots=True)
class LinkSpec:
    """A link from ``src`` to ``dst``. ``bw_gbs`` is None for a wire that carries no payload at a rate of its own.

    ``kind`` is a word of :mod:`topology.kinds`. ``routing_weight_mm`` replaces the length in the choice of a path, not
    in its time. ``impl`` picks another class of link. ``origin`` has a place for each quantity.
    """

    src: str
    dst: str
    kind: str
    bw_gbs: Fraction | None
    length_mm: Fraction
    routing_weight_mm: Fraction | None
    overhead_ns: Fraction
    origin: Mapping[str, Origin] = field(compare=False)
    impl: str | None = None

    @property
    def weight_mm(self) -> Fraction:
        """What the choice of a shortest path adds up."""
        return self.length_mm if self.routing_weight_mm is None else self.routing_weight_mm


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """A system as a file describes it. Nodes of ``graph`` carry a NodeSpec, edges a LinkSpec, each under ``"spec"``.

    ``ns_per_mm``: propagation; ``flit_bytes``: the unit that a link serves; ``arbitration``: how flows share a link
    (``flow_round_robin``, ``port_round_robin`` or ``fifo``); ``window_flits``: most flits that a flow has in the
    network, ``buffer_bytes``: of each input buffer, None for unbounded; ``ucie_spreading``: see ADR-0042. ``meshes``
    are routed in dimension order. ``hierarchy`` and ``address_map`` are None for a free graph; ``probe_cases`` are
    those that the file names, None: all that can be placed. ``stated`` has what shaped the system, options included.
    """

    name: str
    file: str
    summary: str
    ns_per_mm: Fraction
    flit_bytes: int
    arbitration: str
    window_flits: int | None
    buffer_bytes: int | None
    ucie_spreading: str
    graph: nx.DiGraph[str]
    meshes: tuple[RouterMesh, ...]
    hierarchy: Hierarchy | None
    address_map: AddressMap | None
    probe_cases: Mapping[str, Origin] | None
    stated: tuple[Stated, ...]

    def node(self, name: str) -> NodeSpec:
        """The part called ``name``. Raises InputError with the nearest name if there is none."""
        if name not in self.graph:
            raise InputError([Problem(f'no part "{name}" {hint(name, sorted(self.graph.nodes))}', self.file)])
        spec: NodeSpec = self.graph.nodes[name]["spec"]
        return spec

    def link(self, src: str, dst: str) -> LinkSpec:
        """The link from ``src`` to ``dst``. Raises KeyError if there is none."""
        spec: LinkSpec = self.graph.edges[src, dst]["spec"]
        return spec

    def nodes(self) -> list[NodeSpec]:
        """Every part, in the order of the file."""
        return [data["spec"] for _, data in self.graph.nodes(data=True)]

    def links(self) -> list[LinkSpec]:
        """Every link, in the order of their sources."""
        return [data["spec"] for _, _, data in self.graph.edges(data=True)]
