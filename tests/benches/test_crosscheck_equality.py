"""Both models agree on every program: random ones of every feature, the given cases, real profiles, a real kernel."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simcore
from benches.crosscheck import crosscheck
from benches.crosscheck_long import concatenated, long_program, random_checks
from components.core.neuron_core import NeuronCoreParameters
from components.core.simulate import simulate_block
from simcore.explain.critical_path import critical_path
from simcore.perfsim.options import PerfSimOptions
from simcore.program.unroll import unroll
from tests.reference.random_programs import programs, random_program
from tests.simcore.perfsim.blocks import loaded, scheduled

PARTS = 4
PROGRAMS_PER_PART = 400
LARGEST = 300

SHARED = Path(__file__).resolve().parents[3] / "shared"
CASES = sorted(path.name.removesuffix(".expected.json") for path in (SHARED / "cases/perfsim").glob("*.expected.json"))
PROFILES = sorted(path.name for path in (SHARED / "data/trn2-profiles").glob("*.json.gz"))


def assert_equal(document: dict[str, Any], **options: Any) -> None:
    result = crosscheck(loaded(document), options=PerfSimOptions(**options))
    assert result.equal, result.first_difference


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_are_equal(part: int) -> None:
    """1,600 in all, most of them small, the largest of 300 instructions; each with and without anti-dependencies."""
    for seed in range(part * PROGRAMS_PER_PART, (part + 1) * PROGRAMS_PER_PART):
        rng = random.Random(seed)
        assert_equal(random_program(rng, instructions=round(LARGEST ** rng.random())))


@pytest.mark.parametrize("arch", ["sunda", "gen3", "core_v4", "inferentia"])
def test_programs_of_300_instructions_are_equal(arch: str) -> None:
    for seed in range(10):
        assert_equal(random_program(random.Random(seed), instructions=LARGEST, arch=arch))


@given(programs())
@settings(max_examples=300)
def test_drawn_programs_are_equal(document: dict[str, Any]) -> None:
    assert_equal(document)


@given(
    programs(arch="core_v4"),
    st.dictionaries(st.integers(0, 12), st.none() | st.integers(1, 5)),
    st.integers(0, 400),
    st.integers(0, 3000),
    st.sampled_from([None, True, False]),
    st.booleans(),
    st.sampled_from(["arch", "max_stream"]),
)
@settings(max_examples=150)
def test_what_is_varied_in_both_models_keeps_them_equal(
    document: dict[str, Any],
    depths: dict[int, int | None],
    compute: int,
    dma: int,
    coupling: bool | None,
    barriers: bool,
    share: str,
) -> None:
    assert_equal(
        document,
        ring_depths=depths,
        compute_overlap_ns=compute,
        dma_overlap_ns=dma,
        pool_dve_coupling=coupling,
        barriers=barriers,
        collective_share=share,
    )


@given(programs())
@settings(max_examples=60)
def test_drawn_programs_are_equal_with_every_loop_unrolled(document: dict[str, Any]) -> None:
    result = crosscheck(unroll(loaded(document)).program)
    assert result.equal, result.first_difference


@given(programs())
@settings(max_examples=60)
def test_both_models_have_one_critical_path(document: dict[str, Any]) -> None:
    program = loaded(document)
    for _, block in program.blocks:
        core = NeuronCoreParameters.of_generation(program.arch, program.arch_version)
        for anti in (True, False):
            perfsim = scheduled(program, block, include_anti_deps=anti)
            machine = simulate_block(block.columns, block.columns.cost_ns, core, include_anti_deps=anti)
            assert perfsim.critical_path * 1000 == machine.critical_path
            assert perfsim.makespan * 1000 == machine.makespan
            ours, theirs = critical_path(perfsim, block.columns), critical_path(machine, block.columns)
            assert [(s.event, s.start * 1000, s.until * 1000, s.cause) for s in ours] == [
                (s.event, s.start, s.until, s.cause) for s in theirs
            ]


def test_the_cases_and_profiles_are_there() -> None:
    assert len(CASES) >= 14
    assert len(PROFILES) == 4


@pytest.mark.parametrize("case", CASES)
def test_a_given_case_is_equal_and_has_its_critical_path(case: str, shared: Path) -> None:
    expected = json.loads((shared / f"cases/perfsim/{case}.expected.json").read_text())
    result = crosscheck(simcore.load_program(shared / f"cases/perfsim/{case}.json"))
    assert result.equal, result.first_difference
    (block,) = result.blocks
    assert block.critical_path_ns == block.machine_critical_path_ns == expected["critical_path_ns"]
    assert block.critical_path_no_anti_ns == expected["critical_path_no_anti_ns"]


@pytest.mark.parametrize("case", CASES)
def test_the_machine_alone_gives_the_expected_events_of_a_case(case: str, shared: Path) -> None:
    expected = json.loads((shared / f"cases/perfsim/{case}.expected.json").read_text())
    program = simcore.load_program(shared / f"cases/perfsim/{case}.json")
    ((_, block),) = program.blocks
    core = NeuronCoreParameters.of_generation(program.arch, program.arch_version)
    s = simulate_block(block.columns, block.columns.cost_ns, core)
    times = (s.start, s.duration, s.next_dispatch)
    assert [
        (name, lane, *(t / 1000 for t in row))
        for name, lane, *row in zip(
            block.columns.name_list(), s.lane.tolist(), *(t.tolist() for t in times), strict=True
        )
    ] == [(e["name"], e["lane"], e["start"], e["duration"], e["next_dispatch"]) for e in expected["events"]]


@pytest.mark.parametrize("timing", ["hwm", "public"])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_real_profile_is_equal_at_the_costs_of_either_source(profile: str, timing: str, shared: Path) -> None:
    result = crosscheck(simcore.load_program(shared / "data/trn2-profiles" / profile), timing=timing)
    assert result.equal, result.first_difference
    assert sum(block.instructions for block in result.blocks) > 70


@pytest.mark.parametrize("timing", ["hwm", "public"])
@pytest.mark.parametrize("arch", ["trn1", "trn2", "trn3"])
def test_the_shipped_kernel_is_equal_on_every_generation(arch: str, timing: str, repository: Path) -> None:
    program = simcore.load_program(repository / "benches/kernels/fused_attention_fp32_s512.yaml")
    if arch == "trn1":
        # Its transfers are described by hardware, which trn1 has not.
        for _, block in program.blocks:
            block.columns.dge_type[:] = 0
    result = crosscheck(program, arch=arch, timing=timing)
    assert result.equal, result.first_difference
    assert result.blocks[0].critical_path_ns > 0


def test_an_empty_program_and_an_empty_block_are_equal() -> None:
    head = {"schema": "kernbench.stream/1", "name": "p", "arch": "gen3"}
    nothing = crosscheck(loaded({**head, "functions": [{"name": "main", "blocks": []}]}))
    assert (nothing.equal, nothing.blocks, nothing.first_difference) == (True, (), None)
    empty = crosscheck(loaded({**head, "functions": [{"name": "main", "blocks": [{"name": "b", "instructions": []}]}]}))
    assert empty.equal
    assert (empty.blocks[0].instructions, empty.blocks[0].makespan_ns, empty.blocks[0].machine_makespan_ns) == (0, 0, 0)


def test_the_long_check_covers_as_many_instructions_as_it_is_told() -> None:
    results = [result for _, result in random_checks(0, 2000)]
    assert all(result.equal for result in results)
    assert sum(block.instructions for result in results for block in result.blocks) >= 2000


def test_blocks_put_end_to_end_are_one_valid_block() -> None:
    pieces = [loaded(random_program(random.Random(s), instructions=80, arch="sunda")) for s in range(3)]
    columns = [block.columns for program in pieces for _, block in program.blocks]
    whole = concatenated(columns)
    assert len(whole) == sum(map(len, columns))
    assert len(set(whole.name_list())) == len(whole)
    first = len(columns[0])
    assert whole.dep_on[len(columns[0].dep_on) :].min() >= first
    assert [whole.loops[len(columns[0].loops)].begin] == [columns[1].loops[0].begin + first]


def test_one_long_block_is_equal() -> None:
    result = crosscheck(long_program("sunda", 1, 5000))
    assert result.equal, result.first_difference
    assert len(result.blocks) == 1
    assert result.blocks[0].instructions >= 5000
