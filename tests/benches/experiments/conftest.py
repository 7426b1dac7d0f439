"""Running experiments, and the documentation that shows how."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benches.experiments.experiment import Outcome, load_experiment, run_experiment
from components import registry, user_parts
from tests.benches.cli.conftest import kernbench

__all__ = ["kernbench"]


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test registers or loads is forgotten after it."""
    shipped = {(entry.kind, entry.impl): entry for entry in registry.known_parts()}
    monkeypatch.setattr(registry, "_registered", shipped)
    monkeypatch.setattr(user_parts, "_loaded", {})


@pytest.fixture(scope="session")
def guide(repository: Path) -> str:
    """The text of docs/experiments.md."""
    return (repository / "docs" / "experiments.md").read_text()


def block(guide: str, title: str) -> str:
    """The code block under the line that holds ``title`` alone, in backticks."""
    found = re.search(rf"^`{re.escape(title)}`:\n\n```\w*\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


def outcome_of(text: str, folder: Path) -> Outcome:
    """What the experiment of this text gives."""
    path = folder / "x.experiment.yaml"
    path.write_text(text)
    return run_experiment(load_experiment(path))
