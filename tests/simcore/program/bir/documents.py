"""Small BIR documents for tests: hand-written ones from data/, and a wrapper for a few instructions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from simcore.program.bir import read_bir
from simcore.program.instruction import Instruction
from simcore.program.loaded import Loaded

DATA = Path(__file__).parent / "data"


def stored(name: str) -> Any:
    """The document ``data/NAME.json``."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def document(
    *instructions: dict[str, Any], locations: list[dict[str, Any]] | None = None, **root: Any
) -> dict[str, Any]:
    """A document with one block of these instructions and one allocation of these memory locations."""
    allocation = {"name": "all_set", "memorylocations": locations or []}
    function = {
        "name": "main",
        "allocations": [allocation] if locations else [],
        "blocks": [{"name": "bb0", "instructions": list(instructions)}],
    }
    return {"version": 2, "arch": "gen3", "functions": [function], **root}


def instruction(opcode: str = "NoOp", **keys: Any) -> dict[str, Any]:
    """An instruction called ``i`` on SP unless ``keys`` say otherwise."""
    return {"name": "i", "opcode": opcode, "engine": "SP", **keys}


def loaded(*instructions: dict[str, Any], **rest: Any) -> Loaded:
    """What is read from :func:`document` of the same arguments."""
    return read_bir(document(*instructions, **rest), "test.json")


def only(result: Loaded) -> Instruction:
    """The single instruction of a program."""
    [function] = result.record.functions
    [block] = function.blocks
    [read] = block.instructions
    return read
