"""Where operands in DRAM lie: at their addresses, or by a stated rule where the program or the system has none.

First action: an operand with an address is looked up. The rule for all others: each tensor, or each access if it has no
name, gets the next free bytes of its core's home controller, from a whole burst on, so that operands spread over the
pseudo-channels as addresses do (ADR-0062 D4).
"""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

from components.core.hauler import Spot
from simcore.errors import InputError, Problem
from topology.address_map import AddressError
from topology.machine.devices import HBM, Device
from topology.machine.site import Place, Site

if TYPE_CHECKING:
    from topology.system import NodeSpec


class Shelves:
    """What has been given out of each HBM controller of a system, to all its cores."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._next: dict[str, int] = {}

    def take(self, node: str, nbytes: int) -> int:
        """The offset of the next free ``nbytes`` of a controller; behind its last byte it goes on at the first.

        Raises InputError for more than the whole of it.
        """
        size = self._size()
        if size is not None and nbytes > size:
            message = f"an operand of {nbytes} bytes does not fit the memory of {node} ({size} bytes)"
            raise InputError([Problem(message, self.site.system.file)])
        unit = _unit(self.site.system.node(node), self.site.system.flit_bytes)
        begin = self._next.get(node, 0)
        if size is not None and begin + nbytes > size:
            begin = 0
        self._next[node] = begin + -(-max(nbytes, 1) // unit) * unit
        return begin

    def _size(self) -> int | None:
        """Bytes of a controller; None where no file says it."""
        return None if self.site.system.hierarchy is None else self.site.resolver.slice_bytes


class DevicePlacement:
    """The placement of one core's operands. ``unresolved``: addresses that the system does not resolve."""

    def __init__(self, shelves: Shelves, device: Device) -> None:
        self._shelves = shelves
        self._site = shelves.site
        self._device = device
        self._kept: dict[tuple[str, object], Spot] = {}
        self.unresolved: set[int] = set()
        controllers = [node.name for node in self._site.system.nodes() if node.kind == HBM]
        self._only = controllers[0] if len(controllers) == 1 else None

    def spot(self, tensor: str | None, addr: int | None, nbytes: int) -> Spot:
        """The place of an operand: by its address, else by its tensor, else a new one."""
        if addr is not None:
            if (found := self._resolved(addr)) is not None:
                return found
            self.unresolved.add(addr)
        key = ("tensor", tensor) if tensor is not None else ("address", addr)
        if key in self._kept:
            return self._kept[key]
        spot = self._new(nbytes)
        if tensor is not None or addr is not None:
            self._kept[key] = spot
        return spot

    def _resolved(self, addr: int) -> Spot | None:
        """The place that an address names. A free graph has no addresses; with one controller they are its offsets."""
        if self._site.system.hierarchy is None:
            return None if self._only is None else Spot(self._only, addr, addr)
        try:
            place = self._site.place(addr)
        except (AddressError, InputError):
            return None
        return Spot(place.node, place.offset, addr)

    def _new(self, nbytes: int) -> Spot:
        node = self._device.home
        offset = self._shelves.take(node, nbytes)
        if self._site.system.hierarchy is None:
            return Spot(node, offset, offset)
        return Spot(node, offset, self._site.address(Place(node, offset)))


def _unit(node: NodeSpec, flit_bytes: int) -> int:
    """Bytes that a new operand begins at a multiple of: whole flits and, if the controller has them, whole bursts."""
    burst = node.parameters.get("burst_bytes")
    return lcm(flit_bytes, burst) if isinstance(burst, int) and burst > 0 else flit_bytes
