"""PCIe endpoint: where a package meets the host and the other packages (ADR-0048).

First action: none of its own. It speaks another protocol on its far side, so a transfer that passes is taken in as a
whole and then leaves like one that starts here: its bytes are paid for once on either side.
"""

from __future__ import annotations

from components.fabric.router import Router
from components.registry import register


@register("pcie_endpoint", "store_and_forward", default=True)
class PcieEndpoint(Router):
    """A PCIe endpoint. A transfer that starts or ends here is not held up; each pays the overhead once."""

    reassembles = True
