"""The head of a columns file: everything that is no array, and how the arrays divide into blocks."""

from __future__ import annotations

import msgspec
import numpy as np

from simcore.program.columns import EDGE_DTYPES, EVENT_DTYPES, OPERAND_DTYPES, Extra, LoopSpan
from simcore.program.instruction import Origin

COLUMNS_SCHEMA = "kernbench.columns/1"

HEAD = "head"
"""The member that holds the head, as the bytes of its JSON."""

MEMBERS: dict[str, type[np.generic]] = {"names": np.uint8, **EVENT_DTYPES, **EDGE_DTYPES, **OPERAND_DTYPES}
"""The members that hold columns, all blocks one after the other, and their element types."""

COUNTED_BY = {
    "names": "names",
    **dict.fromkeys(EVENT_DTYPES, "events"),
    **dict.fromkeys(EDGE_DTYPES, "edges"),
    **dict.fromkeys(OPERAND_DTYPES, "operands"),
}
"""Which of a block's counts each of them has."""


class BlockHead(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A block: how many of the elements of each kind of column are its own, and what its columns do not hold.

    ``names`` counts bytes. ``extras`` is by event.
    """

    name: str
    events: int
    edges: int
    operands: int
    names: int
    words: list[str]
    loops: list[LoopSpan] = []
    extras: dict[int, Extra] = {}


class FunctionHead(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A function: its blocks in program order."""

    name: str
    blocks: list[BlockHead]


class Head(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The program's own attributes, and its functions in program order."""

    schema: str
    name: str
    arch: str
    arch_version: int
    modular_flow_runs: int
    origin: Origin | None = None
    functions: list[FunctionHead]
