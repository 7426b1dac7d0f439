"""Instructions -> columns, field by field rather than instruction by instruction: large programs need the speed.

Anything out of order raises :class:`Irregular`; :mod:`simcore.program.validate` then finds every fault and its place.
The two must agree on what is valid: a fuzz test holds them against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from simcore.program.codes import DGE_CODES, ENGINE_CODES, KIND_CODES, OPCODE_CODES, PERF_MODE_CODES
from simcore.program.column_ranges import column_ranges
from simcore.program.columnise_arrays import GrowingArray
from simcore.program.columnise_edges import Names
from simcore.program.columnise_fields import WORD_FIELDS, Extras, Fields, Irregular, Words, is_text
from simcore.program.columnise_flat import Flattener, misplaced_transfers
from simcore.program.columnise_operands import given_masks, operand_arrays
from simcore.program.columns import (
    EDGE_DTYPES,
    EVENT_DTYPES,
    NAME_SEPARATOR,
    OPERAND_DTYPES,
    Array,
    Columns,
    Flag,
)
from simcore.program.generations import Generation
from simcore.program.instruction import Instruction
from simcore.program.psum_masks import psum_masks
from simcore.program.vocabulary import DgeType

CHUNK = 2048
"""Instructions worked on at a time: few enough to stay in the processor's cache, enough to make numpy worth it."""

Piece = Sequence[Instruction] | Fields
"""A part of a block on its way into columns."""

_DTYPES = {**EVENT_DTYPES, **EDGE_DTYPES, **OPERAND_DTYPES}
_FLAG_FIELDS = {
    "is_local": Flag.IS_LOCAL,
    "psum_writer": Flag.PSUM_WRITER,
    "is_transpose": Flag.IS_TRANSPOSE,
    "accumulate": Flag.ACCUMULATE,
    "acc": Flag.ACC,
    "is_tensor_tensor_scan": Flag.SCAN,
    "is_scalar_tensor_tensor": Flag.SCALAR_TENSOR_TENSOR,
}
_RANGED = {
    *("cost_ns", "region", "stream_id", "queue", "op_count"),
    *("op_partitions", "op_elements", "op_addr", "op_bank"),
}
"""Columns that are filled with numbers as they stand; the others get codes or masks that are in range."""


def columns_from_pieces(pieces: Iterable[Piece], count: int, generation: Generation) -> Columns:
    """The columns of a block of ``count`` instructions (those in loops aside) that comes in pieces; none is kept.

    A piece is a list of instructions, or the fields of some that hold no others and are of one class.
    Raises :class:`Irregular` when any rule of a program is broken.
    """
    block = _Columniser(count, generation)
    for piece in pieces:
        with _errors_as_irregular():
            block.add(piece)
    return block.finished()


@contextmanager
def _errors_as_irregular() -> Iterator[None]:
    """What a word that is in no table, or a number that fits no array, raises."""
    try:
        yield
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise Irregular(str(error)) from error


class _Columniser:
    def __init__(self, count: int, generation: Generation) -> None:
        self.count = count
        self.generation = generation
        self.flat = Flattener()
        self.names = Names(self.flat.loops)
        self.words = Words()
        self.extras = Extras()
        self.columns = {key: GrowingArray(dtype) for key, dtype in _DTYPES.items()}

    def add(self, piece: Piece) -> None:
        begin, loops_before = self.flat.count, len(self.flat.loops)
        fields, transfers = self.flat.events(piece)
        self.names.add(fields["name"])
        arrays = attribute_arrays(fields)
        arrays |= {key: self.words.codes(fields, key) for key in WORD_FIELDS}
        arrays |= self.names.edges(fields, self.extras)
        arrays |= self.operands(fields, arrays["flags"], begin)
        arrays["flags"][transfers] |= np.uint16(Flag.TRANSFER)
        self.extras.put_fields(fields, begin)
        if len(misplaced_transfers(arrays["opcode"], arrays["flags"])):
            raise Irregular("trigger or transfer")
        check_ranges(arrays, self.generation)
        check_headers([loop.header for loop in self.flat.loops[loops_before:]], self.generation)
        for key, array in arrays.items():
            self.columns[key].extend(array, self.count / max(fields.count, 1))

    def operands(self, fields: Fields, flags: Array, first_event: int) -> dict[str, Array]:
        """The operand columns and the PSUM masks; sets the ``flags`` that go with them."""
        arrays, spans = operand_arrays(fields, first_event, self.extras)
        psum = psum_masks(arrays, spans)
        banks = self.generation.psum_banks
        if psum.highest >= banks:
            raise Irregular("bank beyond the generation's")
        reads_given, reads = given_masks(fields, "psum_reads", banks)
        writes_given, writes = given_masks(fields, "psum_writes", banks)
        flags |= reads_given * np.uint16(Flag.PSUM_READS_GIVEN) + writes_given * np.uint16(Flag.PSUM_WRITES_GIVEN)
        flags |= (psum.unknown & ~writes_given) * np.uint16(Flag.WRITES_UNKNOWN_BANK)
        arrays["psum_reads"] = np.where(reads_given, reads, psum.reads)
        arrays["psum_writes"] = np.where(writes_given, writes, psum.writes)
        return arrays

    def finished(self) -> Columns:
        self.names.check_all_different()
        return Columns(
            names=np.frombuffer(NAME_SEPARATOR.encode().join(self.names.text), dtype=np.uint8),
            **{key: column.filled() for key, column in self.columns.items()},
            words=tuple(self.words.table),
            loops=tuple(self.flat.loops),
            extras=self.extras.finished(),
        )


def attribute_arrays(fields: Fields) -> dict[str, Array]:
    """The columns of what an instruction says about itself alone; words aside, for they are numbered block by block."""
    flags = np.zeros(fields.count, np.uint16)
    for field, bit in _FLAG_FIELDS.items():
        flags |= fields.flags(field, bit)
    return {
        "opcode": fields.codes("opcode", OPCODE_CODES),
        "engine": fields.codes("engine", ENGINE_CODES),
        "cost_ns": fields.optional("cost"),
        "flags": flags,
        "region": fields.integers("region"),
        "stream_id": fields.optional("stream_id"),
        "collective_kind": fields.codes("kind", KIND_CODES, np.int8),
        "dge_type": fields.codes("dge_type", DGE_CODES),
        "queue": fields.optional("queue"),
        "perf_mode": fields.codes("perf_mode", PERF_MODE_CODES),
    }


def check_ranges(arrays: dict[str, Array], generation: Generation) -> None:
    """Raises :class:`Irregular` for a number out of its range."""
    ranges = column_ranges(generation)
    for key in _RANGED & arrays.keys():
        low, high = ranges[key]
        if arrays[key].size and (arrays[key].min() < low or arrays[key].max() > high):
            raise Irregular(key)
    if not generation.has_hwdge and np.any(arrays["dge_type"] == DgeType.hwdge):
        raise Irregular("hwdge")


def check_headers(headers: Sequence[Instruction], generation: Generation) -> None:
    """Raises :class:`Irregular` if a loop header's own attributes break a rule (its dependencies aside)."""
    if headers:
        with _errors_as_irregular():
            _check_headers(headers, generation)


def _check_headers(headers: Sequence[Instruction], generation: Generation) -> None:
    fields = Fields(headers)
    if any(fields["ins"]) or any(fields["outs"]) or fields.given("cost") or fields.given("queue"):
        raise Irregular("a loop has no cost, operands or queue of its own")
    texts = [fields["name"], *(fields.given(key) or () for key in WORD_FIELDS)]
    if not all(is_text(text) for values in texts for text in values if text is not None):
        raise Irregular("loop name or word")
    check_ranges(attribute_arrays(fields), generation)
    Extras().put_fields(fields, 0)
    for key in ("psum_reads", "psum_writes"):
        given_masks(fields, key, generation.psum_banks)
