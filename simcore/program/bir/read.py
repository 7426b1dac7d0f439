"""BIR JSON to a program record: the document's root, its functions and blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from simcore.errors import InputError
from simcore.program.bir.access import Scope
from simcore.program.bir.extension import KEY, PROGRAM_FIELDS, apply_extension
from simcore.program.bir.findings import Findings
from simcore.program.bir.instructions import InstructionReader
from simcore.program.bir.lowered_dma import note_untriggered, read_queues
from simcore.program.bir.memory import read_memory
from simcore.program.bir.order import restored_order
from simcore.program.generations import ARCH_NAMES
from simcore.program.instruction import BlockRecord, FunctionRecord, Instruction, ProgramRecord
from simcore.program.loaded import Loaded

VERSIONS = (1, 2)
"""Versions of BIR JSON; they differ only in how affine expressions are written."""


def read_bir(data: object, file: str) -> Loaded:
    """The program in a decoded BIR document, with notes on what its text leaves open.

    ``file`` names the document in messages and, without its endings, the program. Checks what is BIR's own: structure,
    types, words and cross references; the rules of every program are checked on the record. Raises InputError with
    every fault, each by the name of its instruction or allocation, or by its JSON path.
    """
    found = Findings(file)
    root = found.mapping("", "document", data)
    if root is None:
        raise InputError(found.problems)
    version = found.integer("", "version", root.get("version"))
    if version is not None and version not in VERSIONS:
        found.problem("", f"version: {version} is unknown (allowed: 1, 2)")
    arch = found.word("", "", "arch", root.get("arch"), tuple(ARCH_NAMES))
    record = ProgramRecord(name=_program_name(file), arch=arch or "")
    record.functions = _functions(found, root)
    if root.get("nki_functions"):
        found.note("nki_functions", "not read; only the instructions of functions are timed")
    if KEY in root:
        extension = found.mapping("", KEY, root[KEY]) or {}
        order = extension.get("function_order")
        apply_extension(
            found, "", "", {KEY: {k: v for k, v in extension.items() if k != "function_order"}}, record, PROGRAM_FIELDS
        )
        if order is not None:
            record.functions = restored_order(found, record.functions, order)
    if found.problems:
        raise InputError(list(dict.fromkeys(found.problems)))
    return Loaded(record, found.notes)


def _program_name(file: str) -> str:
    return PurePath(file).name.removesuffix(".gz").removesuffix(".json") or file


def _functions(found: Findings, root: dict[str, Any]) -> list[FunctionRecord]:
    functions: list[tuple[str, str, dict[str, Any]]] = []
    for f, value in enumerate(found.sequence("", "functions", root.get("functions"))):
        path = f"functions[{f}]"
        function = found.mapping(path, "function", value)
        if function is not None:
            functions.append((path, found.text(path, "name", function.get("name")) or path, function))
    memories = [read_memory(found, path, function) for path, _, function in functions]
    by_name = {name: memory for (_, name, _), memory in zip(functions, memories, strict=True)}
    queues = read_queues(found, root)
    records = []
    for (path, name, function), memory in zip(functions, memories, strict=True):
        reader = InstructionReader(Scope(found, memory, by_name), queues)
        records.append(FunctionRecord(name=name, blocks=_blocks(found, path, function, reader)))
        _drop_edges_between_blocks(found, records[-1])
    note_untriggered(found, queues)
    return records


def _blocks(found: Findings, path: str, function: dict[str, Any], reader: InstructionReader) -> list[BlockRecord]:
    blocks = []
    for b, value in enumerate(found.sequence(path, "blocks", function.get("blocks"))):
        where = f"{path}.blocks[{b}]"
        block = found.mapping(where, "block", value)
        if block is not None:
            name = found.text(where, "name", block.get("name")) or where
            blocks.append(BlockRecord(name=name, instructions=reader.block(where, block)))
    return blocks


def _drop_edges_between_blocks(found: Findings, function: FunctionRecord) -> None:
    """Names resolve in the whole function, but every block starts with empty lanes: such an edge can delay nothing."""
    if len(function.blocks) < 2:
        return
    names = [{i.name for i in _walk(block.instructions)} for block in function.blocks]
    everywhere = set().union(*names)
    dropped = 0
    for block, own in zip(function.blocks, names, strict=True):
        elsewhere = everywhere - own
        for instruction in _walk(block.instructions):
            kept = [d for d in instruction.dependencies if (d if isinstance(d, str) else d[0]) not in elsewhere]
            dropped += len(instruction.dependencies) - len(kept)
            instruction.dependencies = kept
    if dropped:
        edges = "dependency leads" if dropped == 1 else "dependencies lead"
        found.note(
            f"function {function.name}", f"{dropped} {edges} to another block; blocks are timed apart, so none counts"
        )


def _walk(instructions: list[Instruction]) -> Iterator[Instruction]:
    for instruction in instructions:
        yield instruction
        if instruction.transfer is not None:
            yield instruction.transfer
        yield from _walk(instruction.body or [])
