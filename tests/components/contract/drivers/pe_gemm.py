"""Drives a GEMM: tiles of several shapes that wait for the slot."""

from __future__ import annotations

from collections.abc import Mapping

from components.pe.stages import Fetch, Gemm
from components.registry import Registered
from simcore.kernel import Environment
from tests.components.contract.bench import Bench
from tests.components.contract.tile_client import TileClient

BATCH = [(0, Gemm(32, 64, 32)), (0, Gemm(1, 1, 1)), (500, Gemm(33, 65, 7)), (90_000, Gemm(8, 8, 8))]


def parameters(impl: str) -> dict[str, object]:
    return {"mac_m": 16, "mac_k": 4, "mac_n": 32, "clock_ghz": 1.4}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    return TileClient(env, name, entry, parameters, "gemm").bench(BATCH, Fetch(8))
