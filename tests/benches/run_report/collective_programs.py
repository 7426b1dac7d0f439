"""Drawn programs whose collectives move something."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from tests.reference.random_programs import programs
from tests.topology.random_cores import ARCHES

SPEEDS = (0, 1, 1, 3, 17)


def instructions_of(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every instruction, those of loops too."""

    def inside(listed: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for instruction in listed:
            yield instruction
            yield from inside(instruction.get("body", []))

    for function in document["functions"]:
        for block in function["blocks"]:
            yield from inside(block["instructions"])


def is_joint(instruction: dict[str, Any]) -> bool:
    """Whether it is a collective of several cores."""
    return instruction["opcode"] == "CollectiveCompute" and not instruction.get("is_local")


@st.composite
def collective_programs(draw: st.DrawFn) -> dict[str, Any]:
    """A document with at least one collective, all of which say what they do with how many bytes."""
    document = draw(programs().filter(lambda drawn: drawn["arch"] in ARCHES))
    last = {"name": "last", "opcode": "CollectiveCompute", "engine": "Pool", "cost": draw(st.sampled_from((0, 5, 900)))}
    document["functions"][0]["blocks"][0]["instructions"].append({**last, "dependencies": []})
    for instruction in filter(is_joint, instructions_of(document)):
        shape = {"partitions": draw(st.sampled_from((1, 4))), "elements": draw(st.sampled_from((1, 7, 600, 5000)))}
        operand = {"space": "DRAM", "dtype": draw(st.sampled_from(("uint8", "float32"))), **shape}
        kind = draw(st.sampled_from(("AllReduce", "AllReduce", "ReduceScatter", "AllGather", "AllToAll")))
        instruction |= {"kind": kind, "ins": [operand], "outs": [operand]}
    return document


@st.composite
def as_late_as_drawn(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """The same program on a core that takes longer, or no time, for all that is no collective."""
    other, speed = deepcopy(document), draw(st.sampled_from(SPEEDS))
    for instruction in instructions_of(other):
        if "cost" in instruction and not is_joint(instruction):
            instruction["cost"] *= speed
    return other
