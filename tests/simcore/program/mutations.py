"""Documents that were valid until something in them was changed."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import strategies as st

from simcore.program.instruction import SCHEMA, Instruction, Operand, ProgramRecord
from tests.simcore.program.strategies import program_records

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 3, 7, 8, 13, 128, 129, 255, 256, 2047, 2048),
    *(2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, 10**30, -(2**63), 10**12, 10**12 + 1),
    *(0.0, 1.0, 300.0, 1.5, -2.5, 1e300, float("nan"), float("inf"), float("-inf")),
    *("", " ", "a", "x\ny", "\0", "é", "\u2028", "\ufeff", "1", "none", "None", "null", "Flow", "flow", "Anti"),
    *("Loop", "DMATrigger", "Load", "Matmult", "PE", "DMA", "PSUM", "SB", "float32", "gen3", "sunda", "trn2", "hwdge"),
    *([], {}, [[]], [None], [1], ["a"], [["a", "Flow"]], [["a", 4]], [["a", 5]], [["a", True]], ["a", "a"], [[1, 2]]),
    *([{}], {"name": "t", "opcode": "Load", "engine": "DMA"}, [{"name": "u", "opcode": "NoOp", "engine": "PE"}]),
    {"space": "PSUM", "partitions": 1, "elements": 1, "dtype": "int8"},
)
ODD_KEYS = ("x", "", "Name", "opcodes", "body", "transfer", "trip_count", "cost", "free", "bank", "é", "a b")
KNOWN_KEYS = (*Instruction.__struct_fields__, *Operand.__struct_fields__, *ProgramRecord.__struct_fields__)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key or position) of everything inside ``value``."""
    if isinstance(value, (dict, list)):
        for step, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, step
            yield from places(inner)


def document_of(record: ProgramRecord) -> dict[str, Any]:
    """The record as a stream file holds it: plain dicts and lists, the schema first."""
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    return {"schema": SCHEMA, **document}


@st.composite
def documents(draw: st.DrawFn, changes: int = 3) -> dict[str, Any]:
    """A program document with up to ``changes`` changes, some of which may leave it valid."""
    document = document_of(draw(program_records(instructions=4)))
    for _ in range(draw(st.integers(0, changes))):
        where = list(places(document))
        container, step = where[draw(st.integers(0, len(where) - 1))]
        change = draw(st.sampled_from(("value", "value", "drop", "rename", "add", "copy", "move")))
        if change == "value":
            container[step] = copy.deepcopy(draw(st.sampled_from(ODD_VALUES)))
        elif change == "drop":
            del container[step]
        elif isinstance(container, dict) and change == "rename":
            container[draw(st.sampled_from(ODD_KEYS + KNOWN_KEYS))] = container.pop(step)
        elif isinstance(container, dict) and change == "add":
            container[draw(st.sampled_from(ODD_KEYS + KNOWN_KEYS))] = copy.deepcopy(draw(st.sampled_from(ODD_VALUES)))
        elif isinstance(container, list) and change == "copy":
            container.insert(draw(st.integers(0, len(container))), copy.deepcopy(container[step]))
        elif isinstance(container, list):
            container.insert(draw(st.integers(0, len(container) - 1)), container.pop(step))
        if not document:
            break
    return document
