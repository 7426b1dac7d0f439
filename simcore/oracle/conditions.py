"""The closed vocabulary of a cost table's conditions, each evaluated for a whole group of events at once.

A condition is a word (``psum_input``) or a key with alternatives (``op:add,max``); words in one cell must all hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simcore.oracle.group import Group
from simcore.program.columns import Array, Flag
from simcore.program.dtypes import DType
from simcore.program.engines import Engine
from simcore.program.vocabulary import DgeType, PerfMode, Space

Test = Callable[[Group], Array]


@dataclass(frozen=True, slots=True)
class Condition:
    """``text`` as the table spells it; ``test`` gives bool[g] for a group of g events."""

    text: str
    test: Test


ALU_WORDS = {
    "sub": "subtract",
    "mul": "multiply",
    "mult": "multiply",
    "elemwise_mul": "multiply",
}
"""Other spellings of an ALU operation, in lower case -> the one the tables use."""


def parse_conditions(cell: str) -> tuple[Condition, ...]:
    """The conditions of a table cell. Raises KeyError or ValueError for a word that is not in the vocabulary."""
    return tuple(_condition(word) for word in cell.split())


def _condition(word: str) -> Condition:
    key, colon, alternatives = word.partition(":")
    return Condition(word, _KEYED[key](alternatives.split(",")) if colon else _WORDS[key])


def _engine(names: list[str]) -> Test:
    codes = [Engine[n] for n in names]
    return lambda g: np.isin(g.engine, codes)


def _dge(names: list[str]) -> Test:
    codes = [DgeType[n] for n in names]
    if DgeType.none in codes:
        codes.append(DgeType.unassigned)
    return lambda g: np.isin(g.dge_type, codes)


def _bits(widths: list[str]) -> Test:
    nbytes = [int(w) // 8 for w in widths]
    return lambda g: g.any_of(g.physical & np.isin(g.element_bytes, nbytes))


def _alu(field: str) -> Callable[[list[str]], Test]:
    def keyed(names: list[str]) -> Test:
        def test(g: Group) -> Array:
            spelt = [w.lower() for w in g.columns.words]
            meant = np.array([ALU_WORDS.get(w, w) in names for w in spelt], dtype=bool)
            codes: Array = getattr(g.columns, field)[g.events]
            chosen: Array = meant[codes]
            return chosen

        return test

    return keyed


def _one_psum_input(g: Group) -> Array:
    count = g.count_of(g.physical_input & (g.space == Space.PSUM))
    return np.equal(count, 1)


def _has_input_in(g: Group, space: Space) -> Array:
    return g.any_of(g.physical_input & (g.space == space))


def _all_physical(g: Group, holds: Array) -> Array:
    return g.has_physical & ~g.any_of(g.physical & ~holds)


def _double_row(g: Group) -> Array:
    return np.isin(g.columns.perf_mode[g.events], (PerfMode.DoubleRow, PerfMode.DoubleRowSwInterleave))


_WORDS: dict[str, Test] = {
    "no_physical": lambda g: ~g.has_physical,
    "one_psum_input": _one_psum_input,
    "split_inputs": lambda g: _has_input_in(g, Space.SB) & _has_input_in(g, Space.PSUM),
    "sbuf_inputs": lambda g: _has_input_in(g, Space.SB) & ~g.any_of(g.physical_input & (g.space != Space.SB)),
    "sbuf_only": lambda g: _all_physical(g, g.space == Space.SB),
    "all_bfloat16": lambda g: _all_physical(g, g.dtype == DType.bfloat16),
    "contiguous": lambda g: ~g.any_of(g.physical & g.strided),
    "float32_input": lambda g: g.any_of(g.physical_input & (g.dtype == DType.float32)),
    "even": lambda g: g.nep % 2 == 0,
    "zeroes_16_bit_floats": lambda g: g.zeroes_16_bit_floats,
    "scan": lambda g: g.has_flag(Flag.SCAN),
    "scalar_tensor_tensor": lambda g: g.has_flag(Flag.SCALAR_TENSOR_TENSOR),
    "acc": lambda g: g.has_flag(Flag.ACC),
    "transpose": lambda g: g.has_flag(Flag.IS_TRANSPOSE),
    "double_row": _double_row,
    "local": lambda g: g.has_flag(Flag.IS_LOCAL),
    "estimate": lambda g: g.estimate_ns >= 0,
}
_KEYED: dict[str, Callable[[list[str]], Test]] = {
    "engine": _engine,
    "dge": _dge,
    "bits": _bits,
    "op": _alu("op"),
    "op0": _alu("op0"),
    "op1": _alu("op1"),
}
