"""How the bytes of a transfer go over several DMA engines."""

from __future__ import annotations

import pytest

from components.core.spread import EngineShare, spread


@pytest.mark.parametrize(
    ("nbytes", "engines", "first", "expected"),
    [
        (0, 4, 2, [(2, 0, 0)]),
        (512, 4, 0, [(0, 0, 512)]),
        (1000, 4, 3, [(3, 0, 512), (0, 512, 488)]),
        (5 * 512 + 1, 4, 1, [(1, 0, 1024), (2, 1024, 1024), (3, 2048, 512), (0, 2560, 1)]),
        (4096, 1, 0, [(0, 0, 4096)]),
    ],
)
def test_whole_flits_go_as_evenly_as_they_can_from_the_first_engine_on(
    nbytes: int, engines: int, first: int, expected: list[tuple[int, int, int]]
):
    assert spread(nbytes, 512, engines, first) == [EngineShare(*share) for share in expected]
