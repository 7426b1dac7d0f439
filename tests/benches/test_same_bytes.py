"""The same input gives the same bytes: in fresh processes, whatever the hash seed, and in a second run."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reference.random_programs import random_program

SEEDS = ("0", "1", "12345", "0")
"""The last repeats the first: two runs under one seed."""

PROGRAM = """if True:
    import sys
    from pathlib import Path
    from benches.cli.main import run

    out, *programs = sys.argv[1:]
    for number, program in enumerate(programs):
        for command, *options in (
            ("run", "--events", "--explain", "--json"),
            ("run", "--trace"),
            ("crosscheck", "--json"),
            ("perfsim", "--events", "--explain", "--json"),
        ):
            sys.argv = ["kernbench", command, program, *options, f"{out}/{number}.{command}.{options[-1][2:]}"]
            try:
                run()
            except SystemExit as leave:
                assert leave.code == 0, sys.argv
"""
"""Writes every output of every program into a folder, and the tables to standard output."""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory, repository: Path, shared: Path) -> list[dict[str, bytes]]:
    """The content of every output, by name, of one fresh process per seed."""
    home = tmp_path_factory.mktemp("programs")
    programs = [
        repository / "benches/kernels/fused_attention_fp32_s512.yaml",
        shared / "data/trn2-profiles/fused_bf16_s512.json.gz",
    ]
    for seed, arch in enumerate(("sunda", "core_v4", "inferentia")):
        programs.append(home / f"random-{arch}.json")
        programs[-1].write_text(json.dumps(random_program(random.Random(seed), instructions=150, arch=arch)))
    found = []
    for k, seed in enumerate(SEEDS):
        out = home / f"out{k}"
        out.mkdir()
        arguments = [sys.executable, "-c", PROGRAM, str(out), *map(str, programs)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(arguments, cwd=repository, env=environment, capture_output=True, check=True)
        content = {path.name: path.read_bytes() for path in sorted(out.iterdir())}
        found.append({**content, "tables": done.stdout, "errors": done.stderr})
    return found


def test_every_output_is_there_and_says_something(outputs: list[dict[str, bytes]]) -> None:
    (first, *_) = outputs
    kinds = ("crosscheck.json", "perfsim.json", "run.json", "run.trace")
    assert sorted(first) == sorted([f"{n}.{kind}" for n in range(5) for kind in kinds] + ["errors", "tables"])
    for name, content in first.items():
        if name == "errors":
            assert content == b""
        elif name == "tables":
            assert content.count(b"PerfSim") >= 5
        else:
            assert json.loads(content)


@pytest.mark.parametrize("other", [1, 2, 3])
def test_hash_seeds_and_repeated_runs_change_no_byte(outputs: list[dict[str, bytes]], other: int) -> None:
    first, second = outputs[0], outputs[other]
    assert [name for name in first if first[name] != second[name]] == []
