"""Stream JSON -> program, when all is well."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from mmap import mmap
from typing import Any, Literal

import msgspec
import numpy as np

from simcore.errors import InputError
from simcore.program.codes import DTYPE_CODES, EDGE_CODES, ENGINE_CODES, OPCODE_CODES, SPACE_CODES
from simcore.program.columnise import Piece
from simcore.program.columnise_fields import Fields, Irregular
from simcore.program.instruction import Instruction, Operand, PlainInstruction
from simcore.program.program import Program
from simcore.program.stream.json_text import check_json, json_text
from simcore.program.stream.outline import Outline, OutlineBlock, OutlineFunction, program_from_outline

_ESCAPED_COLON = re.compile(rb"\\u003a", re.IGNORECASE)
_ENCODER = msgspec.json.Encoder()


def quick_program(data: bytes | mmap, file: str) -> Program | None:
    """The program in stream JSON, or None when anything at all is wrong with it.

    The decoder would silently take the last of repeated keys. They are noticed by their colons: what was decoded,
    written out again, has fewer than the file. Where the numbers differ, the keys themselves are looked at.
    """
    quick, whole = _QuickDecoder(), _WholeDecoder()
    try:
        outline = msgspec.json.decode(data, type=Outline[msgspec.Raw])
        program = program_from_outline(outline, [quick, whole], file)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, Irregular):
        return None
    around = count_byte(data, b":") - quick.colons - whole.colons
    is_same = around == _colons_around(outline) or around == _colons_around_as_written(data, outline)
    # One character is found many times as fast as several, and few files have any escape.
    has_escaped_colon = data.find(b"\\") >= 0 and _ESCAPED_COLON.search(data)
    if has_escaped_colon or not (is_same and quick.is_same and whole.is_same):
        try:
            check_json(json_text(bytes(data), file), file)
        except InputError:
            return None
    return program


class _Counted:
    """Counts the ``colons`` of pieces, and finds out whether they are those of what was decoded."""

    def __init__(self) -> None:
        self.colons = 0
        self.is_same = True

    def compare(self, text: bytes, colons: int) -> None:
        """Takes a piece and the colons of what was decoded, written out again; it need not hold what is a default."""
        found = count_byte(text, b":")
        self.colons += found
        self.is_same &= found == colons or found == _colons(msgspec.json.decode(text))


class _QuickDecoder(_Counted):
    """Decodes pieces of plain instructions."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = msgspec.json.Decoder(list[_quick_instruction()])  # type: ignore[misc]

    def __call__(self, piece: list[msgspec.Raw]) -> Piece:
        text = _joined(piece)
        fields = Fields(self._decoder.decode(text))
        self.compare(text, fields.keys_given())
        return fields


class _WholeDecoder(_Counted):
    """Decodes pieces of any instructions."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = msgspec.json.Decoder(list[Instruction])

    def __call__(self, piece: list[msgspec.Raw]) -> Piece:
        text = _joined(piece)
        instructions = self._decoder.decode(text)
        self.compare(text, _colons(instructions))
        return instructions


def _joined(piece: list[msgspec.Raw]) -> bytes:
    return b"[" + b",".join(piece) + b"]"


@cache
def _quick_instruction() -> type[PlainInstruction]:
    """PlainInstruction, its words closed lists: the decoder then makes no string of them."""
    operand = _with_types(Operand, {"space": _one_of(SPACE_CODES), "dtype": _one_of(DTYPE_CODES)})
    words: dict[str, Any] = {
        "opcode": _one_of(OPCODE_CODES),
        "engine": _one_of(ENGINE_CODES),
        "ins": list[operand],  # type: ignore[valid-type]
        "outs": list[operand],  # type: ignore[valid-type]
        "dependencies": list[tuple[str, _one_of(EDGE_CODES)] | str],  # type: ignore[misc]
    }
    quick: type[PlainInstruction] = _with_types(PlainInstruction, words)
    return quick


def _one_of(words: Iterable[str | int]) -> Any:
    return Literal[tuple(words)]


def _with_types(base: Any, types: dict[str, Any]) -> Any:
    """``base`` with other types for some of its fields."""
    fields = []
    for f in msgspec.structs.fields(base):
        if f.name in types:
            default = {} if f.required else {"default": f.default, "default_factory": f.default_factory}
            fields.append((f.name, types[f.name], msgspec.field(**default)))
    return msgspec.defstruct(
        f"Quick{base.__name__}",
        fields,
        bases=(base,),
        kw_only=True,
        forbid_unknown_fields=True,
        omit_defaults=True,
        gc=False,
    )


def _colons(value: Any) -> int:
    return count_byte(_ENCODER.encode(value), b":")


def count_byte(data: bytes | mmap, byte: bytes) -> int:
    """How often ``byte`` stands in ``data``; many times as fast as ``bytes.count`` where it is frequent."""
    values, step = np.frombuffer(data, np.uint8), 2**20
    return sum(int(np.count_nonzero(values[k : k + step] == ord(byte))) for k in range(0, len(values), step))


def _colons_around(outline: Outline[msgspec.Raw]) -> int:
    """The colons of everything around the instructions, if it gives no defaults."""
    return _colons(msgspec.structs.replace(outline, functions=[])) + bool(outline.functions) + _in_functions(outline)


def _colons_around_as_written(data: bytes | mmap, outline: Outline[msgspec.Raw]) -> int:
    """The colons of everything around the instructions, if it gives no defaults below its root."""
    root = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    values = sum(_colons(msgspec.json.decode(value)) for key, value in root.items() if key != "functions")
    return len(root) + values + _in_functions(outline)


def _in_functions(outline: Outline[msgspec.Raw]) -> int:
    functions: list[OutlineFunction[msgspec.Raw]] = [
        OutlineFunction(name=f.name, blocks=[OutlineBlock(name=b.name) for b in f.blocks]) for f in outline.functions
    ]
    return _colons(functions) + sum(bool(b.instructions) for f in outline.functions for b in f.blocks)
