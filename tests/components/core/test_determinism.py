"""The same program gives the same log, byte for byte, in any process, in any order of keys, and again."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from components.core.neuron_core import NeuronCoreParameters
from components.core.simulate import simulate_block
from simcore.kernel import Row
from tests.components.core.log_of_programs import documents, parameters_of, told, values_of
from tests.simcore.perfsim.blocks import loaded

EVERY = pytest.mark.parametrize("document", documents(), ids=lambda document: document["arch"])


def test_fresh_processes_of_different_hash_seeds_tell_the_same(repository: Path):
    printed = []
    for seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.components.core.log_of_programs"],
            cwd=repository,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        printed.append(done.stdout)
    assert printed[0].count(b"\n") > 1000
    assert printed[1] == printed[0]
    assert printed[2] == printed[0]


@EVERY
def test_a_second_run_in_one_process_tells_the_same(document: dict[str, Any]):
    program = loaded(document)
    assert told(program) == told(program)


@EVERY
def test_the_order_of_keys_in_the_program_does_not_matter(document: dict[str, Any]):
    assert told(loaded(_shuffled(document, random.Random(5)))) == told(loaded(document))


@EVERY
def test_the_order_of_keys_in_the_parameters_does_not_matter(document: dict[str, Any]):
    program = loaded(document)
    given = parameters_of(program).model_dump()
    turned = {key: given[key] for key in reversed(given)}
    turned["ring_depths"] = dict(reversed(given["ring_depths"].items()))
    for _, block in program.blocks:
        logs: list[list[Row]] = [[], []]
        schedules = [
            simulate_block(block.columns, block.columns.cost_ns, NeuronCoreParameters(**p), log=log)
            for p, log in zip((given, turned), logs, strict=True)
        ]
        assert logs[0] == logs[1]
        assert values_of(schedules[0]) == values_of(schedules[1])


@EVERY
def test_the_names_of_instructions_do_not_matter(document: dict[str, Any]):
    renamed = loaded(_renamed(document))
    for (_, block), (log, values) in zip(renamed.blocks, told(loaded(document)), strict=True):
        other: list[Row] = []
        schedule = simulate_block(block.columns, block.columns.cost_ns, parameters_of(renamed), log=other)
        assert values_of(schedule) == values
        assert [row[:3] for row in other] == [row[:3] for row in log]


def _shuffled(value: Any, rng: random.Random) -> Any:
    """``value`` with the keys of every mapping in another order."""
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: _shuffled(value[key], rng) for key in keys}
    return [_shuffled(item, rng) for item in value] if isinstance(value, list) else value


def _renamed(document: dict[str, Any]) -> dict[str, Any]:
    """``document`` with instructions whose names sort and hash differently."""
    names: dict[str, str] = {}

    def new(name: str) -> str:
        return names.setdefault(name, f"z{9999 - len(names)}")

    def rename(instruction: dict[str, Any]) -> dict[str, Any]:
        changed = {**instruction, "name": new(instruction["name"])}
        changed["dependencies"] = [
            new(edge) if isinstance(edge, str) else [new(edge[0]), edge[1]]
            for edge in instruction.get("dependencies", [])
        ]
        if "transfer" in instruction:
            changed["transfer"] = rename(instruction["transfer"])
        if "body" in instruction:
            changed["body"] = [rename(inner) for inner in instruction["body"]]
        return changed

    functions = [
        {
            **function,
            "blocks": [
                {**block, "instructions": [rename(i) for i in block["instructions"]]} for block in function["blocks"]
            ],
        }
        for function in document["functions"]
    ]
    return {**document, "functions": functions}
