"""Drives an SRAM: reads and writes that share its port."""

from __future__ import annotations

from tests.components.contract.memory_client import bench_of as bench

__all__ = ["bench", "parameters"]


def parameters(impl: str) -> dict[str, object]:
    return {"bw_gbs": 48, "overhead_ns": 2.5}
