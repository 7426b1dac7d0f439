"""Columns file -> program. Everything in the file is checked, for the models walk columns without looking twice."""

from __future__ import annotations

import io
import mmap
from collections.abc import Iterator
from typing import IO, Any

import msgspec
import numpy as np

from simcore.errors import InputError, Problem
from simcore.program.columnise_fields import is_text
from simcore.program.columns import Array, Columns
from simcore.program.faults import hinted, shown
from simcore.program.generations import GENERATIONS
from simcore.program.limits import MAX_ARCH_VERSION, MAX_RUNS, MAX_WORDS
from simcore.program.npz.archive import Archive
from simcore.program.npz.check_block import check_block
from simcore.program.npz.head import COLUMNS_SCHEMA, COUNTED_BY, HEAD, MEMBERS, BlockHead, Head
from simcore.program.npz.report import Report
from simcore.program.program import Block, Function, Program


def read_npz(file: str) -> Program:
    """The program in a columns file, its arrays mapped where they lie.

    The file must not be changed in place while the program is in use (writing it anew and renaming is fine).
    Raises InputError with every fault, by member.
    """
    try:
        with open(file, "rb") as stream:
            mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            return _program(stream, mapped, file)
    except (OSError, ValueError) as error:
        raise InputError([Problem(f"cannot be read: {error}", file)]) from error


def program_from_npz(data: bytes, file: str) -> Program:
    """The program in the bytes of a columns file; ``file`` is its name in messages."""
    return _program(io.BytesIO(data), data, file)


def _program(stream: IO[bytes], buffer: Any, file: str) -> Program:
    report = Report(file)
    archive = Archive(stream, buffer, report)
    head = _head(archive, report)
    for name in archive.unknown({HEAD, *MEMBERS}):
        report.add(name, "unknown member")
    blocks = [block for function in head.functions for block in function.blocks]
    totals = {kind: sum(getattr(b, kind) for b in blocks) for kind in ("names", "events", "edges", "operands")}
    arrays = {name: archive.array(name, dtype, totals[COUNTED_BY[name]]) for name, dtype in MEMBERS.items()}
    report.stop_if_any()
    found = {name: array for name, array in arrays.items() if array is not None}
    generation = GENERATIONS[head.arch]
    columns = _columns(found, blocks)
    functions = []
    for function in head.functions:
        members = []
        for block in function.blocks:
            report.block = f"{function.name}/{block.name}"
            members.append(Block(block.name, next(columns)))
            check_block(members[-1].columns, generation, report)
        functions.append(Function(function.name, members))
    report.stop_if_any()
    return Program(
        name=head.name,
        arch=head.arch,
        arch_version=head.arch_version,
        functions=functions,
        modular_flow_runs=head.modular_flow_runs,
        origin=head.origin,
        file=file,
    )


def _head(archive: Archive, report: Report) -> Head:
    """The head, its own rules checked. Raises InputError if it breaks one."""
    if not archive.has(HEAD):
        report.add(None, f"no columns file: it has no member {HEAD} (`kernbench convert` writes such files)")
        report.stop_if_any()
    array = archive.array(HEAD, np.uint8)
    report.stop_if_any()
    data = b"" if array is None else array.tobytes()
    try:
        schema = msgspec.json.decode(data, type=_SchemaOnly).schema
        if schema != COLUMNS_SCHEMA:
            report.add(HEAD, f"unknown schema {shown(schema)} {hinted(schema, (COLUMNS_SCHEMA,))}")
            report.stop_if_any()
        head = msgspec.json.decode(data, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([*report.problems, Problem(str(error), report.file, where=HEAD)]) from error
    for message in _head_faults(head):
        report.add(HEAD, message)
    report.stop_if_any()
    return head


class _SchemaOnly(msgspec.Struct):
    schema: str


def _head_faults(head: Head) -> Iterator[str]:
    if head.arch not in GENERATIONS:
        yield f"unknown arch {shown(head.arch)} {hinted(head.arch, tuple(GENERATIONS))}"
    if not 0 <= head.arch_version <= MAX_ARCH_VERSION:
        yield f"arch_version: {shown(head.arch_version)} is out of range (allowed: 0 to {MAX_ARCH_VERSION})"
    if not 1 <= head.modular_flow_runs <= MAX_RUNS:
        yield f"modular_flow_runs: {shown(head.modular_flow_runs)} is out of range (allowed: 1 to {MAX_RUNS})"
    origin = [] if head.origin is None else [head.origin.source, head.origin.licence, head.origin.note]
    blocks = [block for function in head.functions for block in function.blocks]
    texts = [head.name, *(t for t in origin if t is not None), *(f.name for f in head.functions)]
    for text in (*texts, *(b.name for b in blocks), *(w for b in blocks for w in b.words[1:])):
        if not is_text(text):
            yield f"the text {shown(text)} is empty or not printable"
    yield from _repeated([f.name for f in head.functions], "functions")
    for function in head.functions:
        yield from _repeated([b.name for b in function.blocks], f"blocks of {shown(function.name)}")
    for block in blocks:
        if min(block.events, block.edges, block.operands, block.names) < 0:
            yield f"block {shown(block.name)}: a negative count"
        if block.words[:1] != [""] or len(block.words) > MAX_WORDS + 1:
            yield f"block {shown(block.name)}: words begin with an empty one, and {MAX_WORDS} others are allowed"
        yield from _repeated(block.words, f"words of {shown(block.name)}")


def _repeated(names: list[str], what: str) -> Iterator[str]:
    if len(set(names)) != len(names):
        yield f"a name stands twice among the {what}"


def _columns(arrays: dict[str, Array], blocks: list[BlockHead]) -> Iterator[Columns]:
    """Each block's slices of the arrays."""
    begin = dict.fromkeys(("names", "events", "edges", "operands"), 0)
    for block in blocks:
        end = {kind: at + getattr(block, kind) for kind, at in begin.items()}
        slices = {name: arrays[name][begin[kind] : end[kind]] for name, kind in COUNTED_BY.items()}
        yield Columns(**slices, words=tuple(block.words), loops=tuple(block.loops), extras=block.extras)
        begin = end
