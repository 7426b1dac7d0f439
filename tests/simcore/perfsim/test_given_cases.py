"""Every given case: its events and both critical paths, through the public API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import simcore

CASES = sorted(
    p.name.removesuffix(".expected.json")
    for p in (Path(__file__).resolve().parents[4] / "shared/cases/perfsim").glob("*.expected.json")
)


def test_the_cases_are_there() -> None:
    assert len(CASES) >= 14


@pytest.mark.parametrize("case", CASES)
def test_a_given_case_comes_out_exactly(case: str, shared: Path) -> None:
    expected = json.loads((shared / f"cases/perfsim/{case}.expected.json").read_text())
    program = simcore.load_program(shared / f"cases/perfsim/{case}.json")
    estimate = simcore.perfsim.estimate(program)
    block = estimate.blocks[0]
    columns = (block.schedule.lane, block.start, block.duration, block.next_dispatch)
    events = [
        dict(zip(("name", "lane", "start", "duration", "next_dispatch"), row, strict=True))
        for row in zip(block.columns.name_list(), *(c.tolist() for c in columns), strict=True)
    ]
    assert events == expected["events"]
    assert estimate.critical_path_ns == expected["critical_path_ns"]
    without = simcore.perfsim.estimate(program, include_anti_deps=False)
    assert without.critical_path_ns == expected["critical_path_no_anti_ns"]
