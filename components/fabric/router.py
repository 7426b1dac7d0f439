"""Router: lets transfers pass, each later by its latency (ADR-0045).

First action: none of its own. It is no resource: two transfers that leave it by different links never meet in it. What
waits, waits for the link that it leaves by, whose turns are the router's arbitration; what it may hold, the buffer of
the link that it came by says. UCIe ports, switches and any other part that transfers only pass are of this kind, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from components.fabric.pass_through import PassThrough
from components.quantities import Ns
from components.registry import register
from simcore.kernel import Environment, Port
from simcore.units import ns_to_ticks


class RouterParameters(BaseModel):
    """``overhead_ns``: what a transfer pays once to pass."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overhead_ns: Ns


@register("router", "latency", default=True)
class Router(PassThrough[RouterParameters]):
    """A router; its counts and log rows are those of all parts that transfers only pass."""

    def __init__(
        self, env: Environment, name: str, parameters: RouterParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.overhead_ticks = ns_to_ticks(parameters.overhead_ns)
