"""``run --trace``: what is drawn, that a viewer can read it, how it is split, and that it is written whole or not."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from benches.run_report.execute import MachineBlock, run_machine
from benches.run_report.trace import write_trace
from benches.run_report.trace.tracks import tracks_of
from simcore.errors import InputError
from simcore.perfsim.estimate import estimate
from tests.benches.run_report.trace_checker import checked
from tests.reference.plain_program import every_instruction
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of, loaded

Document = Mapping[str, Any]
STRENGTH = ("Invalid", "Ordered", "Anti", "Output", "Flow")

LOAD = {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 2000}
MATMULT = {"name": "mm", "opcode": "Matmult", "engine": "PE", "cost": 300, "dependencies": ["ld"], "source": "k.py:7"}


def run(document: Document) -> list[MachineBlock]:
    return run_machine(estimate(loaded(document)))


def expected_arrows(document: Document) -> set[tuple[int, str, str, str]]:
    """Every edge inside a region with its strongest kind, and every trigger with its transfer."""
    arrows = set()
    blocks = [block for function in document["functions"] for block in function["blocks"]]
    for pid, block in enumerate(blocks, start=1):
        instructions = list(every_instruction(block["instructions"]))
        region = {i["name"]: i.get("region", 0) for i in instructions}
        loops = {i["name"] for i in instructions if i["opcode"] == "Loop"}
        for i in instructions:
            kinds: dict[str, str] = {}
            for dependency in i["dependencies"] if i["opcode"] != "Loop" else ():
                name, kind = (dependency, "Flow") if isinstance(dependency, str) else dependency
                kind = STRENGTH[kind] if isinstance(kind, int) else kind
                if region[name] == region[i["name"]] and name not in loops:
                    kinds[name] = max(kind, kinds.get(name, kind), key=STRENGTH.index)
            if i["name"].endswith(".x"):
                kinds.setdefault(i["name"].removesuffix(".x"), "Trigger")
            arrows |= {(pid, producer, i["name"], kind) for producer, kind in kinds.items()}
    return arrows


def test_two_instructions_are_two_slices_and_an_arrow(tmp_path: Path) -> None:
    assert write_trace(tmp_path / "t.json", "p", run(block_of(LOAD, MATMULT))) == [tmp_path / "t.json"]
    trace = checked(tmp_path / "t.json")
    assert trace.other == {
        "program": "p",
        "file": 1,
        "files": 1,
        "arrows_between_files": 0,
        "arrows_back_in_time": 0,
    }
    assert trace.processes == {1: "main/bb0"}
    assert trace.threads == {(1, 1): "PE", (1, 2): "DMA"}
    assert [r for r in trace.records if r["ph"] != "M"] == [
        {
            "name": "ld",
            "cat": "Load",
            "ph": "X",
            "ts": 0,
            "dur": 2,
            "pid": 1,
            "tid": 2,
            "args": {
                "index": 0,
                "opcode": "Load",
                "start_ns": 0,
                "duration_ns": 2000,
                "next_dispatch_ns": 700,
                "bound_by": {"cause": "none", "on": None},
                "dependencies": [],
            },
        },
        {"name": "Flow", "cat": "dependency", "ph": "s", "id": 1, "ts": Decimal("1.999"), "pid": 1, "tid": 2},
        {
            "name": "mm",
            "cat": "Matmult",
            "ph": "X",
            "ts": 2,
            "dur": Decimal("0.3"),
            "pid": 1,
            "tid": 1,
            "args": {
                "index": 1,
                "opcode": "Matmult",
                "source": "k.py:7",
                "start_ns": 2000,
                "duration_ns": 300,
                "next_dispatch_ns": 2200,
                "bound_by": {"cause": "dependency", "on": "ld"},
                "dependencies": [["ld", "Flow"]],
            },
        },
        {"name": "Flow", "cat": "dependency", "ph": "f", "bp": "e", "id": 1, "ts": 2, "pid": 1, "tid": 1},
    ]


@pytest.mark.parametrize("part", range(3))
def test_a_viewer_can_read_the_trace_of_any_program_and_finds_every_dependency(part: int, tmp_path: Path) -> None:
    """Every arrow of the program is there, but for those that would go back in time, which are counted."""
    for seed in range(part * 40, part * 40 + 40):
        document = random_program(random.Random(seed), instructions=1 + seed)
        blocks = run(document)
        write_trace(tmp_path / "t.json", "p", blocks)
        trace = checked(tmp_path / "t.json")
        names = [(pid, n) for pid, b in enumerate(blocks, start=1) for n in b.columns.name_list()]
        assert [(s["pid"], s["name"]) for s in trace.slices] == names
        expected = expected_arrows(document)
        assert trace.arrows <= expected
        assert len(expected - trace.arrows) == trace.other["arrows_back_in_time"]
        starts = {(s["pid"], s["name"]): s["ts"] for s in trace.slices}
        assert all(
            starts[pid, consumer] < starts[pid, producer] for pid, producer, consumer, _ in expected - trace.arrows
        )


def test_overlapping_instructions_of_one_lane_are_on_tracks_of_their_own(tmp_path: Path) -> None:
    loads = [{**LOAD, "name": f"l{k}"} for k in range(5)]
    write_trace(tmp_path / "t.json", "p", run(block_of(*loads)))
    trace = checked(tmp_path / "t.json")
    # Each lasts 2,000 ns and the next follows after 700 ns: three at a time.
    assert trace.threads == {(1, 1): "DMA", (1, 2): "DMA (2)", (1, 3): "DMA (3)"}
    assert [s["tid"] for s in trace.slices] == [1, 2, 3, 1, 2]


def test_an_arrow_leaves_where_its_edge_is_released(tmp_path: Path) -> None:
    transfer = {"name": "x", "opcode": "DMACopy", "engine": "DMA", "cost": 2000}
    trigger = {"name": "t", "opcode": "DMATrigger", "engine": "SP", "queue": 1, "cost": 50, "transfer": transfer}
    ordered = {**MATMULT, "name": "o", "dependencies": [["ld", "Ordered"]]}
    started = {"name": "a", "opcode": "Activation", "engine": "Activation", "cost": 10, "dependencies": ["t"]}
    free = {"name": "z", "opcode": "NoOp", "engine": "SP", "cost": 0}
    after = {"name": "y", "opcode": "NoOp", "engine": "SP", "cost": 0, "dependencies": ["z"]}
    write_trace(tmp_path / "t.json", "p", run(block_of(LOAD, trigger, ordered, started, free, after)))
    trace = checked(tmp_path / "t.json")
    assert trace.arrows == {
        (1, "ld", "o", "Ordered"),
        (1, "t", "x", "Trigger"),
        (1, "t", "a", "Flow"),
        (1, "z", "y", "Flow"),
    }
    leaves = {record["id"]: record["ts"] for record in trace.records if record["ph"] == "s"}
    assert sorted(leaves.values()) == [0, 0, Decimal("0.05"), Decimal("0.7")]


def test_a_collective_that_lets_others_go_before_it_starts_has_no_arrow_to_them(tmp_path: Path) -> None:
    collective = {"opcode": "CollectiveCompute", "engine": "Pool", "cost": 3000, "stream_id": 0}
    instructions = [
        LOAD,
        {**collective, "name": "c0"},
        {**collective, "name": "c1", "dependencies": ["ld"]},
        {"name": "p", "opcode": "Memset", "engine": "Pool", "cost": 10, "dependencies": [["c1", "Ordered"]]},
    ]
    write_trace(tmp_path / "t.json", "p", run(block_of(*instructions)))
    trace = checked(tmp_path / "t.json")
    assert trace.arrows == {(1, "ld", "c1", "Flow")}
    assert trace.other["arrows_back_in_time"] == 1


def test_a_fraction_of_a_nanosecond_is_written_exactly(tmp_path: Path) -> None:
    (block,) = run(block_of({**LOAD, "cost": 2001}, MATMULT))
    s = block.schedule
    half = replace(s, start=s.start // 2, duration=s.duration // 2, next_dispatch=s.next_dispatch // 2)
    write_trace(tmp_path / "t.json", "p", [replace(block, schedule=half)])
    load, matmult = checked(tmp_path / "t.json").slices
    assert (load["dur"], matmult["ts"], matmult["dur"]) == (Decimal("1.0005"), Decimal("1.0005"), Decimal("0.15"))
    assert (load["args"]["duration_ns"], matmult["args"]["start_ns"]) == (Decimal("1000.5"), Decimal("1000.5"))


def test_an_empty_program_and_an_empty_block_have_a_trace(tmp_path: Path) -> None:
    write_trace(tmp_path / "a.json", "p", [])
    assert checked(tmp_path / "a.json").records == []
    write_trace(tmp_path / "b.json", "p", run(block_of()))
    assert checked(tmp_path / "b.json").processes == {1: "main/bb0"}


@pytest.mark.parametrize("most", [60, 200, 500])
def test_a_long_trace_is_split_and_every_file_can_be_read_alone(most: int, tmp_path: Path) -> None:
    rng = random.Random(5)
    document = random_program(rng, instructions=200, arch="core_v4")
    while len(document["functions"]) == 1 and len(document["functions"][0]["blocks"]) == 1:
        document = random_program(rng, instructions=200, arch="core_v4")
    blocks = run(document)
    paths = write_trace(tmp_path / "t.json", "p", blocks, most_records=most)
    assert [path.name for path in paths] == ["t.json", *(f"t.json.{k}" for k in range(2, len(paths) + 1))]
    assert len(paths) > 1
    traces = [checked(path) for path in paths]
    assert max(len(trace.records) for trace in traces) <= most
    assert all(trace.slices for trace in traces)
    slices = [(s["pid"], s["name"]) for trace in traces for s in trace.slices]
    assert slices == [(pid, n) for pid, b in enumerate(blocks, start=1) for n in b.columns.name_list()]
    assert [(t.other["file"], t.other["files"]) for t in traces] == [(k + 1, len(paths)) for k in range(len(paths))]
    arrows: set[tuple[int, str, str, str]] = set()
    for trace in traces:
        arrows |= trace.arrows
    whole = write_trace(tmp_path / "whole.json", "p", blocks)
    left_out = sum(t.other["arrows_between_files"] for t in traces)
    assert len(checked(whole[0]).arrows - arrows) == left_out > 0
    assert sum(len(trace.arrows) for trace in traces) == len(arrows)


def test_no_file_reaches_a_million_records() -> None:
    from benches.run_report.trace.write import MOST_RECORDS

    assert MOST_RECORDS < 1_000_000


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    (tmp_path / "t.json.2").mkdir()
    loads = [{**LOAD, "name": f"l{k}"} for k in range(50)]
    with pytest.raises(InputError, match=r"t\.json\.2: is a folder"):
        write_trace(tmp_path / "t.json", "p", run(block_of(*loads)), most_records=30)
    assert [path.name for path in tmp_path.iterdir()] == ["t.json.2"]


def test_a_track_is_the_lowest_that_is_free(tmp_path: Path) -> None:
    barriers = [
        {"name": f"b{k}", "opcode": "AllEngineBarrier", "engine": "ALL", "cost": c} for k, c in enumerate((9, 3, 5))
    ]
    late = {"name": "late", "opcode": "AllEngineBarrier", "engine": "ALL", "cost": 1, "dependencies": ["b1"]}
    (block,) = run(block_of(*barriers, late))
    tracks = tracks_of(block.schedule)
    assert tracks.tid.tolist() == [1, 2, 3, 2]
    assert tracks.names == ["ALL", "ALL (2)", "ALL (3)"]
