"""Router: lets transfers pass, each later by its latency (ADR-0045).

First action: none of its own. It is no resource: two transfers that leave it by different links never meet in it. What
waits, waits for the link that it leaves by, whose turns are the router's arbitration; what it may hold, the buffer of
the link that it came by says. UCIe ports, switches and any other part that transfers only pass are of this kind, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from components.fabric.flow import Flow
from components.quantities import Ns
from components.registry import register
from simcore.kernel import Environment, Part, Port
from simcore.units import ns_to_ticks


class RouterParameters(BaseModel):
    """``overhead_ns``: what a transfer pays once to pass."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overhead_ns: Ns


@register("router", "latency", default=True)
class Router(Part[RouterParameters]):
    """A router. It counts transfers; ``passed_bytes`` is what they held. Log row: ``pass`` (transfer, bytes)."""

    reassembles = False

    def __init__(
        self, env: Environment, name: str, parameters: RouterParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.overhead_ticks = ns_to_ticks(parameters.overhead_ns)
        self.passed_bytes = 0

    def enter(self, flow: Flow) -> None:
        """A transfer that will pass has started."""
        self.accepted += 1

    def leave(self, flow: Flow) -> None:
        """It has ended."""
        self.completed += 1
        self.passed_bytes += flow.nbytes
        if self.record is not None:
            self.record((self.env.now, self.name, "pass", flow.name, flow.nbytes))
