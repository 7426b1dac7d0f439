"""What a part keeps of the transfers that only pass it: how many there were, and how many bytes they held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from components.fabric.flow import Flow
from simcore.kernel import Part

if TYPE_CHECKING:
    from simcore.kernel import Environment, Port

P = TypeVar("P", bound=BaseModel)


class PassThrough(Part[P]):
    """A part on the way of transfers. It counts those that start, pass or end here; ``passed_bytes`` is what they held.

    Log row: ``pass`` (transfer, bytes).
    """

    overhead_ticks: int
    reassembles = False

    def __init__(self, env: Environment, name: str, parameters: P, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self.passed_bytes = 0

    def enter(self, flow: Flow) -> None:
        """A transfer is under way whose path holds the part."""
        self.accepted += 1

    def leave(self, flow: Flow) -> None:
        """It has ended."""
        self.completed += 1
        self.passed_bytes += flow.nbytes
        if self.record is not None:
            self.record((self.env.now, self.name, "pass", flow.name, flow.nbytes))
