"""``kernbench crosscheck``: its table, its JSON, its exit codes, and what it refuses."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import benches.crosscheck.check as check
from components.core.neuron_core import NeuronCoreParameters
from components.core.simulate import simulate_block
from tests.benches.cli.conftest import Call
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of

COUPLED = (
    {"name": "d", "opcode": "TensorTensor", "engine": "DVE", "cost": 300},
    {"name": "p", "opcode": "Memset", "engine": "Pool", "cost": 150},
)


@pytest.fixture
def write(tmp_path: Path):
    """Writes a document and gives its path."""

    def to(name: str, document: dict[str, Any]) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(document))
        return path

    return to


@pytest.fixture
def uncoupled_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that forgets the coupling of Pool and DVE."""

    def simulate(columns: Any, cost_ns: Any, parameters: NeuronCoreParameters, **options: Any) -> Any:
        return simulate_block(columns, cost_ns, parameters.model_copy(update={"coupled": False}), **options)

    monkeypatch.setattr(check, "simulate_block", simulate)


def test_equal_models_are_exit_code_0_and_a_line_per_block(kernbench: Call, write) -> None:
    document = block_of(*COUPLED, arch="sunda")
    document["functions"].append({"name": "second", "blocks": [{"name": "bb1", "instructions": [COUPLED[0]]}]})
    code, out, err = kernbench("crosscheck", write("a.json", document))
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert rows[0][:3] == ["program", "block", "instructions"]
    assert rows[1:] == [["p", "main/bb0", "2", "350", "350", "equal"], ["p", "second/bb1", "1", "300", "300", "equal"]]


def test_the_json_of_equal_models(kernbench: Call, write) -> None:
    path = write("a.json", block_of(*COUPLED, arch="sunda"))
    code, out, err = kernbench("crosscheck", path, "--json", "-")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "schema": "kernbench.crosscheck/1",
        "equal": True,
        "results": [
            {
                "program": "p",
                "file": str(path),
                "function": "main",
                "block": "bb0",
                "instructions": 2,
                "equal": True,
                "critical_path_ns": 350,
                "critical_path_no_anti_ns": 350,
                "makespan_ns": 350,
                "machine_critical_path_ns": 350,
                "machine_makespan_ns": 350,
                "first_difference": None,
            }
        ],
    }


@pytest.mark.usefixtures("uncoupled_machine")
def test_a_difference_is_exit_code_1_and_named_with_both_values_and_rules(kernbench: Call, write) -> None:
    path = write("a.json", block_of(*COUPLED, arch="sunda"))
    code, out, err = kernbench("crosscheck", path, "--json", "-")
    assert (code, err) == (1, "")
    report = json.loads(out)
    assert report["equal"] is False
    (block,) = report["results"]
    assert (block["equal"], block["critical_path_ns"], block["machine_critical_path_ns"]) == (False, 350, 300)
    assert block["first_difference"] == {
        "name": "p",
        "field": "start",
        "perfsim": 200,
        "machine": 0,
        "run": "with anti-dependencies",
        "bound_by": {"perfsim": {"cause": "band_coupling", "on": "d"}, "machine": {"cause": "none", "on": None}},
        "differing_instructions": 1,
    }


@pytest.mark.usefixtures("uncoupled_machine")
def test_a_difference_is_told_in_words_and_the_blocks_after_it_are_compared_too(kernbench: Call, write) -> None:
    document = block_of(*COUPLED, arch="sunda")
    document["functions"].append({"name": "second", "blocks": [{"name": "bb1", "instructions": [COUPLED[0]]}]})
    path = write("a.json", document)
    code, out, _ = kernbench("crosscheck", path)
    assert code == 1
    lines = out.splitlines()
    assert [line.split()[-1] for line in lines[1:3]] == ["DIFFERENT", "equal"]
    assert lines[3] == (
        f"{path}: main/bb0: p: start is 200 ns in PerfSim and 0 ns in the machine; its start is bound by band_coupling "
        "on d in PerfSim and by none in the machine (with anti-dependencies, instructions that differ: 1)"
    )


def test_all_problems_of_all_files_are_told_and_nothing_else(kernbench: Call, write, tmp_path: Path) -> None:
    good = write("good.json", block_of(*COUPLED))
    bad = write("bad.json", block_of({**COUPLED[0], "opcode": "Tensor"}, {**COUPLED[1], "cost": -1}))
    streams = {"opcode": "CollectiveCompute", "engine": "Pool", "cost": 10}
    refused = write(
        "cc.json", block_of({**streams, "name": "a", "stream_id": 2}, {**streams, "name": "b", "stream_id": 3})
    )
    missing, result = tmp_path / "missing.json", tmp_path / "result.json"
    code, out, err = kernbench("crosscheck", bad, good, refused, missing, "--json", result)
    assert (code, out) == (2, "")
    places = [line.split(": ")[0].removeprefix(str(tmp_path) + "/") for line in err.splitlines()]
    assert [place.split(":")[0] for place in places] == ["bad.json", "bad.json", "cc.json", "cc.json", "missing.json"]
    assert "instruction b: collective stream 3 has no bandwidth on gen3" in err
    assert not result.exists()


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("collective_reflow=overlap", "only PerfSim stretches collectives that overlap"),
        ("engine_order=off", "an engine of the machine always issues in order"),
        ("psum_banks=off", "a PSUM bank of the machine always makes its writers wait"),
    ],
)
def test_what_only_perfsim_has_is_refused(kernbench: Call, write, setting: str, reason: str) -> None:
    paths = [write(name, block_of(*COUPLED)) for name in ("a.json", "b.json")]
    assert kernbench("crosscheck", *paths, "--set", setting) == (
        2,
        "",
        f"{setting}: cannot be cross-checked: {reason} "
        "(allowed: cost, ring, overlap, coupling, barriers, collective_share, arch, timing)\n",
    )


def test_the_run_without_anti_dependencies_cannot_be_left_out(kernbench: Call, write) -> None:
    code, _, err = kernbench("crosscheck", write("a.json", block_of(*COUPLED)), "--set", "anti_deps=off")
    assert code == 2
    assert err.startswith("anti_deps=off: a cross-check always compares the runs with and without anti-dependencies")


def test_a_change_is_made_in_both_models(kernbench: Call, write) -> None:
    transfer = {"name": "x", "opcode": "DMACopy", "engine": "DMA", "cost": 2000}
    trigger = {"opcode": "DMATrigger", "engine": "SP", "queue": 10, "cost": 0}
    triggers = [{**trigger, "name": f"t{k}", "transfer": {**transfer, "name": f"x{k}"}} for k in range(6)]
    follower = {"name": "f", "opcode": "NoOp", "engine": "SP", "cost": 1000}
    path = write("a.json", block_of(*triggers, follower))

    def makespan(*settings: str) -> int:
        code, out, _ = kernbench("crosscheck", path, "--json", "-", *(w for s in settings for w in ("--set", s)))
        assert code == 0
        return int(json.loads(out)["results"][0]["makespan_ns"])

    # A transfer can follow another after 700 ns; the last of six ends at 5 * 700 + 2000 whatever the depth is.
    assert makespan() == 5500
    assert makespan("ring:10=1") == 5500
    assert makespan("overlap:dma=0") == 12000
    assert makespan("ring:10=1", "overlap:dma=0", "cost:DMA=0.5x") == 6000
    assert makespan("cost:DMA=2x", "ring:10=unbounded") == 5 * 2700 + 4000


def test_arch_and_timing_are_options_and_settings_alike(kernbench: Call, repository: Path) -> None:
    kernel = repository / "benches/kernels/fused_attention_fp32_s512.yaml"
    for left, right in (
        (("--arch", "trn3"), ("--set", "arch=trn3")),
        (("--timing", "public"), ("--set", "timing=public")),
    ):
        results = [kernbench("crosscheck", kernel, "--json", "-", *words) for words in (left, right)]
        assert results[0] == results[1]
        assert results[0][0] == 0
        assert results[0] != kernbench("crosscheck", kernel, "--json", "-")


@pytest.mark.parametrize(
    "words", [["--arch", "trn9"], ["--timing", "measured"], ["--set", "ring:13=1"], ["--set", "cost:name:zz=1"]]
)
def test_a_wrong_call_names_what_is_allowed(kernbench: Call, write, words: list[str]) -> None:
    code, out, err = kernbench("crosscheck", write("a.json", block_of(*COUPLED)), *words)
    assert (code, out) == (2, "")
    assert "allowed: " in err


def test_a_program_longer_than_the_machines_clock_is_refused(kernbench: Call, write) -> None:
    # 9,300 instructions of a thousand seconds, one after the other; 2**63 ps are 9,223,372 s.
    long = [{"name": f"n{k}", "opcode": "NoOp", "engine": "SP", "cost": 10**12} for k in range(9300)]
    code, out, err = kernbench("crosscheck", write("a.json", block_of(*long)))
    assert (code, out) == (2, "")
    assert "allowed: 9223372036854775.807 ns" in err


def test_unrolled_loops_are_compared_trip_by_trip(kernbench: Call, write) -> None:
    body = [{"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 2000}, {**COUPLED[0], "dependencies": ["ld"]}]
    loop = {"name": "loop", "opcode": "Loop", "engine": "Unassigned", "trip_count": 5, "body": body}
    path = write("a.json", block_of(loop, COUPLED[1]))
    code, out, _ = kernbench("crosscheck", path, "--unroll", "--json", "-")
    (block,) = json.loads(out)["results"]
    # The last of five loads ends at 4 * 700 + 2000.
    assert (code, block["equal"], block["instructions"], block["makespan_ns"]) == (0, True, 11, 5100)


def mutated(rng: random.Random, value: Any) -> Any:
    """``value`` with one of its parts replaced, dropped, or doubled."""
    odd: tuple[Any, ...] = (None, True, -1, 0, 7, 2**40, 2**70, 0.5, "", "PE", "i0", "Flow", [], {}, [[]], "\0")
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: mutated(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        if rng.random() < 0.1:
            return [*value[:at], value[at], *value[at:]]
        return [*value[:at], mutated(rng, value[at]), *value[at + 1 :]]
    return rng.choice(odd)


@pytest.mark.parametrize("command", ["crosscheck", "run"])
def test_an_odd_program_is_either_run_or_refused_with_its_name(kernbench: Call, write, command: str) -> None:
    codes = set()
    for seed in range(150):
        rng = random.Random(seed)
        document = random_program(rng, instructions=1 + seed % 8)
        for _ in range(1 + seed % 3):
            document = mutated(rng, document)
        path = write("odd.json", document)
        code, out, err = kernbench(command, path)
        assert code in (0, 2), (seed, err)
        assert all(line.startswith(str(path)) for line in err.splitlines()), (seed, err)
        assert (out == "") == (code == 2)
        codes.add(code)
    assert codes == {0, 2}
