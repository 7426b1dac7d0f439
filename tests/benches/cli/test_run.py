"""``kernbench run``: its JSON, its tables, its trace, and what it refuses."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benches.exact_ns import exact_ns, with_exact_times
from benches.run_report import trace
from benches.run_report.build import report_of
from benches.run_report.execute import MachineBlock, run_machine
from components.core.neuron_core import NeuronCoreParameters
from components.core.simulate import simulate_block
from simcore.perfsim.estimate import estimate
from tests.benches.cli.conftest import Call
from tests.benches.run_report.trace_checker import checked
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of, loaded

Write = Callable[[dict[str, Any]], Path]

INSTRUCTIONS = (
    {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 2000},
    {"name": "mm", "opcode": "Matmult", "engine": "PE", "cost": 300, "psum_writes": [0], "dependencies": ["ld"]},
    {"name": "cp", "opcode": "TensorCopy", "engine": "DVE", "cost": 150, "psum_writes": [0], "source": "k.py:9"},
    {"name": "on", "opcode": "NoOp", "engine": "SP"},
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a document and gives its path."""

    def to(document: dict[str, Any]) -> Path:
        path = tmp_path / "program.json"
        path.write_text(json.dumps(document))
        return path

    return to


def test_the_json_holds_the_fields_that_others_rely_on(kernbench: Call, write: Write) -> None:
    code, out, err = kernbench("run", write(block_of(*INSTRUCTIONS)), "--events", "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    # ld 0..2000; mm 2000..2300, next-dispatch and bank at 2200; cp 2200..2350.
    assert {k: v for k, v in report.items() if k not in ("blocks", "parts")} == {
        "schema": "kernbench.run/1",
        "program": "p",
        "arch": "gen3",
        "arch_version": 30,
        "oracle": "Gen3",
        "timing": "hwm",
        "memory": "ideal",
        "makespan_ns": 2350,
        "perfsim_ns": 2350,
        "difference_ns": 0,
        "attribution": {"dependency": 0, "psum_bank": 0, "execution": 0},
        "whole_program_ns": 2350,
        "provenance": {
            "documented": 0.0,
            "public": 0.0,
            "measured": 0.0,
            "fitted": 0.0,
            "assumed": 0.0,
            "given": 1.0,
            "not_costed": 0.0,
        },
        "not_costed": {"NoOp": 1},
        "notes": [],
    }
    assert report["parts"] == {
        "PE": {"requests": 1, "busy": 200, "wait": 0, "utilisation": 0.0851},
        "DMA": {"requests": 1, "busy": 700, "wait": 0, "utilisation": 0.2979},
        "DVE": {"requests": 1, "busy": 50, "wait": 0, "utilisation": 0.0213},
        "SP": {"requests": 1, "busy": 0, "wait": 0, "utilisation": 0.0},
        "psum0": {"requests": 2, "busy": 250, "wait": 2200, "utilisation": 0.1064},
    }
    (block,) = report["blocks"]
    assert (block["function"], block["block"], block["instructions"]) == ("main", "bb0", 4)
    assert (block["critical_path_ns"], block["makespan_ns"], block["perfsim_ns"], block["difference_ns"]) == (
        2350,
        2350,
        2350,
        0,
    )
    assert block["critical_path"] == ["ld", "mm", "cp"]
    assert block["events"][2] == {
        "name": "cp",
        "lane": 5,
        "start": 2200,
        "duration": 150,
        "next_dispatch": 2250,
        "bound_by": {"cause": "psum_bank", "on": "mm"},
    }
    assert block["parts"] == report["parts"]


ADDED = {"perfsim_ns", "difference_ns", "attribution", "parts"}


@pytest.mark.parametrize("seed", range(12))
def test_with_ideal_memory_every_block_is_what_perfsim_says(kernbench: Call, write: Write, seed: int) -> None:
    path = write(random_program(random.Random(seed), instructions=6 * seed))
    reports = [
        json.loads(kernbench(command, path, "--events", "--explain", "--json", "-")[1])
        for command in ("perfsim", "run")
    ]
    perfsim, machine = reports
    assert [{k: v for k, v in block.items() if k not in ADDED} for block in machine["blocks"]] == perfsim["blocks"]
    for field in (
        "program",
        "arch",
        "arch_version",
        "oracle",
        "timing",
        "whole_program_ns",
        "provenance",
        "not_costed",
    ):
        assert machine[field] == perfsim[field]
    assert machine["difference_ns"] == 0
    assert all(ns == 0 for ns in machine["attribution"].values())
    assert machine["makespan_ns"] == sum(block["makespan_ns"] for block in machine["blocks"])
    for name, part in machine["parts"].items():
        own = [block["parts"][name] for block in machine["blocks"] if name in block["parts"]]
        assert [part[k] for k in ("requests", "busy", "wait")] == [
            sum(p[k] for p in own) for k in ("requests", "busy", "wait")
        ]


@pytest.mark.parametrize("profile", ["fused_bf16_s512", "baseline_fp32_s1024"])
def test_a_real_profile_takes_as_long_as_perfsim_says(kernbench: Call, shared: Path, profile: str) -> None:
    code, out, _ = kernbench("run", shared / f"data/trn2-profiles/{profile}.json.gz", "--json", "-")
    report = json.loads(out)
    assert code == 0
    assert report["makespan_ns"] == report["perfsim_ns"] > 10_000


def test_tables_show_the_difference_the_parts_and_what_the_numbers_rest_on(kernbench: Call, write: Write) -> None:
    code, out, err = kernbench("run", write(block_of(*INSTRUCTIONS)), "--explain", "--events")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "p on gen3, simulated (Gen3 oracle, ideal memory)"
    assert "machine 2350 ns, PerfSim 2350 ns: equal" in lines
    assert ["psum0", "2", "250", "10.6%", "2200"] in [line.split() for line in lines]
    assert "cp [k.py:9]" in out
    assert "critical path by what ended each piece: dependency 2000 ns (85%)" in out
    assert ["cp", "DVE", "2200", "150", "2250", "psum_bank", "on", "mm"] in [line.split() for line in lines]
    assert lines[-1] == "not costed (0 ns): NoOp (1)"


def test_several_blocks_are_shown_one_by_one_and_together(kernbench: Call, write: Write) -> None:
    document = block_of(*INSTRUCTIONS[:3])
    loop = {"name": "loop", "opcode": "Loop", "engine": "Unassigned", "trip_count": 3, "body": [INSTRUCTIONS[0]]}
    document["functions"].append({"name": "f", "blocks": [{"name": "bb1", "instructions": [loop]}]})
    path = write(document)
    report = json.loads(kernbench("run", path, "--json", "-")[1])
    assert [block["makespan_ns"] for block in report["blocks"]] == [2350, 2000]
    assert (report["makespan_ns"], report["perfsim_ns"], report["whole_program_ns"]) == (4350, 4350, 8350)
    assert report["parts"]["DMA"] == {"requests": 2, "busy": 1400, "wait": 0, "utilisation": 0.3218}
    out = kernbench("run", path)[1]
    for line in ("block main/bb0", "block f/bb1", "all blocks", "machine 4350 ns, PerfSim 4350 ns: equal"):
        assert line in out.splitlines()
    assert "whole program with all trips: 8350 ns" in out


def test_unrolled_loops_run_every_trip_and_are_the_same_in_both_models(kernbench: Call, write: Write) -> None:
    body = [INSTRUCTIONS[0], INSTRUCTIONS[1]]
    loop = {"name": "loop", "opcode": "Loop", "engine": "Unassigned", "trip_count": 4, "body": body}
    path = write(block_of(loop))
    once, unrolled = (json.loads(kernbench("run", path, *words, "--json", "-")[1]) for words in ((), ("--unroll",)))
    perfsim = json.loads(kernbench("perfsim", path, "--unroll", "--json", "-")[1])
    assert "unroll" not in once
    # A load follows another after 700 ns; the last of four ends at 4100, and its matmult at 4400.
    assert (once["makespan_ns"], unrolled["makespan_ns"], unrolled["perfsim_ns"]) == (2300, 4400, 4400)
    assert unrolled["unroll"] == perfsim["unroll"]
    assert unrolled["unroll"]["once_times_trips_ns"] == once["whole_program_ns"] == 4 * 2300
    assert "unrolled 4400 ns" in kernbench("run", path, "--unroll")[1]


def slower(block: MachineBlock, **changes: Any) -> MachineBlock:
    """The block again, on a core with other parameters."""
    core = block.core.model_copy(update=changes)
    schedule = simulate_block(block.columns, block.costs.total_ns, core)
    return replace(block, core=core, schedule=schedule)


def test_a_difference_is_attributed_to_causes_that_sum_to_it() -> None:
    analytic = estimate(loaded(block_of(*INSTRUCTIONS)))
    (block,) = run_machine(analytic)
    late = slower(block, semaphore_latency_ns=40)
    report = report_of([late], [late], analytic, analytic, events=False, explain=True)
    assert (report.makespan_ns, report.perfsim_ns, report.difference_ns) == (2390, 2350, 40)
    assert report.attribution == {"dependency": 40, "psum_bank": 0, "execution": 0}
    assert report.blocks[0].attribution == report.attribution


def test_a_faster_machine_has_a_negative_difference() -> None:
    analytic = estimate(loaded(block_of(*INSTRUCTIONS)))
    (block,) = run_machine(analytic)
    fast = slower(block, compute_overlap_ns=250)
    report = report_of([fast], [fast], analytic, analytic, events=False, explain=False)
    # cp may follow mm after 50 ns, and mm then ends last.
    assert (report.difference_ns, sum(report.attribution.values())) == (-50, -50)


@pytest.mark.parametrize("seed", range(30))
def test_attributions_of_any_program_sum_to_the_difference(seed: int) -> None:
    analytic = estimate(loaded(random_program(random.Random(seed), instructions=40)))
    blocks = run_machine(analytic)
    others = [slower(b, semaphore_latency_ns=7, compute_overlap_ns=60, ring_depths={10: 1, 12: 1}) for b in blocks]
    report = report_of(others, others, analytic, analytic, events=False, explain=False)
    assert sum(report.attribution.values()) == report.difference_ns == report.makespan_ns - report.perfsim_ns
    for block in report.blocks:
        assert sum(block.attribution.values()) == block.difference_ns == block.makespan_ns - block.perfsim_ns


def test_a_fraction_of_a_nanosecond_is_an_exact_decimal_number(kernbench: Call) -> None:
    analytic = estimate(loaded(block_of(*INSTRUCTIONS)))
    (block,) = run_machine(analytic)
    s = block.schedule
    third = {name: getattr(s, name) * 1001 // 1000 for name in ("start", "duration", "next_dispatch")}
    odd = replace(block, schedule=replace(s, **third))
    report = report_of([odd], [odd], analytic, analytic, events=True, explain=False)
    text = bytes(with_exact_times(report)).decode()
    assert '"makespan_ns":2352.35,"perfsim_ns":2350,"difference_ns":2.35' in text
    assert '"start":2202.2,"duration":150.15,"next_dispatch":2252.25' in text
    parsed = json.loads(text, parse_float=Decimal)
    assert sum(parsed["attribution"].values()) == Decimal("2.35")


@pytest.mark.parametrize(
    ("ticks", "text"),
    [(0, "0"), (1000, "1"), (1, "0.001"), (-1500, "-1.5"), (2**63 - 1, "9223372036854775.807"), (10**18, str(10**15))],
)
def test_times_are_written_exactly(ticks: int, text: str) -> None:
    assert bytes(with_exact_times([exact_ns(ticks, 1000)])) == b"[%s]" % text.encode()
    assert msgspec.json.decode(bytes(with_exact_times(exact_ns(ticks, 1000)))) == pytest.approx(ticks / 1000)


def test_the_trace_is_that_of_the_run(kernbench: Call, write: Write, tmp_path: Path) -> None:
    path = write(block_of(*INSTRUCTIONS))
    code, _, err = kernbench("run", path, "--trace", tmp_path / "t.json", "--json", "-")
    assert (code, err) == (0, "")
    drawn = checked(tmp_path / "t.json")
    assert drawn.other["program"] == "p"
    assert [(s["name"], s["ts"] * 1000, s["dur"] * 1000) for s in drawn.slices] == [
        ("ld", 0, 2000),
        ("mm", 2000, 300),
        ("cp", 2200, 150),
        ("on", 0, 0),
    ]
    assert drawn.arrows == {(1, "ld", "mm", "Flow")}


def test_a_trace_of_several_files_is_announced(
    kernbench: Call, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "write_trace", partial(trace.write_trace, most_records=25))
    many = ({**INSTRUCTIONS[3], "name": f"n{k}"} for k in range(20))
    path = write(block_of(*INSTRUCTIONS[:3], *many))
    code, _, err = kernbench("run", path, "--trace", tmp_path / "t.json")
    assert code == 0
    assert err == f"the trace fills 2 files: {tmp_path}/t.json, {tmp_path}/t.json.2\n"
    assert len(checked(tmp_path / "t.json").slices) + len(checked(tmp_path / "t.json.2").slices) == 23


def test_a_trace_that_cannot_be_written_is_exit_code_2_without_a_result(
    kernbench: Call, write: Write, tmp_path: Path
) -> None:
    target = tmp_path / "no" / "such" / "t.json"
    code, out, err = kernbench("run", write(block_of(*INSTRUCTIONS)), "--trace", target, "--json", tmp_path / "r.json")
    assert (code, out) == (2, "")
    assert err.startswith(f"{target}: cannot be written")
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--memory", "fabrics"], '--memory: unknown memory "fabrics" (allowed: ideal, fabric'),
        (["--arch", "trn7"], 'unknown arch "trn7" (allowed: inferentia, sunda, gen3, core_v4, trn1, trn2, trn3'),
        (["--timing", "hw"], '"hw"'),
    ],
)
def test_a_wrong_call_names_what_is_allowed(kernbench: Call, write: Write, words: list[str], message: str) -> None:
    code, out, err = kernbench("run", write(block_of(*INSTRUCTIONS)), *words)
    assert (code, out) == (2, "")
    assert message in err


def test_a_stream_without_bandwidth_is_the_programs_fault(kernbench: Call, write: Write) -> None:
    collective = {"name": "c", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 10, "stream_id": 2}
    path = write(block_of(collective))
    code, out, err = kernbench("run", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"{path}: instruction c: collective stream 2 has no bandwidth on gen3")


def test_an_empty_program_runs(kernbench: Call, write: Write) -> None:
    head = {"schema": "kernbench.stream/1", "name": "p", "arch": "gen3"}
    report = json.loads(kernbench("run", write({**head, "functions": []}), "--json", "-")[1])
    assert (report["makespan_ns"], report["attribution"], report["parts"], report["blocks"]) == (0, {}, {}, [])
    report = json.loads(kernbench("run", write(block_of()), "--json", "-")[1])
    assert (report["makespan_ns"], report["attribution"], report["parts"]) == (0, {}, {})


def test_the_core_of_a_generation_is_what_runs() -> None:
    (block,) = run_machine(estimate(loaded(block_of(*INSTRUCTIONS, arch="sunda"))))
    assert block.core == NeuronCoreParameters.of_generation("sunda", 20)
