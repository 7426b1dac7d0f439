"""Switch: joins the PCIe endpoints of several packages (ADR-0048).

First action: none of its own. What waits, waits for the link that it leaves by.
"""

from __future__ import annotations

from components.fabric.router import Router
from components.registry import register


@register("switch", "latency", default=True)
class Switch(Router):
    """A fabric switch; ``overhead_ns`` is its arbitration. Counts and log rows as of a router."""
