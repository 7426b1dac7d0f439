"""What the tests of the fabric share."""

from __future__ import annotations

import pytest

from components.fabric import mover, plan


@pytest.fixture(scope="module")
def eager_plans():
    """Plans are made for the shortest transfers and end early, so that small examples meet every change of hands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mover, "WORTH_A_PLAN", 1)
        patch.setattr(plan, "FIRST_CHUNK", 5)
        patch.setattr(plan, "LARGEST_CHUNK", 20)
        yield
