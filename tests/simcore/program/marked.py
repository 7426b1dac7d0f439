"""Stream texts in which ``«`` stands before each place that a problem must name, as JSON and as YAML.

Instructions are written in JSON, which YAML reads too, so one text serves both.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.program.read import load_program

MARK = "«"

YAML = """\
schema: kernbench.stream/1
name: p
arch: {arch}
functions:
- name: main
  blocks:
  - name: bb0
    instructions:
{instructions}
"""
JSON = """\
{{"schema": "kernbench.stream/1", "name": "p", "arch": "{arch}",
 "functions": [{{"name": "main", "blocks": [{{"name": "bb0", "instructions": [
{instructions}
 ]}}]}}]}}
"""


def stream_yaml(*instructions: str, arch: str = "gen3") -> str:
    """A stream file of one block."""
    return YAML.format(arch=arch, instructions="\n".join(f"    - {i}" for i in instructions))


def stream_json(*instructions: str, arch: str = "gen3") -> str:
    """The same as JSON."""
    return JSON.format(arch=arch, instructions=",\n".join(instructions))


def without_marks(marked: str) -> tuple[str, list[str]]:
    """The text itself, and ``line:column`` of each mark."""
    text, places = "", []
    for k, part in enumerate(marked.split(MARK)):
        if k:
            places.append(f"{text.count(chr(10)) + 1}:{len(text) - text.rfind(chr(10))}")
        text += part
    return text, places


def problems_of(path: Path, data: bytes) -> list[str]:
    """What a user reads who gives a file of these bytes; without the file's name."""
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_program(path)
    lines = str(caught.value).split("\n")
    assert all(line.startswith(str(path)) for line in lines)
    return [line.removeprefix(str(path)).removeprefix(":").removeprefix(" ") for line in lines]


def assert_problems(folder: Path, marked: str, *messages: str, name: str = "p.yaml") -> None:
    """The marked text gives one problem per mark, in this order, and no other."""
    text, places = without_marks(marked)
    assert len(places) == len(messages)
    expected = [f"{place}: {message}" for place, message in zip(places, messages, strict=True)]
    assert problems_of(folder / name, text.encode()) == expected
