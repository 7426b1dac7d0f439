"""Estimates of small documents, and their traces as a reader of JSON sees them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from simcore import perfsim
from simcore.program.build import program_from_record
from simcore.program.instruction import ProgramRecord


def document(*blocks: list[dict[str, Any]], **head: Any) -> dict[str, Any]:
    """A stream document: one function ``main`` with the blocks bb0, bb1, ... of these instructions."""
    return {
        "schema": "kernbench.stream/1",
        "name": "p",
        "arch": "gen3",
        **head,
        "functions": [
            {"name": "main", "blocks": [{"name": f"bb{k}", "instructions": b} for k, b in enumerate(blocks)]}
        ],
    }


def estimate_of(content: Mapping[str, Any]) -> perfsim.Estimate:
    """The estimate of a stream document."""
    return perfsim.estimate(program_from_record(msgspec.convert(content, ProgramRecord)))


def read_trace(path: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(metadata records, event records) of a trace file."""
    records = json.loads(path.read_bytes())
    return records[:11], records[11:]
