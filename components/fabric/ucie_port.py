"""UCIe port: one end of a connection between two chiplets (ADR-0048).

First action: none of its own. A transfer passes one port on its way out of a chiplet and one on its way into the next,
and each delays it by its overhead, so that a crossing costs twice that.
"""

from __future__ import annotations

from components.fabric.router import Router
from components.registry import register


@register("ucie_port", "latency", default=True)
class UciePort(Router):
    """A UCIe port, sending or receiving. Counts and log rows as of a router."""
