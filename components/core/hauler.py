"""Hauler: the DMA engines of a core, what they carry, and where that lies (ADR-0062)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from components.core.spread import spread
from components.fabric.fabric import Fabric
from components.fabric.flow import Flow
from components.fabric.link import LinkBase
from components.memory.over_fabric import Memory
from components.memory.sbuf import Sbuf
from components.pe.mmu import Lookup
from simcore.explain.why import Why
from simcore.kernel import Channel, Environment, Port

Path = tuple[LinkBase[Any], ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an operand lies in a memory of the fabric: the part, the byte in it, and the address that names it."""

    memory: str
    offset: int
    address: int


@dataclass(frozen=True, slots=True)
class Haul:
    """``nbytes`` from ``source`` to ``target``. None: the core's own SBUF if ``*_in_sbuf``, else its engines' side."""

    nbytes: int
    source: Spot | None
    target: Spot | None
    source_in_sbuf: bool
    target_in_sbuf: bool


class Ways(Protocol):
    """What a topology knows of a core's surroundings."""

    def there_and_back(self, engine: str, memory: str) -> tuple[Path, Path]:
        """The links from the DMA engine to the memory, and those opposite."""

    def memory(self, name: str) -> Memory:
        """The memory of that name."""


@dataclass(slots=True)
class TransferEngine:
    """One DMA engine as its core uses it. ``start_ticks``: what a request pays before it moves.

    ``turns``: by direction, for engines that serve one request at a time; ``to_core``, ``from_core``: links between it
    and the core. Its account: requests, bytes, time with a request, time that requests waited for their turn.
    """

    name: str
    start_ticks: int
    turns: Mapping[str, Channel]
    to_core: Path
    from_core: Path
    requests: int = 0
    moved_bytes: int = 0
    busy_ticks: int = 0
    wait_ticks: int = 0
    _under_way: int = 0
    _busy_since: int = 0

    def begin(self, now: int, nbytes: int) -> None:
        """A request of ``nbytes`` comes to it."""
        self.requests += 1
        self.moved_bytes += nbytes
        if not self._under_way:
            self._busy_since = now
        self._under_way += 1

    def end(self, now: int) -> None:
        """One of them is over."""
        self._under_way -= 1
        if not self._under_way:
            self.busy_ticks += now - self._busy_since


@dataclass(slots=True, eq=False)
class Hauler:
    """The DMA engines of one core and what is around them. ``lookups``: the port of its MMU, if it has one.

    ``waits``: ticks that transfers stayed at links and memories longer than if they had been alone.
    """

    name: str
    env: Environment
    fabric: Fabric
    ways: Ways
    window_flits: int | None
    engines: Sequence[TransferEngine]
    sbuf: Sbuf | None
    lookups: Port[Lookup] | None
    carried: Callable[[Flow], None] | None = None
    """Told of every flow that has ended, for a trace."""
    waits: Counter[Why] = field(default_factory=Counter)
    _next: int = 0

    def shares(self, haul: Haul) -> list[tuple[TransferEngine, int, int]]:
        """(engine, first byte, bytes) of every engine with a share: whole flits, as evenly as they go.

        The first engine is the one behind the last that had a share.
        """
        parts = spread(haul.nbytes, self.fabric.parameters.flit_bytes, len(self.engines), self._next)
        self._next = (self._next + len(parts)) % len(self.engines)
        return [(self.engines[part.engine], part.begin, part.nbytes) for part in parts]
