"""The four profiles of the shared data, decoded and read once."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from simcore.program.loaded import Loaded
from simcore.program.profile import read_profile

NAMES = ("baseline_fp32_s1024", "baseline_fp32_s512", "fused_bf16_s512", "fused_fp32_s512")


@pytest.fixture(scope="session")
def documents(shared: Path) -> dict[str, Any]:
    """The decoded profiles by name; tests must not change them."""
    folder = shared / "data" / "trn2-profiles"
    return {name: json.loads(gzip.decompress((folder / f"{name}.json.gz").read_bytes())) for name in NAMES}


@pytest.fixture(scope="session")
def profiles(documents: dict[str, Any]) -> dict[str, Loaded]:
    """What the reader makes of them."""
    return {name: read_profile(document, f"{name}.json.gz") for name, document in documents.items()}
