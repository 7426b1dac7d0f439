"""What profiles measured, per program instruction, in nanoseconds: the numbers that laws are fitted to.

An instruction's duration is the time in which at least one of its hardware instructions was under way (a float32
matmul is two weight loads and two matmuls; the time between them counts only where they overlap it). A transfer's is
from the end of its trigger to the end of its last packet.

Left out, and counted: what the tensor engine did outside the windows that the profile records as full speed (its clock
is a state of the chip, not a feature of the instruction), and transfers whose queue still had another one under way
when their trigger ended (they measure the queue). What the profile does not time has no sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simcore.errors import InputError, Problem
from simcore.oracle.group import Group, first_accesses
from simcore.oracle.learned.features import NAMES, Matrix, feature_matrix
from simcore.program.columns import Array, Flag
from simcore.program.engines import Engine
from simcore.program.measured import MeasuredInstruction, Measurement, covered_ns
from simcore.program.program import Program

HALF_SPEED = "PE not at recorded full speed"
QUEUED = "transfer behind another of its queue"
NOT_MEASURED = "not in the profile"


@dataclass(frozen=True, slots=True)
class Samples:
    """Measured instructions of one program. ``block``, ``event``: int64[s], where each is; ``opcode``: uint8[s].

    ``features``: float64[s, n]; ``measured_ns``: int64[s]; ``left_out`` counts instructions without a sample by reason.
    """

    file: str
    arch: str
    block: Array
    event: Array
    opcode: Array
    features: Matrix
    measured_ns: Array
    left_out: dict[str, int]

    def __len__(self) -> int:
        return len(self.event)


def samples_of(program: Program) -> Samples:
    """The samples of a program that was read from a profile. Raises InputError for one that was not."""
    measured = program.measured
    if measured is None:
        text = "holds no measurements (expected a neuron-profile JSON)"
        raise InputError([Problem(text, program.file)])
    left_out: Counter[str] = Counter()
    durations = {**_instructions(measured, left_out), **_transfers(program, measured, left_out)}
    blocks, events, opcodes, matrices, targets = [], [], [], [], []
    for number, (_, block) in enumerate(program.blocks):
        columns = block.columns
        names = columns.name_list()
        known = np.array([k for k, name in enumerate(names) if durations.get(name, 0) > 0], dtype=np.int64)
        left_out[NOT_MEASURED] += sum(name not in durations for name in names)
        blocks.append(np.full(len(known), number, dtype=np.int64))
        events.append(known)
        opcodes.append(columns.opcode[known])
        matrices.append(feature_matrix(Group(columns, known, first_accesses(columns))))
        targets.append(np.array([durations[names[k]] for k in known.tolist()], dtype=np.int64))
    return Samples(
        file=program.file,
        arch=program.arch,
        block=_joined(blocks, np.int64),
        event=_joined(events, np.int64),
        opcode=_joined(opcodes, np.uint8),
        features=np.concatenate(matrices) if matrices else np.empty((0, len(NAMES))),
        measured_ns=_joined(targets, np.int64),
        left_out={reason: count for reason, count in sorted(left_out.items()) if count},
    )


def _joined(pieces: list[Array], dtype: type[np.generic]) -> Array:
    return np.concatenate([np.empty(0, dtype=dtype), *pieces])


def _instructions(measured: Measurement, left_out: Counter[str]) -> dict[str, int]:
    """Duration by program instruction; 0 for one that is left out."""
    pieces: dict[str, list[MeasuredInstruction]] = {}
    for instruction in measured.instructions:
        pieces.setdefault(instruction.program_name, []).append(instruction)
    durations = {}
    for name, parts in pieces.items():
        begin, end = min(p.start_ns for p in parts), max(p.end_ns for p in parts)
        durations[name] = covered_ns([(p.start_ns, p.end_ns) for p in parts], begin, end)
        if parts[0].engine == Engine.PE.name and not _at_full_speed(measured, begin, end):
            left_out[HALF_SPEED] += 1
            durations[name] = 0
    return durations


def _at_full_speed(measured: Measurement, begin: int, end: int) -> bool:
    return any(t.full_speed and t.start_ns <= begin and end <= t.end_ns for t in measured.throttle)


def _transfers(program: Program, measured: Measurement, left_out: Counter[str]) -> dict[str, int]:
    """Duration by transfer; 0 for one that is left out."""
    ends = {i.program_name: i.end_ns for i in measured.instructions}
    triggered = {transfer: ends[trigger] for transfer, trigger in _triggers(program) if trigger in ends}
    queue_of = {p.transfer: p.queue for p in measured.packets if p.transfer is not None}
    spans = measured.transfer_spans_ns()
    durations: dict[str, int] = {}
    busy_until: dict[int, int] = {}
    for name in sorted((n for n in spans if n in triggered), key=lambda n: (triggered[n], n)):
        begin, end, queue = triggered[name], spans[name][1], queue_of[name]
        durations[name] = max(0, end - begin)
        if busy_until.get(queue, begin) > begin:
            left_out[QUEUED] += 1
            durations[name] = 0
        busy_until[queue] = max(end, busy_until.get(queue, end))
    return durations


def _triggers(program: Program) -> Iterator[tuple[str, str]]:
    """Each transfer with its trigger, the event right before it."""
    for _, block in program.blocks:
        names = block.columns.name_list()
        for k in np.flatnonzero(block.columns.flags & Flag.TRANSFER).tolist():
            yield names[k], names[k - 1]
