"""FabricMemory: carries memory requests over the fabric, there and back (ADR-0047).

First action of a request: the way to the memory that holds its address is looked up. A read sends a command without
payload, and the data come back; a write sends the data, and an answer without payload comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from simpy.events import Event

from components.fabric.fabric import Fabric
from components.fabric.flow import Flow
from components.fabric.hop import Access, EndPoint, Hop
from components.fabric.link import LinkBase
from components.memory.request import MemoryRequest, check_request
from simcore.kernel import PartError, Port

Path = tuple[LinkBase[Any], ...]


class Memory(Hop, EndPoint, Protocol):
    """A part at the end of a path that takes time for every flit."""

    @property
    def peak_gbs(self) -> Fraction:
        """What it moves at most; 0: no delay."""

    def access(self, direction: str, address: int, nbytes: int, flit_bytes: int) -> Access:
        """For a transfer of ``nbytes`` from or to ``address``, an address inside the part."""


@dataclass(frozen=True, slots=True)
class MemoryWay:
    """The way from whoever asks to the memory that holds an address, and back; ``address``: inside that memory."""

    outward: Path
    homeward: Path
    memory: Memory
    address: int


class Ways(Protocol):
    """What a topology knows: where addresses lie and which way leads there."""

    def memory_way(self, origin: str, address: int) -> MemoryWay:
        """The way from the part called ``origin`` to the physical ``address``. Raises InputError for an address that
        names nothing, or that cannot be reached."""


class FabricMemory:
    """Stands at the other end of the ``memory`` ports of parts. ``window_flits``: as of :class:`Flow`."""

    def __init__(self, name: str, fabric: Fabric, ways: Ways, window_flits: int | None) -> None:
        self.name = name
        self._fabric = fabric
        self._ways = ways
        self._window_flits = window_flits

    def connect(self, port: Port[MemoryRequest], origin: str) -> None:
        """Serves what comes by ``port``, whose sender is the part of the fabric called ``origin``."""
        port.attach("in", self)
        port.hand_to(lambda request: self.start(origin, request))

    def start(self, origin: str, request: MemoryRequest) -> None:
        """Starts ``request`` now, from the part called ``origin``."""
        what = f"request {request.tag!r} of {origin}"
        check_request(self._error, what, request.direction, request.address, request.nbytes)
        way = self._ways.memory_way(origin, request.address)
        flit_bytes = self._fabric.parameters.flit_bytes
        access = way.memory.access(request.direction, way.address, request.nbytes, flit_bytes)
        name, window = f"{origin}.{request.tag}", self._window_flits
        if request.direction == "read":
            outward = Flow(f"{name} command", 0, way.outward, window)
            homeward = Flow(f"{name} data", request.nbytes, way.homeward, window, source=access)
        else:
            outward = Flow(f"{name} data", request.nbytes, way.outward, window, sink=access)
            homeward = Flow(f"{name} answer", 0, way.homeward, window)
        request.outward, request.homeward = outward, homeward

        def turn_back(_there: Event) -> None:
            self._submit(homeward, end)

        def end(_back: Event) -> None:
            request.done.succeed(request)

        self._submit(outward, turn_back)

    def _submit(self, flow: Flow, then: Callable[[Event], None]) -> None:
        self._fabric.submit(flow).callbacks.append(then)

    def _error(self, message: str) -> PartError:
        return PartError(self.name, self._fabric.env.now, message)


def reversed_path(path: Path, links: Mapping[tuple[str, str], LinkBase[Any]]) -> Path:
    """The way back over the links opposite to those of ``path``; ``links``: by the names of source and destination.

    Raises KeyError, with the two names, where there is no opposite link.
    """
    ends = [(link.source, link.destination) for link in reversed(path)]
    return tuple([links[there.name, here.name] for here, there in ends if here is not None and there is not None])
