"""Record -> program, with every fault reported: the one door through which all formats and builders come in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from simcore.errors import InputError, ModelBug, Problem
from simcore.program.columnise import CHUNK, Piece, columns_from_pieces
from simcore.program.columnise_fields import Irregular, is_text
from simcore.program.faults import Fault
from simcore.program.generations import ARCH_NAMES, GENERATIONS
from simcore.program.instruction import SCHEMA, Instruction, ProgramHead, ProgramRecord
from simcore.program.limits import MAX_ARCH_VERSION, MAX_RUNS
from simcore.program.loaded import Loaded
from simcore.program.program import Block, Function, Program
from simcore.program.validate import faults_of


class BlockPieces(NamedTuple):
    """A block whose ``size`` instructions come in pieces, so that a large file need not be in memory as records."""

    name: str
    pieces: Iterable[Piece]
    size: int


class FunctionPieces(NamedTuple):
    """A function of such blocks."""

    name: str
    blocks: Sequence[BlockPieces]


def program_from_record(record: ProgramRecord, *, file: str = "<program>") -> Program:
    """The program of a record built in Python; numpy's numbers may stand for Python's.

    Raises InputError with every fault, named by instruction.
    """
    try:
        document = msgspec.to_builtins(record, enc_hook=_python_number)
    except (TypeError, AttributeError, RecursionError) as error:
        raise InputError([Problem(f"not a program record: {error}", file)]) from error
    try:
        checked = msgspec.convert(document, ProgramRecord)
    except msgspec.ValidationError as error:
        raise refusal({"schema": SCHEMA, **document}, file, error) from error
    return program_from_loaded(Loaded(checked), file=file)


def program_from_loaded(loaded: Loaded, *, file: str) -> Program:
    """The program a reader found. Raises InputError with every fault, named by instruction."""
    record = loaded.record
    functions = [
        FunctionPieces(f.name, [BlockPieces(b.name, _pieces(b.instructions), len(b.instructions)) for b in f.blocks])
        for f in record.functions
    ]
    try:
        program = program_from_pieces(record, functions, file=file)
    except Irregular as irregular:
        raise refusal({"schema": SCHEMA, **msgspec.to_builtins(record)}, file, irregular) from irregular
    program.notes, program.measured = list(loaded.notes), loaded.measured
    return program


def refusal(document: Any, file: str, reason: Exception) -> InputError:
    """The error for a document that was refused for ``reason``: its faults, by instruction or path."""
    faults = faults_of(document)
    if not faults:
        raise ModelBug(f"{file}: refused, but validation finds no fault: {reason}") from reason
    return InputError(by_subject(faults, file))


def by_subject(faults: Sequence[Fault], file: str) -> list[Problem]:
    """Problems that name the instruction, or the path in the document."""
    return [Problem(f.message, file, where=f.subject or _path_text(f)) for f in faults]


def program_from_pieces(head: ProgramHead, functions: Sequence[FunctionPieces], *, file: str) -> Program:
    """The program of a head and its functions. Raises Irregular when any rule of a program is broken."""
    if head.schema != SCHEMA or head.arch not in ARCH_NAMES or not is_text(head.name):
        raise Irregular("head")
    generation = GENERATIONS[ARCH_NAMES[head.arch]]
    version = generation.arch_version if head.arch_version is None else head.arch_version
    if not 0 <= version <= MAX_ARCH_VERSION or not 1 <= head.modular_flow_runs <= MAX_RUNS:
        raise Irregular("head")
    if head.origin is not None:
        texts = (head.origin.source, head.origin.licence, head.origin.note)
        if not all(t is None or is_text(t) for t in texts):
            raise Irregular("origin")
    _check_unique([f.name for f in functions])
    for function in functions:
        _check_unique([b.name for b in function.blocks])
    return Program(
        name=head.name,
        arch=generation.name,
        arch_version=version,
        functions=[
            Function(f.name, [Block(b.name, columns_from_pieces(b.pieces, b.size, generation)) for b in f.blocks])
            for f in functions
        ],
        modular_flow_runs=head.modular_flow_runs,
        origin=head.origin,
        file=file,
    )


def _pieces(instructions: Sequence[Instruction]) -> Iterable[Piece]:
    return (instructions[k : k + CHUNK] for k in range(0, len(instructions), CHUNK))


def _check_unique(names: list[str]) -> None:
    if len(set(names)) != len(names) or not all(map(is_text, names)):
        raise Irregular("function or block name")


def _python_number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is no value of a program")


def _path_text(fault: Fault) -> str | None:
    text = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in fault.path).lstrip(".")
    return text or None
