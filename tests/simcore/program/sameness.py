"""Whether two programs are the same to the last element of their columns."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from simcore.program.columnise_fields import WORD_FIELDS
from simcore.program.columns import Columns
from simcore.program.npz import write_npz
from simcore.program.program import Program


def npz_bytes(program: Program) -> bytes:
    """The program as a columns file."""
    buffer = io.BytesIO()
    write_npz(program, buffer)
    return buffer.getvalue()


def contents(columns: Columns) -> dict[str, Any]:
    """Everything in a block's columns, comparable; words stand for their numbers, which say nothing themselves."""
    values = {name: getattr(columns, name) for name in Columns.__dataclass_fields__ if name != "words"}
    values |= {name: [columns.words[code] for code in values[name]] for name in WORD_FIELDS}
    return {k: (v.dtype.str, v.tolist()) if isinstance(v, np.ndarray) else v for k, v in values.items()}


def assert_same(a: Program, b: Program) -> None:
    """Fails if the programs differ in anything but their files, notes and measurements."""
    assert a.record() == b.record()
    for (_, block), (_, other) in zip(a.blocks, b.blocks, strict=True):
        assert contents(block.columns) == contents(other.columns)
