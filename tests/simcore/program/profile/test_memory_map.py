"""Addresses, access patterns, and the types that memory keeps."""

from __future__ import annotations

import pytest

from simcore.program.profile.element_types import TypedMemory
from simcore.program.profile.memory_map import FreePattern, Place, free_pattern, place_of


@pytest.mark.parametrize(
    ("address", "place"),
    [
        (0x369F4, Place("SB", 0x369F4)),
        (64 * 0x40000 + 0x4480, Place("SB", 0x4480)),
        (0x2000000, Place("PSUM", 0)),
        (0x2000800, Place("PSUM", 2048)),
        (0x2003E00, Place("PSUM", 7 * 2048 + 1536)),
        (0x2004000, Place("PSUM", None)),
    ],
)
def test_the_state_buffer_comes_before_psum(address: int, place: Place) -> None:
    assert place_of(address, 8) == place


@pytest.mark.parametrize(
    ("steps", "counts", "pattern"),
    [
        ((1, 1, 1, 1), (512, 1, 1, 1), FreePattern(0, 512, None)),
        ((1, 1), (1, 1), FreePattern(0, 1, None)),
        ((-1, 0, 0), (128, 1, 1), FreePattern(-127, 128, None)),
        ((-1, 0, -32), (32, 1, 4), FreePattern(-127, 128, None)),
        ((1, 2, 1, 1), (2, 8, 1, 1), FreePattern(0, 16, None)),
        ((2,), (8,), FreePattern(0, 8, [(2, 8)])),
        ((1, 8), (4, 3), FreePattern(0, 12, [(8, 3), (1, 4)])),
        ((0, 1), (4, 3), FreePattern(0, 12, [(1, 3), (0, 4)])),
    ],
)
def test_patterns_walk_upward_in_as_few_dimensions_as_possible(
    steps: tuple[int, ...], counts: tuple[int, ...], pattern: FreePattern
) -> None:
    assert free_pattern(steps, counts) == pattern


def test_written_bytes_have_the_type_of_the_next_access_and_read_bytes_that_of_the_last() -> None:
    memory = TypedMemory()
    memory.add(1, "SB", 0, 64, "float32")
    memory.add(3, "SB", 4000, 4100, "bfloat16")
    memory.add(5, "SB", 0, 4096, "int32")
    assert memory.type_written(2, "SB", 0, 8192) == "bfloat16"
    assert memory.type_written(2, "SB", 0, 64) == "int32"
    assert memory.type_read(4, "SB", 0, 8192) == "bfloat16"
    assert memory.type_read(4, "SB", 0, 64) == "float32"


def test_if_time_offers_nothing_on_the_right_side_the_other_side_decides() -> None:
    memory = TypedMemory()
    memory.add(3, "SB", 0, 64, "float16")
    assert memory.type_written(3, "SB", 0, 64) is None
    assert memory.type_written(9, "SB", 0, 4) == "float16"
    assert memory.type_read(0, "SB", 60, 70) == "float16"
    assert memory.type_read(0, "SB", 64, 70) is None
    assert memory.type_read(0, "PSUM", 0, 64) is None
