"""The parts that kernbench ships: the modules that register each kind, imported when the kind is first asked for."""

from __future__ import annotations

BUILT_IN: dict[str, tuple[str, ...]] = {
    "barrier_lane": ("components.core.barrier_lane",),
    "descriptor_ring": ("components.core.descriptor_ring",),
    "engine": ("components.core.engine",),
    "fabric": ("components.fabric.fabric",),
    "hbm_controller": ("components.memory.hbm",),
    "link": ("components.fabric.link",),
    "neuron_core": ("components.core.neuron_core",),
    "psum_bank": ("components.core.psum_bank",),
    "router": ("components.fabric.router",),
    "semaphore": ("components.core.semaphore",),
    "sram": ("components.memory.sram",),
    "tcm": ("components.memory.tcm", "components.memory.tcm_alternatives"),
}
"""Modules by kind. A part that is not listed here is not found by its kind."""
