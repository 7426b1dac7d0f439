"""Whatever is broken in a file, the check ends with faults, never with an error of its own."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from simcore.errors import InputError
from tests.topology.small import GRAPH, TRAY, written
from topology.check import check_file
from topology.loader import load_system

JUNK: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, float("nan"), float("inf"), 10**30, "", "x", "r0c0", "1e3", "a.b", [], [1, 2], ["a", None],
    {}, {"a": 1}, {"value": 3}, {"value": 3, "provenance": "assumed"}, {"template": "nope"}, {"provenance": {}},
)  # fmt: skip


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


def broken(document: dict[str, Any], chance: Random) -> dict[str, Any]:
    """A copy with something replaced, left out, renamed or repeated."""
    document = copy.deepcopy(document)
    for _ in range(chance.randint(1, 2)):
        *outer, last = chance.choice([path for path in paths(document) if path])
        inner: Any = document
        for step in outer:
            inner = inner[step]
        match chance.choice(("replace", "replace", "leave out", "rename", "repeat")):
            case "replace":
                inner[last] = copy.deepcopy(chance.choice(JUNK))
            case "leave out":
                del inner[last]
            case "rename" if isinstance(inner, dict):
                inner[chance.choice(("foo", "kind", "template", "for", f"{last}s"))] = inner.pop(last)
            case "repeat" if isinstance(inner, list):
                inner.append(copy.deepcopy(inner[last]))
    return document


@pytest.mark.parametrize("text", [GRAPH, TRAY], ids=["graph", "hierarchy"])
def test_a_broken_file_has_faults_or_loads(tmp_path: Path, text: str):
    document, chance, refused = yaml.safe_load(text), Random(1), 0
    for _ in range(120):
        path = written(tmp_path, yaml.safe_dump(broken(document, chance), sort_keys=False))
        checked = check_file(path)
        assert all(problem.file == str(path) and problem.message for problem in checked.problems)
        try:
            assert load_system(path).graph.number_of_nodes() > 0
        except InputError as error:
            refused += 1
            assert checked.system is None
            assert {str(problem) for problem in error.problems} <= {str(problem) for problem in checked.problems}
    assert refused > 60
