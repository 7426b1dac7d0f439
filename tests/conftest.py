"""What all tests share: the read-only folder of cases and data, and how hypothesis draws examples."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

# "same" draws the same examples in every run, so a red build is red again on the next machine; "search" draws new
# ones (HYPOTHESIS_PROFILE=search make test) to look for what "same" has never met. Neither times a test: the machines
# are shared, and a slow minute of theirs is not a fault of the model.
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The ``shared`` folder beside the repository: cases with expected results, measured data."""
    folder = REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.fail(f"the tests need the folder of cases and data at {folder}: put `shared` beside the repository")
    return folder


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source tree."""
    return REPOSITORY
