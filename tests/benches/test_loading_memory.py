"""Loading a large file takes memory in proportion to the file, whether it is valid or not.

The full size, 300 MB, is measured by ``python -m benches.speed loading``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benches.speed.peak_memory import measured_loading
from benches.speed.streams import write_stream

INSTRUCTIONS = 90_000


@pytest.mark.parametrize("opcode", [None, "Matmul"])
def test_20_mb_of_stream_take_less_than_ten_times_that(opcode: str | None, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    write_stream(path, INSTRUCTIONS, last=opcode)
    size = path.stat().st_size
    assert size > 20e6
    loading = measured_loading(path)
    assert loading.peak_bytes < 10 * size
    if opcode is None:
        assert loading.problems == []
    else:
        (problem,) = loading.problems
        assert problem.startswith(f"{path}:{INSTRUCTIONS + 2}:27: instruction i{INSTRUCTIONS - 2}: unknown opcode ")
