"""Record -> program, with every fault reported: the one door through which all formats and builders come in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from simcore.errors import InputError, ModelBug, Problem
from simcore.program.columnise import columns_from
from simcore.program.columnise_fields import Irregular
from simcore.program.faults import Fault
from simcore.program.generations import ARCH_NAMES, GENERATIONS
from simcore.program.instruction import SCHEMA, ProgramRecord
from simcore.program.loaded import Loaded
from simcore.program.program import Block, Function, Program
from simcore.program.validate import ARCH_VERSION_LIMIT, RUNS_LIMIT, faults_of

Locator = Callable[[list[Fault]], list[Problem]]
"""Turns faults into problems that name lines."""


def program_from_record(record: ProgramRecord, *, file: str = "<program>") -> Program:
    """The program of a record built in Python. Raises InputError with every fault, named by instruction."""
    return program_from_loaded(Loaded(record), file=file)


def program_from_loaded(loaded: Loaded, *, file: str, document: Any = None, locate: Locator | None = None) -> Program:
    """The program a reader found. ``document`` and ``locate`` let faults of a text format name their lines."""
    try:
        return _regular(loaded, file)
    except Irregular as irregular:
        if document is None:
            document = {"schema": SCHEMA, **msgspec.to_builtins(loaded.record)}
        faults = faults_of(document)
        if not faults:
            raise ModelBug(f"{file}: refused, but validation finds no fault: {irregular}") from irregular
        raise InputError(locate(faults) if locate else by_subject(faults, file)) from irregular


def by_subject(faults: list[Fault], file: str) -> list[Problem]:
    """Problems that name the instruction, or the path in the document."""
    return [Problem(f.message, file, where=f.subject or _path_text(f)) for f in faults]


def _path_text(fault: Fault) -> str | None:
    text = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in fault.path).lstrip(".")
    return text or None


def _regular(loaded: Loaded, file: str) -> Program:
    record = loaded.record
    if record.schema != SCHEMA or record.arch not in ARCH_NAMES or not _is_text(record.name):
        raise Irregular("head")
    gen = GENERATIONS[ARCH_NAMES[record.arch]]
    version = gen.arch_version if record.arch_version is None else record.arch_version
    if not 0 <= version <= ARCH_VERSION_LIMIT or not 1 <= record.modular_flow_runs <= RUNS_LIMIT:
        raise Irregular("head")
    if record.origin is not None:
        texts = (record.origin.source, record.origin.licence, record.origin.note)
        if not all(t is None or _is_text(t) for t in texts):
            raise Irregular("origin")
    _check_unique([f.name for f in record.functions])
    functions = []
    for function in record.functions:
        _check_unique([b.name for b in function.blocks])
        blocks = [Block(b.name, columns_from(b.instructions, gen)) for b in function.blocks]
        functions.append(Function(function.name, blocks))
    return Program(
        name=record.name,
        arch=gen.name,
        arch_version=version,
        functions=functions,
        modular_flow_runs=record.modular_flow_runs,
        origin=record.origin,
        file=file,
        notes=list(loaded.notes),
        measured=loaded.measured,
    )


def _check_unique(names: list[str]) -> None:
    if len(set(names)) != len(names) or not all(map(_is_text, names)):
        raise Irregular("function or block name")


def _is_text(text: str) -> bool:
    return bool(text) and text.isprintable()
