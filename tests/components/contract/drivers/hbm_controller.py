"""Drives an HBM controller: requests that share channels and turn them round."""

from __future__ import annotations

from tests.components.contract.memory_client import bench_of as bench

__all__ = ["bench", "parameters"]


def parameters(impl: str) -> dict[str, object]:
    return {"num_pcs": 4, "burst_bytes": 256, "pc_bw_gbs": 7.5, "switch_penalty_ns": 3.5, "overhead_ns": 1.5}
