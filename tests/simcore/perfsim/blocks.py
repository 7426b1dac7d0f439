"""Running a document's blocks without an oracle: every instruction carries its cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from simcore.perfsim.block_walk import run_walk
from simcore.perfsim.lower import lower
from simcore.perfsim.options import PerfSimOptions
from simcore.program.program import Block, Program
from simcore.program.read import program_from_bytes
from simcore.schedule import Schedule

Row = tuple[str, int, int, int, int]


def loaded(document: Mapping[str, Any]) -> Program:
    """The program of a stream document."""
    return program_from_bytes(json.dumps(document).encode(), "document")


def block_of(*instructions: Mapping[str, Any], arch: str = "gen3", **head: Any) -> dict[str, Any]:
    """A stream document of one block."""
    block = {"name": "bb0", "instructions": list(instructions)}
    return {
        "schema": "kernbench.stream/1",
        "name": "p",
        "arch": arch,
        **head,
        "functions": [{"name": "main", "blocks": [block]}],
    }


def scheduled(
    program: Program, block: Block, *, include_anti_deps: bool = True, options: PerfSimOptions | None = None
) -> Schedule:
    """The block's schedule from the costs it carries."""
    options = options or PerfSimOptions()
    inputs = lower(block.columns, block.columns.cost_ns, program.arch, options, program.file)
    return run_walk(inputs, options, program.arch_version, include_anti_deps=include_anti_deps)


def rows(block: Block, schedule: Schedule) -> list[Row]:
    """(name, lane, start, duration, next-dispatch) of every event."""
    columns = (schedule.lane, schedule.start, schedule.duration, schedule.next_dispatch)
    return list(zip(block.columns.name_list(), *(c.tolist() for c in columns), strict=True))
