"""Drives a DMA engine: transfers that pass it."""

from __future__ import annotations

from tests.components.contract.passing import bench

__all__ = ["bench", "parameters"]


def parameters(impl: str) -> dict[str, object]:
    return {"queues": 16, "start_ns": 1300, "practical_gbs": 17.5}
