"""Blocks of a file: quantities merged over a template and checked, and parts with their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field, ValidationError

from components.registry import kinds, lookup
from simcore.errors import InputError
from simcore.program.faults import Path, kind_of
from topology.kinds import PART_KINDS
from topology.system import Origin, Position, Stated
from topology.text.document import Findings, Text, unknown
from topology.text.models import Structure, add_fault, keys_of, read_structure, unknown_key
from topology.text.quantities import MaybePair, Quantities, number_fault, unit_of
from topology.text.settings import Knowledge, Setting, read_setting
from topology.text.templates import Template

Q = TypeVar("Q", bound=Quantities)


@dataclass(frozen=True, slots=True)
class Given(Generic[Q]):
    """Checked quantities and where each was written."""

    values: Q
    origin: Mapping[str, Origin]


@dataclass(frozen=True, slots=True)
class Part:
    """A part as a block describes it, wherever it will stand."""

    kind: str
    impl: str | None
    parameters: Mapping[str, object]
    pos_mm: Position | None
    origin: Mapping[str, Origin]


class PartBlock(Structure):
    """What every block of a part may say."""

    template: str | None = None
    kind: str | None = None
    impl: str | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)


class _Place(Quantities):
    pos_mm: MaybePair = None


IMPL = "impl"
"""The key that picks another part of a kind than its default; quantities of a block that is a part have it, too."""
PART_KEYS = (*keys_of(PartBlock), "pos_mm")


@dataclass(slots=True)
class Reader:
    """Reads the blocks of one document."""

    text: Text
    templates: Mapping[str, Template]
    findings: Findings
    stated: list[Stated] = field(default_factory=list)
    """Quantities of blocks that are no links."""
    parts: list[Part] = field(default_factory=list)
    """Every part that some block describes, once each, however many stand in the system."""

    def add(self, path: Path, message: str, *, at_key: bool = False) -> None:
        """Records a fault of the document."""
        self.findings.add(self.text, path, message, at_key=at_key)

    def quantities(
        self,
        model: type[Q],
        raw: object,
        path: Path,
        kind: str,
        *,
        alone: bool = False,
        default: tuple[Any, Path] | None = None,
    ) -> Given[Q] | None:
        """The quantities of the block ``raw``: its own, over those of its template, which is one for ``kind``.

        ``alone``: the block may hold nothing else; otherwise other keys belong to others and are left alone.
        ``default`` is the name, and its path, of the template that serves where the block names none.
        None if something is wrong or missing.
        """
        if not isinstance(raw, dict):
            self.add(path, f"{kind}: expected a mapping, got {kind_of(raw)}")
            return None
        known = keys_of(model)
        if alone:
            # a document without templates, such as a traffic file, is told of none
            words = ("template", *known) if self.templates else known
            for key in raw:
                if key not in ("template", *known):
                    self.add((*path, key), unknown_key(key, words), at_key=True)
        name, at = (raw["template"], (*path, "template")) if "template" in raw else default or (None, path)
        settings = self._from_template(name, at, kind, known)
        if settings is None:
            return None
        settings |= self._own(model, raw, path)
        if IMPL in settings and isinstance(settings[IMPL].value, str):
            self._check_impl(kind, settings[IMPL].value, settings[IMPL].origin)
        given = self._checked(model, settings, path, kind)
        if given is not None and kind not in ("link", "wire"):
            block = ".".join(map(str, path))
            self.stated += [Stated(block, key, getattr(given.values, key), o) for key, o in given.origin.items()]
        return given

    def part(self, raw: object, path: Path, also: tuple[str, ...] = ()) -> Part | None:
        """The part that the block ``raw`` describes; the keys in ``also`` are read by others."""
        block = read_structure(PartBlock, raw, self.text, path, self.findings, (*also, "pos_mm"))
        if block is None or not isinstance(raw, dict):
            return None
        template = None if block.template is None else self._template(block.template, (*path, "template"))
        if block.template is not None and template is None:
            return None
        kind = block.kind or (template.kind if template is not None else None)
        if kind is None:
            self.add(path, 'missing key "kind" (or "template")')
            return None
        impl = block.impl or (template.impl if template is not None else None)
        if not self._is_kind(kind, template, path, block.kind is not None):
            return None
        self._check_impl(kind, impl, self._origin_of(IMPL, template, path, block.impl is not None))
        settings = dict(template.settings) if template is not None else {}
        for key, value in block.parameters.items():
            at = (*path, "parameters", key)
            settings[key] = read_setting(value, self.text, at, self.findings, Knowledge())
        for key, setting in settings.items():
            self._check_parameter(key, setting)
        place = self._checked(_Place, self._own(_Place, raw, path), path, "part")
        origin = {key: setting.origin for key, setting in settings.items()}
        origin["kind"] = self._origin_of("kind", template, path, block.kind is not None)
        pos_mm = None
        if place is not None and place.values.pos_mm is not None:
            pos_mm, origin["pos_mm"] = place.values.pos_mm, place.origin["pos_mm"]
        parameters = {key: setting.value for key, setting in settings.items()}
        self.parts.append(Part(kind, impl, parameters, pos_mm, origin))
        return self.parts[-1]

    def _check_impl(self, kind: str, impl: str | None, origin: Origin) -> None:
        """Records a finding at ``origin`` if ``kind`` has no part ``impl``."""
        if impl is None or kind not in kinds() or self.findings.parts_missing:
            return
        try:
            lookup(kind, impl)
        except InputError as error:
            self.findings.problems += [origin.problem(problem.message) for problem in error.problems]

    def _own(self, model: type[BaseModel], raw: dict[str, Any], path: Path) -> dict[str, Setting]:
        return {
            key: read_setting(raw[key], self.text, (*path, key), self.findings, Knowledge())
            for key in keys_of(model)
            if key in raw
        }

    def _template(self, name: object, path: Path) -> Template | None:
        if isinstance(name, str) and name in self.templates:
            return self.templates[name]
        self.add(path, unknown("template", name, sorted(self.templates)))
        return None

    def _from_template(self, name: object, path: Path, kind: str, known: tuple[str, ...]) -> dict[str, Setting] | None:
        if name is None:
            return {}
        template = self._template(name, path)
        if template is None:
            return None
        if template.kind != kind:
            self.add(path, f"template {template.name} is for {template.kind}, not for {kind}")
            return None
        for key, setting in template.settings.items():
            if key not in known:
                self.findings.add(setting.text, _key_of(setting), unknown_key(key, known), at_key=True)
        settings = {key: setting for key, setting in template.settings.items() if key in known}
        if template.impl is not None:
            at = (*template.path, IMPL)
            if IMPL in known:
                settings[IMPL] = Setting(template.impl, template.text, at, Knowledge(), template.name)
            else:
                self.findings.add(template.text, at, f"impl: a {kind} has none", at_key=True)
        return settings

    def _checked(self, model: type[Q], settings: Mapping[str, Setting], path: Path, kind: str) -> Given[Q] | None:
        try:
            values = model.model_validate({key: setting.value for key, setting in settings.items()})
        except ValidationError as error:
            for details in error.errors():
                key = str(details["loc"][0])
                if details["type"] == "missing":
                    unit = unit_of(key)
                    self.add(
                        path,
                        f'{kind}: "{key}" is missing{f", in {unit}" if unit else ""} '
                        "(nothing has a silent default: write it, or name a template that has it)",
                    )
                    continue
                add_fault(self.findings, details, settings[key].text, settings[key].path)
            return None
        return Given(values, {key: setting.origin for key, setting in settings.items()})

    def _is_kind(self, kind: str, template: Template | None, path: Path, own: bool) -> bool:
        known = sorted({*PART_KINDS, *kinds()})
        if kind in known or self.findings.parts_missing:
            return True
        message = unknown("kind of part", kind, known)
        if own or template is None:
            self.add((*path, "kind"), message)
        else:
            self.findings.add(template.text, (*template.path, "kind"), message)
        return False

    def _origin_of(self, key: str, template: Template | None, path: Path, own: bool) -> Origin:
        if own or template is None:
            return Origin(self.text.file, *self.text.place((*path, key)))
        return Origin(template.text.file, *template.text.place((*template.path, key)), template.name)

    def _check_parameter(self, key: str, setting: Setting) -> None:
        """Numbers must be finite, and not negative where they have a unit; the part itself checks the rest."""
        value = setting.value
        fault = None
        if isinstance(value, float) or (unit_of(key) is not None and value is not None):
            fault = number_fault(value, key)
        if fault is None and isinstance(value, int | Fraction) and unit_of(key) is not None and value < 0:
            fault = f"must be 0 or more {unit_of(key)}, not {value}"
        if fault is not None:
            self.findings.add(setting.text, setting.path, f"{key}: {fault}")


def _key_of(setting: Setting) -> Path:
    return setting.path[:-1] if setting.path[-1] == "value" else setting.path
