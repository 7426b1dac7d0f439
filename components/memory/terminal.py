"""Terminal: a memory at the end of a path of the fabric, which takes time for every flit (ADR-0047).

Transfers come to it (writes) or start at it (reads). It gives each an access, which knows the address and the direction
and asks it flit by flit. Only time is modelled: no data are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict

from components.memory.request import check_request
from components.quantities import Ns
from simcore.kernel import Environment, Part, Port
from simcore.units import ns_to_ticks

if TYPE_CHECKING:
    from components.fabric.flow import Flow


class TerminalParameters(BaseModel):
    """``overhead_ns``: what a transfer pays once, whether it comes or leaves."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overhead_ns: Ns


P = TypeVar("P", bound=TerminalParameters)


class Terminal(Part[P]):
    """What the memories at the end of a path share.

    ``accepted`` and ``completed`` count transfers, commands without payload among them; ``moved_bytes`` holds what was
    read and what was written. Log row: ``end`` (transfer, bytes).
    """

    reassembles = False

    def __init__(self, env: Environment, name: str, parameters: P, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self.overhead_ticks = ns_to_ticks(parameters.overhead_ns)
        self.moved_bytes = {"read": 0, "write": 0}

    def enter(self, flow: Flow) -> None:
        """A transfer that comes here, or starts here, is under way."""
        self.accepted += 1

    def leave(self, flow: Flow) -> None:
        """It has ended."""
        self.completed += 1
        if self.record is not None:
            self.record((self.env.now, self.name, "end", flow.name, flow.nbytes))

    def check(self, direction: str, address: int, nbytes: int, flit_bytes: int) -> None:
        """Raises PartError for an access that cannot be."""
        check_request(self.error, f"access at {address!r}", direction, address, nbytes)
        if type(flit_bytes) is not int or flit_bytes < 1:
            raise self.error(f"access at {address!r}: flit_bytes {flit_bytes!r} (an int, 1 or more)")
