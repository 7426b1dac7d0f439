"""What whoever uses a memory from afar asks for: so many bytes, there or back, and word when it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simpy.events import Event

from components.memory.tcm import DIRECTIONS
from simcore.errors import hint
from simcore.kernel import PartError

if TYPE_CHECKING:
    from components.fabric.flow import Flow


@dataclass(slots=True, eq=False)
class MemoryRequest:
    """``nbytes`` from (``read``) or to (``write``) the physical ``address``, on behalf of ``tag``.

    ``done`` happens when the sender knows that it is over: the last byte has come, or the answer to the last byte
    written. Its value is the request. Whoever carries it leaves what it became: ``outward``, the command or the data on
    their way to the memory; ``homeward``, the data or the answer.
    """

    direction: str
    address: int
    nbytes: int
    done: Event
    tag: str = ""
    outward: Flow | None = field(default=None, init=False)
    homeward: Flow | None = field(default=None, init=False)


def check_request(
    error: Callable[[str], PartError], what: str, direction: object, address: object, nbytes: object
) -> None:
    """Raises ``error`` about ``what`` unless it has a direction, an address and a size."""
    if direction not in DIRECTIONS:
        raise error(f"{what}: direction {direction!r} {hint(direction, DIRECTIONS)}")
    if type(address) is not int or address < 0:
        raise error(f"{what}: address {address!r} (an int, 0 or more)")
    if type(nbytes) is not int or nbytes < 0:
        raise error(f"{what}: nbytes {nbytes!r} (an int, 0 or more)")
