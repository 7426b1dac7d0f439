"""Metric files: JSON by module.

The nested form is ``{module: {group: {name: value}}}``, the flat one ``{module: {"group::name": value}}``.
"""

from __future__ import annotations

import json
import os
import struct
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from simcore.errors import InputError, Problem
from simcore.program.faults import Fault
from simcore.program.faults import Path as KeyPath
from simcore.program.stream.json_text import decode_json, json_text, locate_json
from simcore.staged_files import StagedFiles
from simcore.trace.metrics import (
    FLOAT32_MAX,
    GROUP_SEPARATOR,
    Aggregation,
    Flat,
    MetricKey,
    MetricStore,
    is_metric_value,
    nested,
)


class Form(Enum):
    """The two shapes of a file."""

    NESTED = "nested"
    FLAT = "flat"


def read_metrics(path: str | os.PathLike[str]) -> MetricStore:
    """The metrics of a file, of either form: every value as a 32-bit float, every aggregation ``none``.

    Raises InputError with every fault of the file.
    """
    store = MetricStore()
    for module, metrics in _read(Path(path)).metrics.items():
        for metric, value in metrics.items():
            store.add(MetricKey(Aggregation.none, module, metric), _as_float32(value))
    return store


def write_metrics(path: str | os.PathLike[str], store: MetricStore, form: Form | None = None) -> None:
    """Writes ``store`` into a file; other modules and metrics that the file has stay as they are, to the digit.

    ``form`` None keeps the form of the file, and is nested for a new one. Modules and metrics are in the order of their
    names. Raises InputError, and changes nothing, if the file is there and is not a metric file.
    """
    content = _read(Path(path)) if Path(path).exists() else _Content()
    for module, metrics in store.flat().items():
        content.metrics.setdefault(module, {}).update(metrics)
    data = content.metrics if (form or content.form) is Form.FLAT else nested(content.metrics)
    with StagedFiles() as staged, staged.open(path) as file:
        file.write((json.dumps(data, indent=1, sort_keys=True) + "\n").encode())


@dataclass(slots=True)
class _Content:
    """A file's values, exactly as written, and its form."""

    metrics: Flat = field(default_factory=dict)
    form: Form = Form.NESTED


def _as_float32(value: int | float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def _read(path: Path) -> _Content:
    file = os.fspath(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", file)]) from error
    text = json_text(data, file)
    if not text.strip():
        raise InputError([Problem("the file is empty (expected a metric file)", file)])
    reader = _Reader()
    reader.document(decode_json(text, file))
    if reader.faults:
        places = locate_json(text, [fault.path for fault in reader.faults])
        raise InputError(places.problems(reader.faults, file))
    return reader.content


class _Reader:
    """Takes a decoded file apart and collects its faults."""

    def __init__(self) -> None:
        self.content = _Content()
        self.faults: list[Fault] = []
        self.form: Form | None = None

    def fault(self, place: KeyPath, message: str) -> None:
        self.faults.append(Fault(place, message))

    def document(self, document: Any) -> None:
        if not isinstance(document, dict):
            self.fault((), "expected a mapping of modules")
            return
        for module, metrics in document.items():
            self.module(module, metrics)
        self.content.form = self.form or Form.NESTED

    def module(self, module: str, metrics: Any) -> None:
        if not isinstance(metrics, dict):
            self.fault((module,), f"module {module}: expected a mapping of metrics")
            return
        self.content.metrics[module] = {}
        for key, value in metrics.items():
            if isinstance(value, dict):
                self.group(module, key, value)
            elif isinstance(value, int | float):
                if self.has_form(Form.FLAT, (module, key)):
                    self.metric((module, key), module, key, value)
            else:
                self.fault((module, key), f"{key}: expected a number or a group of numbers")

    def group(self, module: str, group: str, metrics: dict[str, Any]) -> None:
        if GROUP_SEPARATOR in group:
            self.fault((module, group), f'group "{group}" contains {GROUP_SEPARATOR}')
        elif self.has_form(Form.NESTED, (module, group)):
            for name, value in metrics.items():
                self.metric((module, group, name), module, f"{group}{GROUP_SEPARATOR}{name}", value)

    def has_form(self, form: Form, place: KeyPath) -> bool:
        """Whether the entry at ``place``, of ``form``, fits the entries before it."""
        self.form = self.form or form
        if form is not self.form:
            self.fault(place, f"{place[-1]}: {form.value} form in a file whose form is {self.form.value}")
        return form is self.form

    def metric(self, place: KeyPath, module: str, metric: str, value: Any) -> None:
        if GROUP_SEPARATOR not in metric:
            self.fault(place, f'metric "{metric}" has no group (expected group{GROUP_SEPARATOR}name)')
        elif not is_metric_value(value):
            self.fault(place, f"{metric}: expected a number up to {FLOAT32_MAX:.7g} in size")
        else:
            self.content.metrics[module][metric] = value
