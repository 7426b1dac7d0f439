"""Each bench runs, at a tiny size; what it compares is equal. Nothing here asserts how fast anything is."""

from __future__ import annotations

import importlib
import json
import random
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benches.speed import __main__ as command
from benches.speed import blocks, machine, simpy_ground, walk
from benches.speed.figures import Figure, print_figures
from simcore.errors import ModelBug
from simcore.perfsim.block_walk import WalkSettings
from simcore.perfsim.compiled import plain_walk
from simcore.perfsim.lower import lower
from simcore.perfsim.options import PerfSimOptions
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import loaded

NAMES = tuple(command.BENCHES)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bench at its smallest."""
    monkeypatch.setattr(walk, "INSTRUCTIONS", 3000)
    monkeypatch.setattr(walk, "ROUNDS", 1)
    monkeypatch.setattr(machine, "SIZES", (100, 300))
    monkeypatch.setattr(machine, "INSTRUCTIONS_PER_SIZE", 300)
    monkeypatch.setattr(simpy_ground, "ROUNDS", 1)
    monkeypatch.setattr(simpy_ground, "OPERATIONS", 50)
    monkeypatch.setattr(machine, "OPERATIONS", 50)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("name", ["walk", "machine", "simpy_ground"])
def test_a_bench_prints_its_table_and_its_figures_are_written(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command.main([name, "--out", str(tmp_path / "out" / "bench.json")])
    assert capsys.readouterr().out.endswith("bench.json\n")
    record = json.loads((tmp_path / "out" / "bench.json").read_text())
    assert record["schema"] == "kernbench.bench/1"
    assert set(record["surroundings"]) == {"python", "machine", "numpy", "numba", "simpy"}
    assert list(record["results"]) == [name]


@pytest.mark.usefixtures("tiny")
def test_the_machine_is_measured_at_every_size_and_held_against_its_aims(capsys: pytest.CaptureFixture[str]) -> None:
    result = machine.main()
    assert [size["instructions"] for size in result["sizes"]] == [100, 300]
    assert all(size["log_off_ns"] > 0 and size["full_log_ns"] > 0 for size in result["sizes"])
    assert all(size["bytes"] > 100 for size in result["sizes"])
    aims = {f["name"]: f.get("aim") for f in result["figures"]}
    assert (aims["log off, the dearest size"], aims["full log, the dearest size"]) == (10, 18)
    assert "aim: at most 10" in capsys.readouterr().out


@pytest.mark.usefixtures("tiny")
def test_the_walk_is_measured_beside_c_if_there_is_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    with_c = {f["name"] for f in walk.main()["figures"]}
    monkeypatch.setattr(shutil, "which", lambda _: None)
    without = walk.main()
    assert without["note"] == "no C compiler, so not compared with C"
    names = {f["name"] for f in without["figures"]}
    assert names < with_c or "the same loop in C (gcc -O2)" not in with_c
    assert "the same loop in C (gcc -O2)" not in names


@pytest.mark.parametrize(
    "options", [{}, {"collective_reflow": "overlap", "reflow_new_weight": 0.3}], ids=["", "reflow"]
)
def test_the_loop_in_c_writes_what_the_walk_writes(options: dict, tmp_path: Path) -> None:
    in_c = walk.c_walk(tmp_path)
    assert (in_c is None) == (shutil.which("gcc") is None)
    compiled = plain_walk if in_c is None else in_c
    for seed in range(40):
        rng = random.Random(seed)
        program = loaded(random_program(rng, instructions=60, arch=("sunda", "gen3", "core_v4")[seed % 3]))
        for _, block in program.blocks:
            inputs = lower(block.columns, block.columns.cost_ns, program.arch, PerfSimOptions())
            for anti in (True, False):
                settings = WalkSettings.of(PerfSimOptions(**options), program.arch_version, include_anti_deps=anti)
                results = []
                for function in (compiled, plain_walk):
                    to = walk.Written.of(len(block.columns))
                    copied = SimpleNamespace(**{k: getattr(inputs, k).copy() for k in inputs.__slots__})
                    walk.run_once(function, copied, settings, to)
                    results.append((*to.arrays(), copied.duration))
                for left, right in zip(*results, strict=True):
                    assert np.array_equal(left, right)


def test_a_difference_between_c_and_python_ends_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*arguments: object) -> None:
        plain_walk(*arguments)
        times = arguments[-5]
        assert isinstance(times, np.ndarray)
        times[7] += 1

    monkeypatch.setattr(walk, "c_walk", lambda _: wrong)
    with pytest.raises(ModelBug, match="different results"):
        walk.measure(200, 1)


def test_the_measured_block_has_three_edges_and_one_bank_per_instruction_and_is_the_same_every_time() -> None:
    block = blocks.measured_block(1000)
    again = blocks.measured_block(1000)
    assert block.dep_count.tolist() == [0, 1, 2, *[3] * 997]
    consumer = np.repeat(np.arange(1000), block.dep_count)
    assert (block.dep_on < consumer).all()
    assert (block.dep_on >= 0).all()
    banks = block.psum_reads | block.psum_writes
    assert np.array_equal(banks & (banks - 1), np.zeros(1000, dtype=np.uint8))
    assert (banks > 0).all()
    assert block.name_list()[:2] == ["i0", "i1"]
    for name in ("opcode", "cost_ns", "dep_on", "dep_kind", "psum_writes"):
        assert np.array_equal(getattr(block, name), getattr(again, name))


@pytest.mark.parametrize(
    ("figure", "reached"),
    [
        (Figure("", 20.0, "", 20.0), True),
        (Figure("", 19.9, "", 20.0), False),
        (Figure("", 10.1, "", 10.0, at_least=False), False),
        (Figure("", 10.0, "", 10.0, at_least=False), True),
        (Figure("", 10.0, ""), None),
    ],
)
def test_an_aim_is_reached_from_its_own_side(figure: Figure, reached: bool | None) -> None:
    assert figure.reached is reached
    assert figure.record().get("reached") is reached


def test_a_missed_aim_is_printed_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    print_figures("title", [Figure("ratio", 0.5, "", 0.7), Figure("speed", 30, "M/s", 20)])
    title, ratio, speed, _ = capsys.readouterr().out.splitlines()
    assert title == "title"
    assert ratio.endswith("aim: at least 0.7  NOT REACHED")
    assert speed.endswith("aim: at least 20  reached")


def test_an_unknown_bench_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        command.main(["wolk"])
    assert left.value.code == 2
    assert f"no such bench: wolk (there are: {', '.join(NAMES)})" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_every_bench_of_the_table_is_there(name: str) -> None:
    assert callable(importlib.import_module(f"benches.speed.{name}").main)


def test_every_module_that_measures_is_in_the_table(repository: Path) -> None:
    modules = (repository / "benches/speed").glob("[!_]*.py")
    assert {path.stem for path in modules if "\ndef main(" in path.read_text()} == set(NAMES)
