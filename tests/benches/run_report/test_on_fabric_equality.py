"""On a system without limits a program runs as on ideal memory: every start, duration and next-dispatch."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from benches.run_report.execute import run_machine
from simcore.perfsim.estimate import Estimate
from tests.benches.run_report.fabric_runs import estimate_of, free_site_of, ran, times_of
from tests.reference.random_programs import programs, random_program
from tests.simcore.perfsim.blocks import loaded
from topology.machine.site import Site

CORE_OF = {"sunda": ("trn1", "nc1"), "gen3": ("trn2", "nc7"), "core_v4": ("trn3", "nc0")}
TILE = ("kernbench_2x4x4", "sip1.cube6.pe3")
SHARED = Path(__file__).resolve().parents[4] / "shared"
CASES = sorted(path.name for path in (SHARED / "cases/perfsim").glob("*[0-9a-z].json") if ".expected" not in path.name)
PROGRAMS = 60


def assert_as_ideal(site: Site, words: list[str], estimate: Estimate) -> int:
    """Gives the bytes that the devices' DMA engines have moved."""
    ideal = run_machine(estimate)
    devices = ran(site, words, estimate).devices
    for device in devices:
        assert len(device.blocks) == len(ideal)
        for block, expected in zip(device.blocks, ideal, strict=True):
            assert times_of(block.schedule) == times_of(expected.schedule)
            for name in ("lane", "cause", "on", "ready_at", "ready_on"):
                assert getattr(block.schedule, name).tolist() == getattr(expected.schedule, name).tolist(), name
            assert dict(block.stretches) == {}
            attribution = block.attribution()
            assert attribution is not None
            assert attribution.of_makespan() == {}
    return sum(engine.moved_bytes for device in devices for engine in device.surroundings.engines)


def places_of(estimate: Estimate) -> list[tuple[str, str]]:
    """Where the program may run."""
    arch = estimate.prepared.arch
    return [TILE, *([CORE_OF[arch]] if arch in CORE_OF else [])]


@pytest.mark.parametrize("part", range(3))
def test_random_programs_run_as_on_ideal_memory(part: int) -> None:
    moved = 0
    for seed in range(part * PROGRAMS, (part + 1) * PROGRAMS):
        rng = random.Random(seed)
        estimate = estimate_of(loaded(random_program(rng, instructions=1 + seed % 60)), anti=bool(seed % 3))
        for system, device in places_of(estimate):
            moved += assert_as_ideal(free_site_of(system), [device], estimate)
    assert moved > 10**7


@settings(max_examples=40)
@given(programs())
def test_drawn_programs_run_as_on_ideal_memory(document: dict[str, Any]) -> None:
    estimate = estimate_of(loaded(document))
    for system, device in places_of(estimate):
        assert_as_ideal(free_site_of(system), [device], estimate)


@pytest.mark.parametrize("case", CASES)
def test_a_given_case_runs_as_on_ideal_memory(case: str, shared: Path) -> None:
    estimate = estimate_of(loaded(json.loads((shared / "cases/perfsim" / case).read_text())))
    for system, device in places_of(estimate):
        assert_as_ideal(free_site_of(system), [device], estimate)


def test_cores_that_meet_nowhere_do_not_meet_on_a_system_without_limits() -> None:
    document = random_program(random.Random(5), instructions=40, arch="gen3")
    assert_as_ideal(free_site_of("trn2"), ["all"], estimate_of(loaded(document)))
    tiles = [f"sip0.cube{cube}.pe{pe}" for cube in (0, 5) for pe in range(8)]
    assert_as_ideal(free_site_of("kernbench_2x4x4"), tiles, estimate_of(loaded(document)))
