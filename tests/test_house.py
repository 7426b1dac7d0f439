"""The house is in order: a light front door, a lock that fits, data that travel, nothing of one machine in the tree."""

from __future__ import annotations

import gzip
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benches.cli.commands import COMMANDS, Command
from benches.cli.main import LazyCommand

PACKAGES = ("simcore", "components", "topology", "benches")
HEAVY = ("numba", "numpy", "pydantic", "networkx", "simpy", "msgspec", "rich", "yaml")


@pytest.fixture(scope="module")
def description(repository: Path) -> dict:
    """pyproject.toml, parsed."""
    return tomllib.loads((repository / "pyproject.toml").read_text())


def files_of_the_tree(repository: Path) -> Iterator[Path]:
    """Every file that belongs to the project, not to a tool's cache or an environment."""
    for path in sorted(repository.rglob("*")):
        inner = path.relative_to(repository).parts
        made = any(p.endswith((".egg-info", "__pycache__")) or (p.startswith(".") and p != ".ci") for p in inner[:-1])
        if path.is_file() and not made and inner[0] not in ("build", "dist", "out"):
            yield path


def test_help_loads_none_of_the_heavy_libraries(repository: Path):
    program = """if True:
        import sys
        from benches.cli.main import command_line
        try:
            command_line().main(["--help"], prog_name="kernbench")
        finally:
            print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
    """
    done = subprocess.run([sys.executable, "-c", program], cwd=repository, capture_output=True, text=True, check=True)
    assert "Usage: kernbench" in done.stdout
    loaded = done.stderr.split()
    assert "typer" in loaded
    assert [name for name in HEAVY if name in loaded] == []


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_every_command_of_the_table_has_a_module_that_explains_itself(row: Command):
    command = LazyCommand(row).load()
    sub_commands = getattr(command, "commands", {}).values()
    assert command.help or (sub_commands and all(sub.help for sub in sub_commands))


def test_every_module_with_an_app_is_in_the_table(repository: Path):
    folder = repository / "benches" / "cli"
    with_app = {f"benches.cli.{p.stem}" for p in folder.glob("*.py") if re.search(r"^app\b.*=", p.read_text(), re.M)}
    assert with_app - {row.module for row in COMMANDS} == set()


def test_command_names_are_unique_and_their_help_fits_the_overview():
    assert len({row.name for row in COMMANDS}) == len(COMMANDS)
    assert [row.name for row in COMMANDS if len(row.help) > 64 or not row.help.endswith(".")] == []


def test_the_installed_version_is_that_of_the_tree_and_has_an_entry_in_the_changelog(repository: Path, description):
    version = description["project"]["version"]
    assert importlib.metadata.version("kernbench") == version
    assert f"\n## {version}" in (repository / "CHANGELOG.md").read_text()


def locked(repository: Path) -> dict[str, str]:
    """Name -> version of every pin in the lock file."""
    text = (repository / "requirements.lock").read_text()
    return {canonicalize_name(name): version for name, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.M)}


def test_the_lock_pins_every_direct_dependency_within_its_bounds(repository: Path, description):
    pins = locked(repository)
    bounds = description["project"]["dependencies"] + description["project"]["optional-dependencies"]["dev"]
    bounds += description["build-system"]["requires"]
    for bound in map(Requirement, bounds):
        assert bound.specifier.contains(pins[canonicalize_name(bound.name)]), bound


def test_every_direct_dependency_has_a_lower_bound_and_nothing_else(description):
    bounds = description["project"]["dependencies"] + description["project"]["optional-dependencies"]["dev"]
    assert [bound for bound in bounds if [s.operator for s in Requirement(bound).specifier] != [">="]] == []


def test_every_pin_of_the_lock_has_a_hash(repository: Path):
    entries = re.split(r"^(?=[\w.-]+==)", (repository / "requirements.lock").read_text(), flags=re.M)[1:]
    assert len(entries) == len(locked(repository))
    assert [entry.split("==")[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_every_data_file_of_a_package_is_installed_with_it(repository: Path, description):
    patterns = ["*.py", *description["tool"]["setuptools"]["package-data"]["*"]]
    inside = [p for p in files_of_the_tree(repository) if p.relative_to(repository).parts[0] in PACKAGES]
    assert [str(p) for p in inside if not any(fnmatch(p.name, pattern) for pattern in patterns)] == []


def test_every_package_says_that_it_is_typed(repository: Path):
    assert [package for package in PACKAGES if not (repository / package / "py.typed").is_file()] == []


FOREIGN = {
    "a folder of one machine": re.compile(rb"(?<![\w./-])/(?:home|root|Users|work|opt)/\w+"),
    "a package registry": re.compile(rb"pypi[.]org|pythonhosted[.]org|npmjs[.]|crates[.]io|--(?:extra-)?index-url"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_nothing_in_the_tree_belongs_to_one_machine(repository: Path, kind: str):
    found = []
    for path in files_of_the_tree(repository):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found += [
            f"{path.relative_to(repository)}: {match.group().decode()}" for match in FOREIGN[kind].finditer(content)
        ]
    assert found == []


def test_the_search_for_foreign_text_finds_it():
    assert FOREIGN["a folder of one machine"].search(b"see " + b"/home" + b"/someone/x")
    assert FOREIGN["a package registry"].search(b"https://pypi" + b".org/simple")


ADR_SECTIONS = ["Status", "First action", "Context", "Decision", "Alternatives", "Consequences"]


def test_every_decision_record_has_all_sections_in_order_and_a_line_in_the_index(repository: Path):
    folder = repository / "docs" / "adr"
    records = sorted(folder.glob("[0-9]*.md"))
    assert records
    index = (folder / "README.md").read_text()
    for record in records:
        sections = re.findall(r"^## (.+)$", record.read_text(), re.M)
        assert [section for section in sections if section in ADR_SECTIONS] == ADR_SECTIONS, record.name
        assert f"[{record.name[:4]}]({record.name})" in index, record.name
