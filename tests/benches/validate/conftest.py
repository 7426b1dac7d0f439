"""The four profiles of the shared data, read once; a small profile's program and measurement; the real command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simcore.program.build import program_from_loaded
from simcore.program.profile import read_profile
from simcore.program.program import Program
from simcore.program.read import load_program
from tests.benches.cli.conftest import kernbench

__all__ = ["kernbench"]

NAMES = ("baseline_fp32_s1024", "baseline_fp32_s512", "fused_bf16_s512", "fused_fp32_s512")

Profiled = Callable[[dict[str, Any]], Program]


@pytest.fixture(scope="session")
def paths(shared: Path) -> list[Path]:
    """The files of the four profiles."""
    return [shared / "data" / "trn2-profiles" / f"{name}.json.gz" for name in NAMES]


@pytest.fixture(scope="session")
def programs(paths: list[Path]) -> dict[str, Program]:
    """The four profiles by name; tests must not change them."""
    return {path.name.removesuffix(".json.gz"): load_program(path) for path in paths}


@pytest.fixture(scope="session")
def profiled() -> Profiled:
    """A decoded profile -> its program with what was measured."""
    return lambda document: program_from_loaded(read_profile(document, "small.json"), file="small.json")
