"""``kernbench perfsim``: what it prints, what it writes, what it refuses."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests.benches.cli.conftest import Call

TWO_OPS = """\
schema: kernbench.stream/1
name: two_ops
arch: gen3
functions:
- name: main
  blocks:
  - name: bb0
    instructions:
    - {name: ld, opcode: Load, engine: DMA,
       ins:  [{space: DRAM, partitions: 128, elements: 512, dtype: bfloat16}],
       outs: [{space: SB, partitions: 128, elements: 512, dtype: bfloat16, addr: 0}]}
    - {name: mm, opcode: Matmult, engine: PE, dependencies: [[ld, Flow]], source: "mm.py:7",
       ins:  [{space: SB, partitions: 128, elements: 512, dtype: bfloat16, addr: 0}],
       outs: [{space: PSUM, partitions: 128, elements: 512, dtype: float32, bank: 0}]}
    - {name: wait, opcode: NoOp, engine: SP}
"""


@pytest.fixture
def two_ops(tmp_path: Path) -> Path:
    path = tmp_path / "two_ops.yaml"
    path.write_text(TWO_OPS)
    return path


def test_the_json_holds_the_fields_that_others_rely_on(kernbench: Call, two_ops: Path) -> None:
    code, out, err = kernbench("perfsim", two_ops, "--events", "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    # Load: 1300 + ceil(128/16) * (2 * 512) // 23 = 1656; Matmult: 20 * (5 * 256 + 1000) // 120 = 380.
    load_ns, matmult_ns = 1300 + 8 * 1024 // 23, 380
    total_ns = load_ns + matmult_ns
    assert report["schema"] == "kernbench.perfsim/1"
    assert (report["program"], report["arch"], report["arch_version"], report["oracle"]) == (
        "two_ops",
        "gen3",
        30,
        "Gen3",
    )
    (block,) = report["blocks"]
    assert (block["function"], block["block"], block["instructions"]) == ("main", "bb0", 3)
    assert block["critical_path_ns"] == block["makespan_ns"] == block["critical_path_no_anti_ns"] == total_ns
    assert block["anti_dependency_slack"] == 1.0
    assert block["engines"]["PE"] == {
        "events": 1,
        "busy_ns": matmult_ns,
        "overlapped_ns": 0,
        "idle_ns": {"dependency": load_ns},
        "after_ns": 0,
    }
    assert block["events"][1] == {
        "name": "mm",
        "lane": 3,
        "start": load_ns,
        "duration": matmult_ns,
        "next_dispatch": total_ns - 100,
        "bound_by": {"cause": "dependency", "on": "ld"},
    }
    assert block["critical_path"] == ["ld", "mm"]
    assert report["whole_program_ns"] == total_ns
    assert report["metrics"] == {"backend::PostSchedEstLatency": total_ns}
    assert report["not_costed"] == {"NoOp": 1}
    assert sum(report["provenance"].values()) == pytest.approx(1.0, abs=1e-3)


def test_events_come_only_when_asked_for(kernbench: Call, two_ops: Path) -> None:
    report = json.loads(kernbench("perfsim", two_ops, "--json", "-")[1])
    assert "events" not in report["blocks"][0]
    assert "explanation" not in report["blocks"][0]


def test_the_explanation_sums_to_the_makespan_and_names_the_source_line(kernbench: Call, two_ops: Path) -> None:
    (block,) = json.loads(kernbench("perfsim", two_ops, "--explain", "--json", "-")[1])["blocks"]
    explanation = block["explanation"]
    assert sum(explanation["path_by_engine_ns"].values()) == block["makespan_ns"]
    assert sum(explanation["path_by_cause_ns"].values()) == block["makespan_ns"]
    assert explanation["path"][-1]["source"] == "mm.py:7"
    assert explanation["lower_bounds"]["busiest_engine"] == "DMA"


def test_the_table_shows_engines_causes_and_what_is_not_costed(kernbench: Call, two_ops: Path) -> None:
    code, out, _ = kernbench("perfsim", two_ops, "--explain", "--events")
    assert code == 0
    for text in (
        "two_ops on gen3 (Gen3 oracle)",
        "dependency on ld",
        "lower bounds: busiest engine DMA",
        "mm [mm.py:7]",
    ):
        assert text in out
    assert "not costed (0 ns): NoOp (1)" in out


def test_another_generation_and_other_costs_change_the_estimate(kernbench: Call, two_ops: Path) -> None:
    base = json.loads(kernbench("perfsim", two_ops, "--json", "-")[1])["whole_program_ns"]
    for options in (("--arch", "trn1"), ("--timing", "public")):
        report = json.loads(kernbench("perfsim", two_ops, *options, "--json", "-")[1])
        assert report["whole_program_ns"] != base


def test_traces_package_and_metrics_are_written(kernbench: Call, two_ops: Path, tmp_path: Path) -> None:
    folder, store = tmp_path / "traces", tmp_path / "metrics.json"
    code, _, _ = kernbench("perfsim", two_ops, "--trace-dir", folder, "--package", "--metrics", store)
    assert code == 0
    trace = folder / "perf_sim.two_ops.main.bb0.json"
    assert len(json.loads(trace.read_text())) == 11 + 3
    with tarfile.open(folder / "file.perf-sim") as package:
        assert package.getnames() == [trace.name]
    assert json.loads(store.read_text())["two_ops"]["backend"]["PostSchedEstLatency"] == 1300 + 8 * 1024 // 23 + 380


def test_the_measured_figures_beside_a_program_are_compared(kernbench: Call, repository: Path) -> None:
    kernel = repository / "benches/kernels/fused_attention_fp32_s512.yaml"
    measured = json.loads(kernbench("perfsim", kernel, "--json", "-")[1])["measured"]
    assert measured["measured_ns"] == 23119
    assert set(measured["engines"]) >= {"PE", "DVE", "Activation", "DMA"}
    assert "kernel window" in kernbench("perfsim", kernel)[1]


def test_all_four_profiles_give_an_estimate_beside_their_measurement(kernbench: Call, shared: Path) -> None:
    profiles = sorted((shared / "data/trn2-profiles").glob("*.json.gz"))
    assert len(profiles) == 4
    for profile in profiles:
        code, out, _ = kernbench("perfsim", profile, "--json", "-")
        report = json.loads(out)
        assert code == 0
        assert report["blocks"][0]["makespan_ns"] > 0
        assert report["measured"]["measured_ns"] > 0


def test_several_blocks_publish_the_last_and_add_up_with_their_trips(kernbench: Call, tmp_path: Path) -> None:
    path = tmp_path / "loops.yaml"
    path.write_text(
        """\
schema: kernbench.stream/1
name: loops
arch: gen3
modular_flow_runs: 2
functions:
- name: main
  blocks:
  - name: bb0
    instructions:
    - {name: a, opcode: Matmult, engine: PE, cost: 500}
    - name: outer
      opcode: Loop
      engine: Unassigned
      trip_count: 3
      body:
      - {name: b, opcode: Matmult, engine: PE, cost: 200}
      - name: inner
        opcode: Loop
        engine: Unassigned
        trip_count: 4
        body: [{name: c, opcode: Matmult, engine: PE, cost: 300}]
  - name: bb1
    instructions: [{name: d, opcode: Matmult, engine: PE, cost: 70}]
  - {name: empty}
"""
    )
    report = json.loads(kernbench("perfsim", path, "--json", "-")[1])
    # a 0..500, b 400..600, c 500..800. One trip of inner lasts 300; of outer 400 (b and one c) and 3 * 300 more.
    assert [b["whole_ns"] for b in report["blocks"]] == [800 + 3 * (400 + 900) - 400, 70, 0]
    assert report["whole_program_ns"] == 4300 + 70
    assert report["metrics"]["backend::PostSchedEstLatency"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--arch", "trn9"), 'unknown arch "trn9"'),
        (("--timing", "hvm"), "hvm"),
        (("--package",), "--package: needs --trace-dir"),
        (("--flat-metrics",), "--flat-metrics: needs --metrics"),
        (("--metrics", "-"), "-: standard output takes the JSON result alone"),
    ],
)
def test_a_wrong_option_ends_with_2_and_says_what_is_allowed(
    kernbench: Call, two_ops: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = kernbench("perfsim", two_ops, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_a_wrong_program_writes_nothing(kernbench: Call, two_ops: Path, tmp_path: Path) -> None:
    two_ops.write_text(TWO_OPS.replace("Matmult", "Matmul"))
    target = tmp_path / "result.json"
    code, out, err = kernbench("perfsim", two_ops, "--json", target, "--trace-dir", tmp_path / "t")
    assert (code, out) == (2, "")
    assert 'unknown opcode "Matmul"' in err
    assert err.startswith(f"{two_ops}:12:")
    assert not target.exists()
    assert not (tmp_path / "t").exists()


def test_unrolling_shows_the_steady_interval_and_what_a_single_trip_misses(kernbench: Call, tmp_path: Path) -> None:
    path = tmp_path / "loop.yaml"
    path.write_text(
        """\
schema: kernbench.stream/1
name: loop
arch: gen3
functions:
- name: main
  blocks:
  - name: bb0
    instructions:
    - name: l
      opcode: Loop
      engine: Unassigned
      trip_count: 10
      body:
      - {name: ld, opcode: Load, engine: DMA, cost: 2000}
      - {name: mm, opcode: Matmult, engine: PE, cost: 1000, dependencies: [ld]}
"""
    )
    report = json.loads(kernbench("perfsim", path, "--unroll", "--json", "-")[1])
    assert report["unroll"] == {
        "once_times_trips_ns": 30000,
        "unrolled_ns": 11100,
        "missed_ns": -18900,
        "loops": [
            {
                "function": "main",
                "block": "bb0",
                "name": "l",
                "trip_count": 10,
                "bottleneck": "PE",
                "prologue_ns": 2000,
                "interval_ns": 900,
                "steady_from": 0,
                "steady_ns": 8100,
                "epilogue_ns": 1000,
                "span_ns": 11100,
            }
        ],
    }
    assert report["whole_program_ns"] == 11100
    text = kernbench("perfsim", path, "--unroll")[1]
    assert "unrolled 11100 ns; one trip of each body times its trips 30000 ns misses -18900 ns" in text
    assert "unroll" not in json.loads(kernbench("perfsim", path, "--json", "-")[1])


def test_places_are_looked_at_before_anything_is_written(kernbench: Call, two_ops: Path, tmp_path: Path) -> None:
    store, nowhere = tmp_path / "m.json", tmp_path / "no/such.json"
    code, out, err = kernbench("perfsim", two_ops, "--metrics", store, "--json", nowhere)
    assert (code, out, err) == (2, "", f"{nowhere}: cannot be written: No such file or directory\n")
    assert not store.exists()
    code, out, err = kernbench("perfsim", two_ops, "--metrics", store, "--json", store)
    assert (code, out, err) == (2, "", f"--metrics {store}: is the file of --json too (allowed: a file for each)\n")
    assert not store.exists()
