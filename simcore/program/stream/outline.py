"""A stream document whose instructions are still undecoded, and their decoding piece by piece.

Decoding a large file at once would hold several times its size as records; a piece lives only until it is columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from simcore.program.build import BlockPieces, FunctionPieces, program_from_pieces
from simcore.program.columnise import CHUNK, Piece
from simcore.program.columnise_fields import Fields, Irregular
from simcore.program.instruction import Instruction, PlainInstruction, ProgramHead
from simcore.program.program import Program

Undecoded = TypeVar("Undecoded")

Decode = Callable[[list[Undecoded]], Piece]
"""Decodes a piece. Raises msgspec.ValidationError if it is none that this one decodes."""


class OutlineBlock(msgspec.Struct, Generic[Undecoded], forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A block whose instructions are undecoded."""

    name: str
    instructions: list[Undecoded] = []


class OutlineFunction(msgspec.Struct, Generic[Undecoded], forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A function of such blocks."""

    name: str
    blocks: list[OutlineBlock[Undecoded]] = []


class Outline(ProgramHead, Generic[Undecoded], forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A program of such functions. The schema must be said: it is not this class that knows it."""

    schema: str
    functions: list[OutlineFunction[Undecoded]] = msgspec.field(default_factory=list)


def program_from_document(document: Any, file: str) -> Program:
    """The program of a decoded document.

    Raises Irregular or msgspec.ValidationError when anything in it is out of order.
    """
    outline = msgspec.convert(document, Outline[Any])
    return program_from_outline(outline, [_plain, _whole], file)


def _plain(piece: list[Any]) -> Piece:
    return Fields(msgspec.convert(piece, list[PlainInstruction]))


def _whole(piece: list[Any]) -> Piece:
    return msgspec.convert(piece, list[Instruction])


def program_from_outline(outline: Outline[Undecoded], decoders: Sequence[Decode[Undecoded]], file: str) -> Program:
    """The program of an outline, each piece decoded by the first of ``decoders`` that can.

    Raises Irregular when anything in it is out of order.
    """
    functions = [
        FunctionPieces(
            f.name, [BlockPieces(b.name, _pieces(b.instructions, decoders), len(b.instructions)) for b in f.blocks]
        )
        for f in outline.functions
    ]
    return program_from_pieces(outline, functions, file=file)


def _pieces(instructions: list[Undecoded], decoders: Sequence[Decode[Undecoded]]) -> Iterator[Piece]:
    for k in range(0, len(instructions), CHUNK):
        yield _decoded(instructions[k : k + CHUNK], decoders)


def _decoded(piece: list[Undecoded], decoders: Sequence[Decode[Undecoded]]) -> Piece:
    reasons = []
    for decode in decoders:
        try:
            return decode(piece)
        except msgspec.ValidationError as error:
            reasons.append(str(error))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise Irregular(str(error)) from error
    raise Irregular(reasons[-1])
