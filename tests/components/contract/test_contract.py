"""Every registered part keeps the contract of ADR-0021, whatever it models."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from components.registry import Registered, known_parts
from tests.components.contract import checks
from tests.components.contract.bench import driver_of

every_part = pytest.mark.parametrize("entry", known_parts(), ids=lambda entry: f"{entry.kind}/{entry.impl}")

CHECKS = (
    checks.check_it_drains,
    checks.check_it_conserves_requests,
    checks.check_it_starts_clean,
    checks.check_a_second_batch_is_the_first_again,
    checks.check_the_log_changes_nothing,
    checks.check_it_names_itself_in_errors,
    checks.check_it_refuses_wrong_parameters,
)


@every_part
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_a_part_keeps_the_contract(check, entry: Registered):
    check(entry, driver_of(entry.kind))


@every_part
def test_the_quantities_of_a_part_are_declared(entry: Registered, repository: Path):
    checks.check_its_quantities_are_declared(entry, repository / "docs" / "adr")


@pytest.fixture(scope="module")
def stories(repository: Path) -> list[dict[str, str]]:
    """For each of two hash seeds: kind/impl -> what one batch printed."""
    told = []
    for seed in ("1", "4242"):
        command = [sys.executable, "-m", "tests.components.contract.story"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        told.append(dict(story.split("\n", 1) for story in done.stdout.removeprefix("# ").split("\n# ")))
    return told


@every_part
def test_a_part_tells_the_same_story_whatever_the_hash_seed(entry: Registered, stories: list[dict[str, str]]):
    first, second = (story[f"{entry.kind}/{entry.impl}"] for story in stories)
    assert first == second
    assert len(first.splitlines()) > 2
