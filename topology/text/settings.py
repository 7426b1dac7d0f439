"""A value as it stands in a file: with its place, the template that it came through, and how well it is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from simcore.oracle.provenance import Provenance
from simcore.program.faults import Path, kind_of
from topology.system import Origin
from topology.text.document import Findings, Text, unknown

PROVENANCES = tuple(p.name for p in Provenance if p is not Provenance.not_costed)
_ASSUMED = Provenance.assumed.name
_GIVEN = Provenance.given.name
_KEYS = ("value", "provenance", "source")


@dataclass(frozen=True, slots=True)
class Knowledge:
    """How well values are known, unless they say otherwise."""

    provenance: str = _GIVEN
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """A value as it was read, not yet checked."""

    value: Any
    text: Text
    path: Path
    knowledge: Knowledge
    template: str | None = None

    @property
    def origin(self) -> Origin:
        """Where it was written."""
        line, column = self.text.place(self.path)
        return Origin(self.text.file, line, column, self.template, self.knowledge.provenance, self.knowledge.source)

    def through(self, template: str) -> Setting:
        """The same value, as ``template`` supplies it."""
        return replace(self, template=template)


def read_setting(raw: Any, text: Text, path: Path, findings: Findings, default: Knowledge) -> Setting:
    """The value ``raw``, which is either the value itself or ``{value: .., provenance: .., source: ..}``."""
    if not isinstance(raw, dict) or "value" not in raw:
        _check_source(default, text, path, findings)
        return Setting(raw, text, path, default)
    for key in raw:
        if key not in _KEYS:
            findings.add(text, (*path, key), unknown("key", key, _KEYS), at_key=True)
    knowledge = read_knowledge(raw, text, path, findings, default)
    _check_source(knowledge, text, path, findings)
    return Setting(raw["value"], text, (*path, "value"), knowledge)


def read_knowledge(raw: dict[str, Any], text: Text, path: Path, findings: Findings, default: Knowledge) -> Knowledge:
    """``provenance`` and ``source`` of the mapping ``raw``; what it does not say holds as by ``default``."""
    provenance, source = raw.get("provenance", default.provenance), raw.get("source", default.source)
    if not isinstance(provenance, str) or provenance not in PROVENANCES:
        findings.add(text, (*path, "provenance"), unknown("provenance", provenance, PROVENANCES))
        provenance = default.provenance
    if source is not None and (not isinstance(source, str) or not source):
        findings.add(text, (*path, "source"), f"source: expected text, got {kind_of(source)}")
        source = None
    return Knowledge(provenance, source)


def _check_source(knowledge: Knowledge, text: Text, path: Path, findings: Findings) -> None:
    """A provenance is worth nothing without its source."""
    if knowledge.source is None and knowledge.provenance != _GIVEN:
        wanted = "the reason" if knowledge.provenance == _ASSUMED else "where it comes from"
        findings.add(text, path, f'{knowledge.provenance}: the key "source" is missing ({wanted})')
