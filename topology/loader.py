"""Loading a system: one that kernbench ships, by its name, or a file."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from simcore.errors import InputError, ModelBug, Problem, hint
from topology.document import read_document
from topology.system import System
from topology.text.document import Findings, Text, read_file

WHAT = "a topology"


def shipped_systems() -> tuple[str, ...]:
    """Names of the systems that kernbench ships."""
    folder = resources.files("topology") / "systems"
    return tuple(sorted(p.name.removesuffix(".yaml") for p in folder.iterdir() if p.name.endswith(".yaml")))


def load_system(source: str | os.PathLike[str]) -> System:
    """The system in the file ``source``, or the shipped one of that name.

    Raises InputError with every fault of the file, each with its line and column. What only concerns its use, such as a
    part without a way to it, is the business of :func:`topology.check.check_file`.
    """
    text, folder = open_source(source)
    findings = Findings()
    read = read_document(text, folder, findings)
    findings.raise_any()
    if read.system is None:
        raise ModelBug(f"{text.file}: no system, but no fault either")
    return read.system


def open_source(source: str | os.PathLike[str]) -> tuple[Text, Path]:
    """The text of ``source``, as :func:`load_system` takes it, and the folder in which its template sets are."""
    word = os.fspath(source)
    shipped = shipped_systems()
    if word in shipped:
        path = Path(str(resources.files("topology") / "systems" / f"{word}.yaml"))
        return read_file(path, f"topology/systems/{word}.yaml", WHAT), path.parent
    path = Path(word)
    if not path.suffix and os.sep not in word and not path.exists():
        message = f"no such file, and no system of that name {hint(word, shipped)}"
        raise InputError([Problem(message, word or "<topology>")])
    return read_file(path, word, WHAT), path.parent
