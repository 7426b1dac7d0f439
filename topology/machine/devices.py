"""Devices: the NeuronCores of a system that programs can be put on, and what stands around each (ADR-0062 D1).

A device is a ``neuron_core`` node, or a PE tile with all its parts, which holds one: its TCM is the core's SBUF, its
``pe_dma`` the core's DMA engine, its ``pe_mmu`` translates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simcore.errors import InputError, ModelBug, Problem, hint
from simcore.program.generations import ARCH_NAMES
from topology.core_parameters import GENERATION, SBUF_IMPL, core_parameters, sbuf_parameters
from topology.hierarchy import PeTile
from topology.machine.hops import DMA_ENGINE
from topology.machine.site import Site
from topology.machine.tile import nodes_of
from topology.routes.router import NoRouteError

if TYPE_CHECKING:
    from components.core.neuron_core import NeuronCoreParameters
    from components.memory.sbuf import SbufParameters
    from topology.system import NodeSpec

ALL = "all"
"""The word for every device of a system."""
HBM = "hbm_controller"


@dataclass(frozen=True, slots=True)
class Device:
    """One core of a system. ``core``: the node that is one, None for a PE tile (``tile``).

    ``engines``: its DMA engines, or the node itself where it has none. ``home``: the HBM controller of what has no
    address: the slice of the tile, else the nearest one. ``sbuf``: the rates of its scratchpad, None: it takes no time.
    """

    name: str
    core: NodeSpec | None
    tile: PeTile | None
    engines: tuple[str, ...]
    home: str
    sbuf: SbufParameters | None
    sbuf_impl: str | None

    @property
    def generation(self) -> str | None:
        """The generation of the core; None for a PE tile, which takes any."""
        return None if self.core is None else ARCH_NAMES[str(self.core.parameters[GENERATION])]

    def core_parameters(self, base: NeuronCoreParameters) -> NeuronCoreParameters:
        """``base``, those of the program's generation, with what the system's file gives otherwise."""
        if self.core is None:
            return base
        checked = core_parameters(self.core.parameters, base)
        if isinstance(checked, list):
            raise ModelBug(f"{self.name}: its parameters were checked before, but {checked[0].message}")
        return checked


def device_names(site: Site) -> list[str]:
    """The names of all devices, in the order of the file."""
    system = site.system
    if system.hierarchy is None:
        return [node.name for node in system.nodes() if node.kind == "neuron_core"]
    tiles = [tile for sip in system.hierarchy.sips for cube in sip.cubes for tile in cube.pes]
    return [tile.name for tile in tiles if nodes_of(system, tile) is not None]


def devices_of(site: Site, words: Sequence[str]) -> list[Device]:
    """The devices called ``words``, or every one if the only word is ``all``.

    Raises InputError for a system without devices and, all at once, for each word that names none, or one again.
    """
    names = device_names(site)
    file = site.system.file
    if not names:
        message = "no device in this system (a neuron_core, or a PE tile with all its parts)"
        raise InputError([Problem(message, file)])
    if list(words) == [ALL]:
        return [_device(site, name) for name in names]
    problems = []
    for place, word in enumerate(words):
        if word not in names:
            problems.append(Problem(f'no device "{word}" in {file} {hint(word, [*names, ALL])}', "--device"))
        elif word in words[:place]:
            problems.append(Problem(f"{word} is named twice (allowed: once)", "--device"))
    if problems:
        raise InputError(problems)
    return [_device(site, name) for name in words]


def _device(site: Site, name: str) -> Device:
    system = site.system
    if system.hierarchy is None:
        return _free_core(site, system.node(name))
    for sip in system.hierarchy.sips:
        for cube in sip.cubes:
            for tile in cube.pes:
                if tile.name == name:
                    return _tile(site, tile, cube.hbm[tile.index])
    raise ModelBug(f"device {name} is in no cube")


def _tile(site: Site, tile: PeTile, home: str) -> Device:
    from components.memory.sbuf import SbufParameters
    from components.memory.tcm import TcmParameters
    from components.parameters import check_parameters
    from components.registry import lookup

    nodes = nodes_of(site.system, tile)
    assert nodes is not None
    tcm = nodes["tcm"]
    at = tcm.origin["kind"]
    rates = check_parameters(lookup("tcm", tcm.impl, file=at.file).parameters, tcm.parameters)
    if isinstance(rates, list):
        raise InputError([at.problem(f"{tcm.name}: {f.key}: {f.message}") for f in rates])
    if not isinstance(rates, TcmParameters):
        message = f"{tcm.name}: {type(rates).__name__} is not derived from TcmParameters, so its rates are not known"
        raise InputError([at.problem(message)])
    sbuf = SbufParameters(read_bw_gbs=rates.read_bw_gbs, write_bw_gbs=rates.write_bw_gbs)
    return Device(tile.name, None, tile, (nodes["pe_dma"].name,), home, sbuf, tcm.impl)


def _free_core(site: Site, node: NodeSpec) -> Device:
    graph, at = site.system.graph, node.origin["kind"]
    faults = [found for found in (core_parameters(node.parameters), sbuf_parameters(node.parameters))]
    problems = [
        at.problem(f"{node.name}: {fault.key}: {fault.message}")
        for found in faults
        if isinstance(found, list)
        for fault in found
    ]
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    sbuf = faults[1]
    assert not isinstance(sbuf, list)
    impl = node.parameters.get(SBUF_IMPL)
    assert impl is None or isinstance(impl, str)
    beside = [n.name for n in site.system.nodes() if n.kind == DMA_ENGINE and graph.has_edge(n.name, node.name)]
    engines = tuple(name for name in beside if graph.has_edge(node.name, name)) or (node.name,)
    return Device(node.name, node, None, engines, _nearest(site, engines[0]), sbuf, impl)  # type: ignore[arg-type]


def _nearest(site: Site, origin: str) -> str:
    """The HBM controller with the shortest way; of equals the first in the file."""
    found: tuple[tuple[int | float, int], str] | None = None
    for node in site.system.nodes():
        if node.kind != HBM:
            continue
        try:
            route = site.route(origin, node.name)
        except NoRouteError:
            continue
        distance = (float(route.length_mm), len(route.links))
        if found is None or distance < found[0]:
            found = distance, node.name
    if found is None:
        raise InputError([Problem(f"no {HBM} can be reached from {origin}", site.system.file)])
    return found[1]
