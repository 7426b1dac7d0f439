"""Drives a MATH: operations of several sizes that wait for the slot."""

from __future__ import annotations

from collections.abc import Mapping

from components.pe.stages import Gemm, Math
from components.registry import Registered
from simcore.kernel import Environment
from tests.components.contract.bench import Bench
from tests.components.contract.tile_client import TileClient

BATCH = [(0, Math("exp", 1024)), (0, Math("relu", 1)), (700, Math("exp", 65)), (50_000, Math("exp", 64))]


def parameters(impl: str) -> dict[str, object]:
    return {"vector_width": 64, "clock_ghz": 0.7}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    return TileClient(env, name, entry, parameters, "math").bench(BATCH, Gemm(1, 1, 1))
