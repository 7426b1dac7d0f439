"""The parts that kernbench ships: the modules that register each kind, imported when the kind is first asked for."""

from __future__ import annotations

BUILT_IN: dict[str, tuple[str, ...]] = {
    "barrier_lane": ("components.core.barrier_lane",),
    "descriptor_ring": ("components.core.descriptor_ring",),
    "device_dma_engine": ("components.device.dma_engine",),
    "device_dma_queue": ("components.device.dma_queue",),
    "device_engine": ("components.device.engine",),
    "device_pe": ("components.device.pe",),
    "device_semaphore": ("components.device.semaphore",),
    "device_throttle": ("components.device.throttle",),
    "dma_engine": ("components.memory.dma_engine",),
    "engine": ("components.core.engine",),
    "fabric": ("components.fabric.fabric",),
    "hbm_controller": ("components.memory.hbm",),
    "io_cpu": ("components.host.io_cpu",),
    "link": ("components.fabric.link",),
    "m_cpu": ("components.host.m_cpu",),
    "neuron_core": ("components.core.neuron_core",),
    "pcie_endpoint": ("components.host.pcie_endpoint",),
    "pe_cpu": ("components.pe.cpu",),
    "pe_dma": ("components.pe.dma",),
    "pe_fetch_store": ("components.pe.fetch_store",),
    "pe_gemm": ("components.pe.gemm",),
    "pe_math": ("components.pe.math",),
    "pe_mmu": ("components.pe.mmu",),
    "pe_scheduler": ("components.pe.scheduler",),
    "psum_bank": ("components.core.psum_bank",),
    "router": ("components.fabric.router",),
    "sbuf": ("components.memory.sbuf",),
    "semaphore": ("components.core.semaphore",),
    "sram": ("components.memory.sram",),
    "switch": ("components.fabric.switch",),
    "tcm": ("components.memory.tcm", "components.memory.tcm_alternatives"),
    "ucie_port": ("components.fabric.ucie_port",),
}
"""Modules by kind. A part that is not listed here is not found by its kind."""
