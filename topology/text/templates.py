"""Named templates: values for a kind of part or block, in a file's own ``templates`` or in a set that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path as FilePath
from typing import Any, Literal

from pydantic import Field

from simcore.errors import InputError, Problem
from simcore.program.faults import Path, kind_of, shown
from topology.text.document import Findings, Text, read_file, unknown
from topology.text.models import Structure, read_structure
from topology.text.own_parts import load_own_parts
from topology.text.settings import Knowledge, Setting, read_knowledge, read_setting

SCHEMA = "kernbench.templates/1"


class TemplateSetFile(Structure):
    """A file of templates. ``provenance`` and ``source`` hold for all values that do not say otherwise."""

    schema_: Literal["kernbench.templates/1"] = Field(alias="schema")
    name: str
    templates: dict[str, Any]
    parts: Any = Field(default_factory=list)
    provenance: str | None = None
    source: str | None = None


class TemplateEntry(Structure):
    """One template. ``kind`` is that of a part, or ``system``, ``link``, or another block of the schema."""

    kind: str
    parameters: dict[str, Any]
    impl: str | None = None
    provenance: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A template; ``name`` has its set in front, ``stage_f/router``, unless the file itself holds it."""

    name: str
    kind: str
    impl: str | None
    settings: Mapping[str, Setting]
    text: Text
    path: Path


def shipped_template_sets() -> tuple[str, ...]:
    """Names of the sets that kernbench ships."""
    folder = resources.files("topology") / "templates"
    return tuple(sorted(p.name.removesuffix(".yaml") for p in folder.iterdir() if p.name.endswith(".yaml")))


def read_templates(text: Text, own: object, use: object, folder: FilePath, findings: Findings) -> dict[str, Template]:
    """The templates of ``text``: its ``own`` and those of the sets that it uses (files of ``folder``)."""
    found: dict[str, Template] = {}
    if not isinstance(use, list):
        findings.add(text, ("use",), f"use: expected a list of template sets, got {kind_of(use)}")
        use = []
    for index, word in enumerate(use):
        if not isinstance(word, str):
            findings.add(text, ("use", index), f"use: expected the name of a template set, got {kind_of(word)}")
            continue
        _add_set(found, text, ("use", index), word, folder, findings)
    if isinstance(own, dict):
        for name, raw in own.items():
            _add(found, name, name, raw, text, ("templates", name), findings, Knowledge())
    else:
        findings.add(text, ("templates",), f"templates: expected a mapping, got {kind_of(own)}")
    return found


def _add_set(found: dict[str, Template], user: Text, at: Path, word: str, folder: FilePath, findings: Findings) -> None:
    shipped = shipped_template_sets()
    if word in shipped:
        path = FilePath(str(resources.files("topology") / "templates" / f"{word}.yaml"))
        name = f"topology/templates/{word}.yaml"
    elif word.endswith((".yaml", ".yml")):
        path, name = folder / word, str(folder / word)
    else:
        findings.add(user, at, unknown("template set", word, shipped, "or a .yaml file"))
        return
    try:
        text = read_file(path, name, "a set of templates")
    except InputError as error:
        findings.problems += [Problem(p.message, p.file, p.line, p.column) for p in error.problems]
        return
    entry = read_structure(TemplateSetFile, text.document, text, (), findings)
    if entry is None:
        return
    load_own_parts(text, entry.parts, path.parent, findings)
    default = read_knowledge(_said(entry), text, (), findings, Knowledge())
    for key, raw in entry.templates.items():
        _add(found, key, f"{entry.name}/{key}", raw, text, ("templates", key), findings, default)


def _add(
    found: dict[str, Template],
    key: str,
    name: str,
    raw: object,
    text: Text,
    path: Path,
    findings: Findings,
    default: Knowledge,
) -> None:
    if key in found:
        findings.add(text, path, f"a second template {shown(key)} (the first is {found[key].name})", at_key=True)
        return
    entry = read_structure(TemplateEntry, raw, text, path, findings)
    if entry is None:
        return
    knowledge = read_knowledge(_said(entry), text, path, findings, default)
    settings = {
        word: read_setting(value, text, (*path, "parameters", word), findings, knowledge).through(name)
        for word, value in entry.parameters.items()
    }
    found[key] = Template(name, entry.kind, entry.impl, settings, text, path)


def _said(entry: TemplateSetFile | TemplateEntry) -> dict[str, Any]:
    """What the entry says about its values' provenance."""
    said = {"provenance": entry.provenance, "source": entry.source}
    return {key: value for key, value in said.items() if value is not None}
