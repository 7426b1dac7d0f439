"""The join of prediction and measurement: which predicted event is which measured instruction, or why there is none.

Both sides are held against each other by name, order on each engine, and shape. A prediction that was made for other
instructions than those that ran says nothing, so every mismatch is an input error, and all of them are reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from simcore.errors import InputError, Problem
from simcore.program.columns import Columns
from simcore.program.decolumnise import Events
from simcore.program.engines import Engine
from simcore.program.instruction import Instruction, Operand
from simcore.program.measured import MeasuredInstruction, Measurement
from simcore.program.opcodes import Opcode
from simcore.program.profile.complete import lacking
from simcore.program.profile.opcode_map import HARDWARE_OPCODES
from simcore.program.program import Block, Program

KINDS = ("unmatched", "duplicated", "reordered", "differently shaped")
"""What can be wrong with an instruction, in the order in which the summary counts them."""

_REFINED = {Opcode.TensorScalarPtr.name: Opcode.TensorScalar.name}
"""Opcodes that the reader tells apart by operands, though the hardware has one name for both."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One instruction that does not join; ``kind`` is one of :data:`KINDS`."""

    kind: str
    name: str
    message: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A program's block and the measurement of the same instructions."""

    program: Program
    block: Block
    measured: Measurement

    @property
    def columns(self) -> Columns:
        """The block's events."""
        return self.block.columns


def join(profile: Program, predicted: Program) -> Joined:
    """``predicted`` beside what ``profile`` measured; the two may be one program.

    Raises InputError with every mismatch and, last, how many of each kind there are.
    """
    if profile.measured is None:
        raise InputError([Problem("no profile: it holds no measurement (allowed: neuron-profile JSON)", profile.file)])
    if len(predicted.blocks) != 1:
        message = f"{len(predicted.blocks)} blocks (allowed: one, as a profile's kernel is)"
        raise InputError([Problem(message, predicted.file)])
    if predicted.arch != profile.arch:
        message = f"a program for {predicted.arch}, but the profile is of {profile.arch} (allowed: the same)"
        raise InputError([Problem(message, predicted.file)])
    missing = [Problem(text, profile.file) for text in lacking(profile, profile.measured)]
    if missing:
        raise InputError(missing)
    block = predicted.blocks[0][1]
    found = list(mismatches(events_of(profile.blocks[0][1].columns), events_of(block.columns), profile.measured))
    if found:
        counts = Counter(m.kind for m in found)
        listed = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)
        problems = [Problem(f"{m.kind}: {m.message}", predicted.file, where=f"instruction {m.name}") for m in found]
        problems.append(Problem(f"does not join with {profile.file}: {listed}", predicted.file))
        raise InputError(problems)
    return Joined(predicted, block, profile.measured)


def mismatches(ran: list[Instruction], predicted: list[Instruction], measured: Measurement) -> Iterator[Mismatch]:
    """Everything that keeps ``predicted`` from being a prediction of what ``measured`` shows.

    ``ran`` are the events that the profile's rows make up; packets, not rows, belong to its transfers.
    """
    yield from _repeated(predicted)
    yield from _repeated_rows(measured)
    carried = measured.transfer_spans_ns().keys()
    by_name, ours = {i.name: i for i in ran}, {i.name: i for i in predicted}
    rows: dict[str, list[MeasuredInstruction]] = {}
    for row in measured.instructions:
        rows.setdefault(row.program_name, []).append(row)
    for name in by_name:
        if name not in ours:
            yield Mismatch("unmatched", name, "ran, but is not in the predicted program")
    for name, instruction in ours.items():
        if name not in by_name:
            yield Mismatch("unmatched", name, "is predicted, but the profile does not show it")
            continue
        if by_name[name].engine == Engine.DMA.name:
            if name not in carried:
                message = "is predicted, but the tables dma and dma_queues_info do not tell which packets are its"
                yield Mismatch("unmatched", name, message)
        elif name not in rows:
            yield Mismatch("unmatched", name, "is predicted, but no row of the profile belongs to it")
        yield from _shapes(instruction, by_name[name], rows.get(name, []))
    for name in rows:
        if name not in by_name:
            yield Mismatch("unmatched", name, "was measured, but is no instruction of the kernel")
    yield from _reordered(predicted, measured)


def events_of(columns: Columns) -> list[Instruction]:
    """The block's events as instructions, a transfer right after its trigger."""
    return Events(columns, columns.name_list()).all()


def _repeated(predicted: list[Instruction]) -> Iterator[Mismatch]:
    for name, count in Counter(i.name for i in predicted).items():
        if count > 1:
            yield Mismatch("duplicated", name, f"is predicted {count} times")


def _repeated_rows(measured: Measurement) -> Iterator[Mismatch]:
    ids = Counter(row.id for row in measured.instructions)
    places = Counter((row.program_name, row.pc, row.engine, row.opcode) for row in measured.instructions)
    for row in measured.instructions:
        if ids[row.id] > 1:
            yield Mismatch("duplicated", row.program_name, f"the profile shows hardware instruction {row.id} again")
            ids[row.id] = 0
        place = (row.program_name, row.pc, row.engine, row.opcode)
        if places[place] > 1:
            message = (
                f"the profile shows {row.opcode} at program counter {row.pc} {places[place]} times in one run of it"
            )
            yield Mismatch("duplicated", row.program_name, message)
            places[place] = 0


def _shapes(predicted: Instruction, ran: Instruction, rows: list[MeasuredInstruction]) -> Iterator[Mismatch]:
    """Opcode, engine and operands against those that ran; opcode and engine against each row as well."""
    ours, theirs = _shape(predicted), _shape(ran)
    for what, value, expected in zip(("opcode", "engine", "inputs", "outputs"), ours, theirs, strict=True):
        if value != expected:
            message = f"its {what}: {value or 'none'} in the prediction, {expected or 'none'} in the measurement"
            yield Mismatch("differently shaped", predicted.name, message)
    opcode = _REFINED.get(ran.opcode, ran.opcode)
    for row in rows:
        of_row = HARDWARE_OPCODES.get(row.opcode, row.opcode)
        if _REFINED.get(of_row, of_row) != opcode or row.engine != ran.engine:
            message = f"measured as {row.opcode} on {row.engine} (hardware instruction {row.id}), not {ran.opcode}"
            yield Mismatch("differently shaped", predicted.name, f"{message} on {ran.engine}")


def _shape(i: Instruction) -> tuple[str, str, str, str]:
    return i.opcode, i.engine, _operands(i.ins), _operands(i.outs)


def _operands(operands: Iterable[Operand]) -> str:
    return " ".join(f"{o.space}[{o.partitions}x{o.elements}]{o.dtype}" for o in operands)


def _reordered(predicted: list[Instruction], measured: Measurement) -> Iterator[Mismatch]:
    """Instructions that started before one which the program puts ahead of them on the same engine."""
    position = {i.name: k for k, i in enumerate(predicted)}
    last: dict[str, MeasuredInstruction] = {}
    seen: set[str] = set()
    for row in measured.instructions:
        if row.program_name in seen or row.program_name not in position:
            continue
        seen.add(row.program_name)
        before = last.get(row.engine)
        if before is not None and position[row.program_name] < position[before.program_name]:
            message = f"started after {before.program_name} on {row.engine}, but comes before it in the program"
            yield Mismatch("reordered", row.program_name, message)
        else:
            last[row.engine] = row
