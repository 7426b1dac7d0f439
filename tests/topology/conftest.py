"""Shipped systems, loaded once, and their routes."""

from __future__ import annotations

import pytest

from topology.loader import load_system
from topology.routes.router import PathRouter
from topology.system import System


@pytest.fixture(scope="session")
def kernbench_2x4x4() -> System:
    """The large shipped system."""
    return load_system("kernbench_2x4x4")


@pytest.fixture(scope="session")
def routes_2x4x4(kernbench_2x4x4: System) -> PathRouter:
    """Its routes."""
    return PathRouter(kernbench_2x4x4)


@pytest.fixture(scope="session")
def mesh_4x4_small() -> System:
    """The small shipped system."""
    return load_system("mesh_4x4_small")
