"""The arrows between the layers hold, and the contracts that say so notice when they do not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = ("simcore", "components", "topology", "benches")


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    """Import-linter's verdict on the packages of ``tree``, by the contracts of its pyproject.toml."""
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run([program, "--no-cache"], cwd=tree, capture_output=True, text=True, check=False)


@pytest.fixture
def tree(repository: Path, tmp_path: Path) -> Path:
    """A copy of the packages, to be spoilt."""
    shutil.copy(repository / "pyproject.toml", tmp_path)
    for package in PACKAGES:
        for source in (repository / package).rglob("*.py"):
            copy = tmp_path / source.relative_to(repository)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    return tmp_path


def test_the_tree_keeps_every_contract(repository: Path):
    verdict = lint_imports(repository)
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr
    assert "4 kept, 0 broken" in verdict.stdout


@pytest.mark.parametrize(
    ("modules", "contract", "culprit"),
    [
        (
            {"simcore/climber.py": "import topology"},
            "nothing imports upward",
            "simcore.climber -> topology",
        ),
        (
            {"components/climber.py": "import benches"},
            "nothing imports upward",
            "components.climber -> benches",
        ),
        (
            {"simcore/perfsim/answer.py": "", "components/peeker.py": "from simcore.perfsim import answer"},
            "no part of the machine reads a result of PerfSim",
            "components.peeker -> simcore.perfsim.answer",
        ),
        (
            {
                "simcore/perfsim/answer.py": "",
                "simcore/middleman.py": "import simcore.perfsim.answer",
                "simcore/kernel/peeker.py": "import simcore.middleman",
            },
            "no part of the machine reads a result of PerfSim",
            "simcore.middleman -> simcore.perfsim.answer",
        ),
        (
            {"simcore/perfsim/shortcut.py": "import simpy"},
            "PerfSim uses neither the event kernel nor SimPy",
            "simcore.perfsim.shortcut -> simpy",
        ),
        (
            {"simcore/perfsim/answer.py": "", "simcore/perfsim/constants.py": "from simcore.perfsim import answer"},
            "the shared constants compute nothing",
            "simcore.perfsim.constants -> simcore.perfsim.answer",
        ),
    ],
)
def test_an_import_against_the_arrows_is_named(tree: Path, modules: dict[str, str], contract: str, culprit: str):
    for name, text in modules.items():
        (tree / name).write_text(text + "\n")
    verdict = lint_imports(tree)
    assert verdict.returncode == 1
    assert f"{contract} BROKEN" in verdict.stdout
    assert culprit in verdict.stdout
    assert "3 kept, 1 broken" in verdict.stdout


def test_the_machine_may_share_the_constants_of_perfsim(tree: Path):
    (tree / "components/sharer.py").write_text("from simcore.perfsim import constants\n")
    assert lint_imports(tree).returncode == 0
