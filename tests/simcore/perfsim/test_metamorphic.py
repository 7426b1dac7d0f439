"""What must not change, or must change in one direction only, whatever the program."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest

from simcore.perfsim.options import PerfSimOptions
from tests.reference.random_programs import FEATURES, random_program
from tests.simcore.perfsim.blocks import loaded, rows, scheduled

SEEDS = range(120)


def instructions_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Every instruction of a document, transfers and loop bodies included."""
    found: list[dict[str, Any]] = []
    stack = [i for f in document["functions"] for b in f["blocks"] for i in b["instructions"]]
    while stack:
        instruction = stack.pop()
        found.append(instruction)
        stack += instruction.get("body") or []
        if instruction.get("transfer"):
            stack.append(instruction["transfer"])
    return found


def producer_of(dependency: str | list[Any]) -> str:
    """The producer's name. All entries of one pair are one edge, of the greatest kind."""
    return dependency if isinstance(dependency, str) else str(dependency[0])


@pytest.mark.parametrize("factor", [2, 3, 8])
def test_scaling_all_costs_and_windows_scales_every_time(factor: int) -> None:
    """Factors that the collective shares divide evenly: all costs are made multiples of 12 first."""
    for seed in SEEDS:
        rng = random.Random(seed)
        document = random_program(rng, instructions=40)
        for instruction in instructions_of(document):
            if "cost" in instruction:
                instruction["cost"] *= 12
        scaled = copy.deepcopy(document)
        for instruction in instructions_of(scaled):
            if "cost" in instruction:
                instruction["cost"] *= factor
        small, large = loaded(document), loaded(scaled)
        windows = PerfSimOptions(compute_overlap_ns=100 * factor, dma_overlap_ns=1300 * factor)
        for (_, a), (_, b) in zip(small.blocks, large.blocks, strict=True):
            one, other = scheduled(small, a), scheduled(large, b, options=windows)
            assert np.array_equal(one.start * factor, other.start)
            assert np.array_equal(one.next_dispatch * factor, other.next_dispatch)


def test_a_disjoint_program_beside_it_changes_nothing() -> None:
    """Another lane, no shared bank, no edge: every event keeps its times."""
    for seed in SEEDS:
        rng = random.Random(seed)
        document = random_program(rng, instructions=40, arch="gen3", features=FEATURES - {"barriers"})
        wider = copy.deepcopy(document)
        other_lane = {"name": "beside", "opcode": "NoOp", "engine": "Unassigned", "cost": 777}
        used = {i["engine"] for i in instructions_of(document) if i["opcode"] != "Loop"}
        if "Unassigned" in used or "ALL" in used:
            continue
        for function in wider["functions"]:
            for block in function["blocks"]:
                for k in range(3):
                    place = rng.randint(0, len(block["instructions"]))
                    block["instructions"].insert(place, {**other_lane, "name": f"beside{k}"})
        before, after = loaded(document), loaded(wider)
        for (_, a), (_, b) in zip(before.blocks, after.blocks, strict=True):
            kept = [row for row in rows(b, scheduled(after, b)) if not row[0].startswith("beside")]
            assert kept == rows(a, scheduled(before, a))


def test_removing_an_edge_never_delays_a_start_without_psum_writers_on_new_chips() -> None:
    removed = 0
    for seed in SEEDS:
        rng = random.Random(seed)
        document = random_program(rng, instructions=40, arch="gen3")
        document.pop("arch_version", None)
        for instruction in instructions_of(document):
            for key in ("psum_writes", "psum_reads", "psum_writer", "ins", "outs"):
                instruction.pop(key, None)
        with_edges = [i for i in instructions_of(document) if i.get("dependencies")]
        if not with_edges:
            continue
        before = loaded(document)
        starts = [scheduled(before, b).start for _, b in before.blocks]
        chosen = rng.choice(with_edges)
        producer = producer_of(rng.choice(chosen["dependencies"]))
        chosen["dependencies"] = [d for d in chosen["dependencies"] if producer_of(d) != producer]
        after = loaded(document)
        for (_, block), start in zip(after.blocks, starts, strict=True):
            assert np.all(scheduled(after, block).start <= start)
        removed += 1
    assert removed > 100


def test_deeper_rings_and_fewer_constraints_never_delay_a_start_without_psum_writers() -> None:
    for seed in SEEDS:
        rng = random.Random(seed)
        document = random_program(rng, instructions=40, arch="core_v4")
        for instruction in instructions_of(document):
            for key in ("psum_writes", "psum_reads", "psum_writer", "ins", "outs"):
                instruction.pop(key, None)
        program = loaded(document)
        for _, block in program.blocks:
            tight = scheduled(program, block, options=PerfSimOptions(ring_depths={q: 1 for q in range(13)}))
            deeper = scheduled(program, block, options=PerfSimOptions(ring_depths={q: 3 for q in range(13)}))
            free = scheduled(program, block, options=PerfSimOptions(ring_depths={q: None for q in range(13)}))
            assert np.all(deeper.start <= tight.start)
            assert np.all(free.start <= deeper.start)
            loose = PerfSimOptions(engine_order=False, barriers=False, ring_depths={q: None for q in range(13)})
            assert np.all(scheduled(program, block, options=loose).start <= free.start)
