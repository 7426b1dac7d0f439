"""Drives a fabric switch: transfers that pass it."""

from __future__ import annotations

from tests.components.contract.passing import bench, parameters

__all__ = ["bench", "parameters"]
