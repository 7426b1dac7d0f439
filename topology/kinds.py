"""The words of the topology language: kinds of parts and of links, and the sets of links that a route may use."""

from __future__ import annotations

from enum import Enum

PART_KINDS = (
    "dma_engine",
    "hbm_controller",
    "io_cpu",
    "m_cpu",
    "neuron_core",
    "node",
    "pcie_endpoint",
    "pe_cpu",
    "pe_dma",
    "pe_fetch_store",
    "pe_gemm",
    "pe_math",
    "pe_mmu",
    "pe_scheduler",
    "router",
    "sram",
    "switch",
    "tcm",
    "ucie_port",
)
"""Kinds that a file may name before a part of that kind is registered; every registered kind is allowed as well.

``node`` is a plain point of a free graph: it is on the way of traffic, and traffic begins or ends there.
"""

LINK_KINDS = {
    "link": "between parts of a free graph, or routers of its meshes",
    "router_to_router": "inside a cube's router mesh",
    "pe_to_router": "from a PE tile's part at the mesh to its router",
    "router_to_pe": "from a router to its PE tile",
    "pe_internal": "inside a PE tile; the parts at its ends set the rate",
    "router_to_hbm": "from a router to an HBM controller",
    "hbm_to_router": "from an HBM controller to its router",
    "router_to_m_cpu": "from a router to the M_CPU",
    "m_cpu_to_router": "from the M_CPU to its router",
    "router_to_sram": "from a router to the cube's SRAM",
    "sram_to_router": "from the cube's SRAM to its router",
    "command": "M_CPU to and from a PE tile's command part; carries no payload",
    "router_to_ucie": "from a router to a UCIe connection",
    "ucie_to_router": "from a UCIe connection to a router",
    "cube_to_cube": "between the UCIe connections of two cubes",
    "cube_to_io": "from a cube's UCIe connection to one of an IO chiplet",
    "io_to_cube": "from an IO chiplet's UCIe connection to one of a cube",
    "noc_to_ucie": "from an IO chiplet's NOC to its UCIe connection",
    "ucie_to_noc": "from an IO chiplet's UCIe connection to its NOC",
    "io_internal": "inside an IO chiplet",
    "pcie": "between a PCIe endpoint and the fabric switch",
}
"""Kinds of links, with what they join."""

UCIE_KINDS = frozenset(kind for kind in LINK_KINDS if "ucie" in kind or kind.startswith(("cube_to", "io_to")))
PE_KINDS = frozenset({"pe_internal", "pe_to_router", "router_to_pe"})


class EdgeSet(Enum):
    """Which links a route may use; the value is the set of kinds that it leaves out."""

    ALL = frozenset[str]()
    """Every link."""
    DATA = frozenset({"command"})
    """All but command wires: what a payload may use."""
    M_CPU_DMA = frozenset({"command"}) | PE_KINDS
    """What the M_CPU's DMA may use: nothing of a PE tile."""
    IN_CUBE = frozenset({"command"}) | UCIE_KINDS
    """What traffic inside one cube may use."""
