"""What a core on a device finds around it in a machine: DMA engines, ways to memories, its SBUF, its MMU (ADR-0062)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, cast

from components.core.hauler import Haul, Hauler, Path, Spot, TransferEngine
from simcore.errors import InputError, ModelBug, Problem
from simcore.units import ns_to_ticks
from topology.machine.devices import Device
from topology.machine.hops import engine_start_ns
from topology.machine.site import Site
from topology.routes.route import Route

if TYPE_CHECKING:
    from components.fabric.flow import Flow
    from components.memory.over_fabric import Memory
    from components.memory.sbuf import Sbuf
    from simcore.kernel import Channel
    from topology.machine.machine import Machine
    from topology.machine.tile import RunningTile


def memories_of(hauls: Iterable[Haul]) -> list[str]:
    """The memories that ``hauls`` read or write, each once."""
    return list(dict.fromkeys(spot.memory for spot in _spots(hauls)))


def routes_of(site: Site, device: Device, memories: Iterable[str]) -> list[Route]:
    """The routes that the DMA engines of ``device`` need to reach ``memories`` and their core."""
    core = [site.route(engine, device.core.name) for engine in device.engines if device.core is not None]
    return [*core, *(site.route(engine, memory) for memory in [*memories, device.home] for engine in device.engines)]


class Surroundings:
    """One device in ``machine``, which was built for its routes. ``sbuf``: None where it takes no time."""

    def __init__(self, machine: Machine, device: Device, carried: Callable[[Flow], None] | None = None) -> None:
        self._machine = machine
        self._device = device
        self._ways: dict[tuple[str, str], tuple[Path, Path]] = {}
        self.sbuf = self._sbuf()
        tile = machine.tile(device.tile.name) if device.tile is not None else None
        mmu = tile.parts.get("pe_mmu") if tile is not None else None
        self.engines = [self._engine(name, tile) for name in device.engines]
        self.hauler = Hauler(
            name=f"{device.name}.hauler",
            env=machine.env,
            fabric=machine.fabric,
            ways=self,
            window_flits=machine.site.system.window_flits,
            engines=self.engines,
            sbuf=self.sbuf,
            lookups=None if mmu is None else mmu.ports["lookups"],
            carried=carried,
        )

    def there_and_back(self, engine: str, memory: str) -> tuple[Path, Path]:
        """The links from the DMA engine to the memory, and those opposite."""
        found = self._ways.get((engine, memory))
        if found is None:
            outward = self._machine.path(self._machine.site.route(engine, memory))
            found = self._ways[engine, memory] = outward, self._machine.back(outward)
        return found

    def memory(self, name: str) -> Memory:
        """The memory of that name. Raises InputError for a part that is none."""
        hop = self._machine.hops[name]
        if not hasattr(hop, "access"):
            raise InputError([Problem(f"{name} is no memory", self._machine.site.system.file)])
        return cast("Memory", hop)

    def map_pages(self, hauls: Iterable[Haul]) -> None:
        """Maps every page that ``hauls`` touch to itself, if the device has an MMU."""
        from components.pe.mmu import PageRequest

        if self.hauler.lookups is None or self._device.tile is None:
            return
        tile = self._machine.tile(self._device.tile.name)
        assert tile.pages is not None
        page_bytes = tile.parts["pe_mmu"].parameters.page_bytes
        for begin, end in _ranges(hauls, page_bytes):
            done = self._machine.env.event()
            tile.pages.put(PageRequest(begin, begin, end - begin, done))
            if done.value is not None:
                raise ModelBug(f"{self._device.name}: {done.value.error_message}")

    def _sbuf(self) -> Sbuf | None:
        from components.registry import build

        device, env = self._device, self._machine.env
        if device.sbuf is None:
            return None
        file = self._machine.site.system.file
        made = build(env, "sbuf", f"{device.name}.sbuf", dict(device.sbuf), {}, device.sbuf_impl, file=file)
        sbuf = cast("Sbuf", made)
        sbuf.join(self._machine.fabric)
        return sbuf

    def _engine(self, name: str, tile: RunningTile | None) -> TransferEngine:
        from components.pe.dma import PeDma

        site, device = self._machine.site, self._device
        turns: Mapping[str, Channel] = {}
        start_ns = engine_start_ns(site.system, site.route(name, name))
        if tile is not None:
            dma = tile.parts["pe_dma"]
            if not isinstance(dma, PeDma):
                raise ModelBug(f"{dma.name} is no PeDma, so its channels are not known")
            turns, start_ns = dma.channels, dma.parameters.overhead_ns
        to_core: Path = ()
        from_core: Path = ()
        if device.core is not None and name != device.core.name:
            to_core = self._machine.path(site.route(name, device.core.name))
            from_core = self._machine.back(to_core)
        return TransferEngine(name, ns_to_ticks(start_ns), turns, to_core, from_core)


def _spots(hauls: Iterable[Haul]) -> list[Spot]:
    return [spot for haul in hauls for spot in (haul.source, haul.target) if spot is not None]


def _ranges(hauls: Iterable[Haul], page_bytes: int) -> list[tuple[int, int]]:
    """Whole pages, as few ranges as there can be, that hold every byte of ``hauls`` in memory."""
    touched = sorted(
        (spot.address // page_bytes, -(-(spot.address + haul.nbytes) // page_bytes))
        for haul in hauls
        if haul.nbytes
        for spot in (haul.source, haul.target)
        if spot is not None
    )
    found: list[tuple[int, int]] = []
    for begin, end in touched:
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return [(begin * page_bytes, end * page_bytes) for begin, end in found]
