"""The key ``parts`` of a topology file or a set of templates: files with parts of the user's own (ADR-0041 D7)."""

from __future__ import annotations

from pathlib import Path as FilePath

from simcore.program.faults import kind_of
from topology.text.document import Findings, Text


def load_own_parts(text: Text, raw: object, folder: FilePath, findings: Findings) -> None:
    """Loads the files that the list ``raw``, the ``parts`` of ``text``, names; they are sought in ``folder``.

    What is wrong in a file of parts is reported at its own line, what is wrong with all of it at its entry.
    """
    from components.user_parts import load_listed_parts

    before = len(findings.problems)
    names: list[str] = []
    entries: list[int] = []
    if not isinstance(raw, list):
        findings.add(text, ("parts",), f"parts: expected a list of Python files, got {kind_of(raw)}")
        raw = []
    for index, name in enumerate(raw):
        if isinstance(name, str) and name:
            names.append(name)
            entries.append(index)
        else:
            got = "nothing" if name == "" else kind_of(name)
            findings.add(text, ("parts", index), f"parts: expected the name of a Python file, got {got}")

    def at_entry(number: int, message: str) -> None:
        findings.add(text, ("parts", entries[number]), f"parts: {message}")

    findings.problems += load_listed_parts(names, folder, at_entry)
    if len(findings.problems) > before:
        findings.parts_missing = True
