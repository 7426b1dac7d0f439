"""``perfsim --explain --json`` carries slack and lives that add up, beside what it always said."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

from benches.cli.main import run
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of


@pytest.fixture
def perfsim(tmp_path, monkeypatch, capfd):
    """Runs ``kernbench perfsim`` on a document and gives standard output."""

    def call(document: dict, *options: str) -> str:
        path = tmp_path / "program.json"
        path.write_text(json.dumps(document))
        monkeypatch.setattr(sys, "argv", ["kernbench", "perfsim", str(path), *options])
        with pytest.raises(SystemExit) as left:
            run()
        assert left.value.code == 0
        return capfd.readouterr().out

    return call


def test_lives_add_up_to_the_ends_of_the_events(perfsim):
    for seed in range(12):
        document = random_program(random.Random(seed), instructions=40, arch="sunda")
        report = json.loads(perfsim(document, "--explain", "--events", "--json", "-"))
        for block in report["blocks"]:
            lives = block["explanation"]["lives"]
            assert [life["name"] for life in lives] == [event["name"] for event in block["events"]]
            for life, event in zip(lives, block["events"], strict=True):
                pieces = [w["ns"] for w in life["waits"]] + [life[f"{p}_ns"] for p in ("issue", "execution", "drain")]
                assert life["begin_ns"] + sum(pieces) == event["start"] + event["duration"]
            slack = {life["name"]: life["slack_ns"] for life in lives}
            assert [slack[name] for name in block["critical_path"]] == [0] * len(block["critical_path"])
            others = [ns for ns in slack.values() if ns]
            assert block["explanation"]["slack"] == {
                "zero": len(slack) - len(others),
                "smallest_nonzero_ns": min(others, default=None),
            }


def test_the_text_says_how_many_instructions_have_no_slack(perfsim):
    document = block_of(
        {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 1000},
        {"name": "cp", "opcode": "TensorCopy", "engine": "DVE", "cost": 300},
        {"name": "mm", "opcode": "Matmult", "engine": "PE", "cost": 500, "dependencies": ["ld"]},
    )
    out = perfsim(document, "--explain")
    assert "slack: 2 of 3 instructions have none, the least of the others is 1200 ns\n" in out


def test_without_explain_nothing_is_explained(perfsim):
    block = json.loads(perfsim(block_of({"name": "a", "opcode": "NoOp", "engine": "PE"}), "--json", "-"))["blocks"][0]
    assert "explanation" not in block


def test_events_of_collectives_say_when_they_were_ready(perfsim):
    document = block_of(
        {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 1000},
        {"name": "c0", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 30, "dependencies": ["ld"]},
        {"name": "c1", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 30, "stream_id": 1},
    )
    events = json.loads(perfsim(document, "--events", "--json", "-"))["blocks"][0]["events"]
    assert [event.get("ready") for event in events] == [None, {"at": 1000, "on": "ld"}, {"at": 0, "on": None}]


def test_three_real_kernels_are_explained_to_the_nanosecond(shared: Path, monkeypatch, capfd):
    for kernel in ("fused_fp32_s512", "fused_bf16_s512", "baseline_fp32_s512"):
        path = shared / "data" / "trn2-profiles" / f"{kernel}.json.gz"
        monkeypatch.setattr(sys, "argv", ["kernbench", "perfsim", str(path), "--explain", "--json", "-"])
        with pytest.raises(SystemExit):
            run()
        (block,) = json.loads(capfd.readouterr().out)["blocks"]
        lives = block["explanation"]["lives"]
        assert len(lives) == block["instructions"]
        ends = [
            life["begin_ns"]
            + sum(w["ns"] for w in life["waits"])
            + life["issue_ns"]
            + life["execution_ns"]
            + life["drain_ns"]
            for life in lives
        ]
        assert max(ends) == block["makespan_ns"]
