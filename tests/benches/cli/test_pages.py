"""What the pages in docs show is true: their files load and run, their commands and options are there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from benches.cli.commands import COMMANDS
from tests.benches.cli.conftest import Call

PAGES = ("programs", "traffic", "systems", "platforms", "collectives", "contention", "results", "experiments")


def blocks(repository: Path, page: str, language: str) -> list[str]:
    text = (repository / "docs" / f"{page}.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def product(repository: Path, tmp_path: Path) -> Path:
    """The program of docs/programs.md."""
    (program,) = blocks(repository, "programs", "yaml")
    file = tmp_path / "product.yaml"
    file.write_text(program)
    return file


@pytest.fixture
def system(repository: Path, tmp_path: Path) -> Path:
    """The system of docs/systems.md."""
    (topology,) = blocks(repository, "systems", "yaml")
    file = tmp_path / "two_cores.yaml"
    file.write_text(topology)
    return file


def test_the_hand_written_program_runs_in_both_models_and_on_the_platform(kernbench: Call, product: Path):
    assert kernbench("crosscheck", product)[0] == 0
    code, out, err = kernbench("run", product, "--timing", "platform:trn2", "--phases", "4")
    assert (code, err) == (0, "") and "4 EXTRAPOLATED, 10 INTERPOLATED" in out


def test_the_hand_written_system_has_no_fault_and_runs_the_program(kernbench: Call, product: Path, system: Path):
    assert kernbench("topology", "check", system)[:2] == (0, "two_cores: fine (5 parts, 8 links)\n")
    code, out, err = kernbench("run", product, "--memory", "fabric", "--topology", system, "--device", "all")
    assert (code, err) == (0, "") and "2 devices of two_cores at once" in out


@pytest.mark.parametrize(("number", "flows"), [(0, 3), (1, 2)])
def test_the_traffic_files_run(kernbench: Call, repository: Path, tmp_path: Path, number: int, flows: int):
    file = tmp_path / "traffic.yaml"
    file.write_text(blocks(repository, "traffic", "yaml")[number])
    code, out, err = kernbench("flows", file)
    assert (code, err) == (0, "") and f": {flows} flows, " in out


def test_the_bench_holds(repository: Path):
    (code,) = blocks(repository, "contention", "python")
    # Under another name than a shipped one it would stay among the benches of this process: none of its own is made.
    names: dict[str, object] = {}
    exec(code.replace('@bench("one-trunk", "Flows of equal size share one link.")\n', ""), names)
    one_trunk = names["one_trunk"]
    assert callable(one_trunk)
    found = one_trunk()
    assert len(found.rows) == 4 and all(row.holds for row in found.rows)


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page_have_the_options_that_it_gives_them(kernbench: Call, repository: Path, page: str):
    text = (repository / "docs" / f"{page}.md").read_text()
    lines = [line for block in blocks(repository, page, "sh") for line in block.splitlines()]
    lines += re.findall(r"`(kernbench [^`]*)`", text)
    for line in lines:
        _, command, *words = shlex.split(" ".join(line.split()), comments=True)
        assert command in {entry.name for entry in COMMANDS}, line
        path = [command, *words[:1]] if command in ("calibrate", "topology", "oracle") and words else [command]
        code, out, _ = kernbench(*path, "--help")
        assert code == 0, line
        assert all(word in out for word in words if word.startswith("--")), line


def test_the_readme_leads_to_every_page(repository: Path):
    readme = (repository / "README.md").read_text()
    assert [page for page in PAGES if f"docs/{page}.md" not in readme] == []
