"""Nodes as hops: what each part of a system is to a transfer that starts, passes or ends there."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from simcore.errors import InputError, ModelBug
from simcore.units import ns_to_ticks
from topology.routes.route import Route
from topology.system import LinkSpec, NodeSpec, System

if TYPE_CHECKING:
    from components.fabric.flow import Flow
    from components.fabric.hop import Hop
    from components.registry import Registered
    from simcore.kernel import Environment

OVERHEAD = "overhead_ns"
DMA_ENGINE = "dma_engine"
CHARGES: dict[str, str | None] = {
    "dma_engine": None,
    "io_cpu": OVERHEAD,
    "link_port": OVERHEAD,
    "m_cpu": OVERHEAD,
    "neuron_core": None,
    "node": None,
    "pe_cpu": OVERHEAD,
    "pe_dma": OVERHEAD,
    "pe_fetch_store": OVERHEAD,
    "pe_gemm": None,
    "pe_math": None,
    "pe_mmu": None,
    "pe_scheduler": OVERHEAD,
    "tcm": None,
}
"""By the kind of a part with a process of its own, the parameter that a transfer pays there once.

None: its process takes all the time there is (a TCM serves requests, ADR-0040); a request pays it, not each of its
transfers (:func:`start_ns`); or a plain point of a free graph.
"""


@dataclass(slots=True, eq=False)
class Waypoint:
    """Where a transfer starts, passes or ends, without the process that the part has besides."""

    name: str
    overhead_ticks: int
    reassembles: bool = False
    transfers: int = 0
    nbytes: int = 0

    def enter(self, flow: Flow) -> None:
        """A transfer is under way that starts here, passes or ends here."""
        self.transfers += 1

    def leave(self, flow: Flow) -> None:
        """It has ended."""
        self.nbytes += flow.nbytes


def hop_of(env: Environment, node: NodeSpec) -> Hop:
    """The hop of ``node`` in ``env``: the part itself where it is one and needs no ports, else a Waypoint.

    Raises InputError, at its place in the file, for a part that does not say what it costs.
    """
    from components.registry import build, kinds, lookup

    file = node.origin["kind"].file
    if node.kind in kinds() and _stands_alone(lookup(node.kind, node.impl, file=file)):
        return cast("Hop", build(env, node.kind, node.name, node.parameters, {}, node.impl, file=file))
    return Waypoint(node.name, ns_to_ticks(charge_ns(node)))


def charge_ns(node: NodeSpec) -> Fraction:
    """What a transfer pays once at ``node``, in nanoseconds, as its parameters say."""
    key = CHARGES.get(node.kind, OVERHEAD)
    return Fraction(0) if key is None else _number(node, key)


def start_ns(system: System, route: Route) -> Fraction:
    """What a request along ``route`` pays once before anything moves: the start of each DMA engine on it."""
    nodes = [system.node(name) for name in route.nodes]
    return sum((_number(node, "start_ns") for node in nodes if node.kind == DMA_ENGINE), Fraction(0))


def rate_gbs(system: System, link: LinkSpec) -> Fraction | None:
    """What ``link`` moves: its own rate, or less if an end of it is a DMA engine that practically moves less.

    None: a wire without a rate of its own.
    """
    ends = [system.node(name) for name in (link.src, link.dst)]
    limits = [_number(node, "practical_gbs") for node in ends if node.kind == DMA_ENGINE]
    return link.bw_gbs if link.bw_gbs is None else min([link.bw_gbs, *limits])


def _number(node: NodeSpec, key: str) -> Fraction:
    if key not in node.parameters:
        raise InputError([node.origin["kind"].problem(f'{node.kind} {node.name}: parameter "{key}" is missing')])
    value = node.parameters[key]
    if not isinstance(value, int | Fraction) or isinstance(value, bool):
        raise ModelBug(f"{node.name}: {key} was read as {value!r}")
    return Fraction(value)


def _stands_alone(entry: Registered) -> bool:
    return hasattr(entry.part, "reassembles") and all(spec.optional for spec in entry.part.port_specs)
