"""Nodes as hops: what each part of a system is to a transfer that starts, passes or ends there."""

from __future__ import annotations

from collections.abc import Iterable
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
    from components.memory.dma_engine import DmaEngineParameters
    from components.registry import Registered
    from simcore.kernel import Environment

OVERHEAD = "overhead_ns"
DMA_ENGINE = "dma_engine"
ONCE = frozenset({"io_cpu", "m_cpu", "pe_cpu", "pe_dma", "pe_fetch_store", "pe_scheduler"})
"""Kinds of parts with a process of their own, which pays their overhead once for each request or order: not for each
transfer that it becomes."""
FREE = frozenset({DMA_ENGINE, "neuron_core", "node", "pe_gemm", "pe_math", "pe_mmu", "tcm"})
"""Kinds of parts at which no transfer pays: plain points, and parts that time what they do in another way."""


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
    return Waypoint(node.name, 0 if node.kind in ONCE else ns_to_ticks(charge_ns(node)))


def charge_ns(node: NodeSpec) -> Fraction:
    """What a transfer, or (of a kind in :data:`ONCE`) a request or an order, pays once at ``node``."""
    return Fraction(0) if node.kind in FREE else _number(node, OVERHEAD)


def engine_start_ns(system: System, route: Route) -> Fraction:
    """What a request along ``route`` pays once before anything moves: the start of each DMA engine on it."""
    return sum((engine.start_ns for engine in _engines(system, route.nodes)), Fraction(0))


def rate_gbs(system: System, link: LinkSpec) -> Fraction | None:
    """What ``link`` moves: its own rate, or less if an end of it is a DMA engine that practically moves less.

    None: a wire without a rate of its own.
    """
    rate = link.bw_gbs
    if rate is not None:
        for engine in _engines(system, (link.src, link.dst)):
            rate = engine.limited_gbs(rate)
    return rate


def _engines(system: System, names: Iterable[str]) -> list[DmaEngineParameters]:
    """The parameters of the DMA engines among the nodes called ``names``. Raises InputError for what they refuse."""
    from components.memory.dma_engine import DmaEngineParameters
    from components.parameters import check_parameters
    from components.registry import lookup

    found = []
    for node in [node for node in map(system.node, names) if node.kind == DMA_ENGINE]:
        origin = node.origin["kind"]
        model = lookup(node.kind, node.impl, file=origin.file).parameters
        if not issubclass(model, DmaEngineParameters):
            message = f"{node.name}: {model.__name__} is not derived from DmaEngineParameters"
            raise InputError([origin.problem(message)])
        checked = check_parameters(model, node.parameters)
        if isinstance(checked, list):
            raise InputError([origin.problem(f"{node.name}: {fault.key}: {fault.message}") for fault in checked])
        found.append(checked)
    return found


def _number(node: NodeSpec, key: str) -> Fraction:
    if key not in node.parameters:
        raise InputError([node.origin["kind"].problem(f'{node.kind} {node.name}: parameter "{key}" is missing')])
    value = node.parameters[key]
    if not isinstance(value, int | Fraction) or isinstance(value, bool):
        raise ModelBug(f"{node.name}: {key} was read as {value!r}")
    return Fraction(value)


def _stands_alone(entry: Registered) -> bool:
    return hasattr(entry.part, "reassembles") and all(spec.optional for spec in entry.part.port_specs)
